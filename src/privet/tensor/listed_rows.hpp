#pragma once

#include <cstdint>
#include <span>

#include "privet/tensor/view.hpp"

namespace privet::tensor {

/// Row a of `out` becomes the sum of the rows of x that are listed for it, at places[starts[a]] and on, up to
/// starts[a + 1]; zeros where none is. Sums are formed in double precision, in the order of the lists, and
/// rounded once. On one thread.
void sum_listed_rows(ConstMatrixView x, std::span<const std::uint64_t> starts,
                     std::span<const std::uint32_t> places, MatrixView out);

}  // namespace privet::tensor
