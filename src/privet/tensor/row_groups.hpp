#pragma once

#include <cstdint>
#include <span>

#include "privet/tensor/view.hpp"

namespace privet::tensor {

/// Kernels on rows that belong together: the nodes of a star, which are one example. Group g is the rows
/// [starts[g], starts[g + 1]). Sums are formed in double precision, in an order that depends on the shapes
/// alone.

/// For every group adds the sum over its pairs of rows k, l of (x_k . x_l + shift)(e_k . e_l) to sums[g]: the
/// squared norm of the group's sum of x_k^T e_k, with shift 1 also of that of e_k.
void add_gram_products(ConstMatrixView x, ConstMatrixView e, std::span<const std::uint32_t> starts,
                       double shift, std::span<double> sums);

/// Adds x^T e to `total`, which has a row for each column of x. Products of two float32 are exact in double
/// precision; each number of `total` is a sum of as many terms as rows, in an order that depends on the
/// shapes alone.
void add_outer_products(ConstMatrixView x, ConstMatrixView e, std::span<double> total);

}  // namespace privet::tensor
