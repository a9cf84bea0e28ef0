#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "privet/methods/lists/link_posterior.hpp"
#include "privet/tensor/matrix.hpp"
#include "privet/tensor/view.hpp"

namespace privet::methods {

/// A symmetric matrix of low rank that is near the probability of most pairs which were told as 0.
///
/// With few ones told, Bayes' rule makes of a small prior v nearly c v + c' v^2, a polynomial of its entry
/// alone, so that a prior of rank r has a matrix of rank r + r (r + 1) / 2 for most pairs: what is left are
/// the pairs told as 1, the likely ones, and those that the bounds of the prior change.
class SmoothLinks {
 public:
  /// Nothing for a prior without factors, or where the two directions of a pair differ.
  static std::optional<SmoothLinks> of(const LinkPosterior& links);

  /// Columns [first, first + out.size()) of row i.
  void row(std::size_t i, std::size_t first, std::span<float> out) const;
  /// out += S x
  void add_product(tensor::ConstMatrixView x, tensor::MatrixView out) const;

 private:
  SmoothLinks(tensor::Matrix basis, tensor::Matrix core);

  // S = basis core basis^T
  tensor::Matrix basis_;       // nodes x rank
  tensor::Matrix core_;        // rank x rank, symmetric
  tensor::Matrix transposed_;  // of the basis, for rows
};

}  // namespace privet::methods
