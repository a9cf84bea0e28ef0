#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privet/nn/examples.hpp"
#include "privet/nn/network.hpp"

namespace privet::nn {

/// How far the gradient of one example is scaled down: to one norm over all parameters (flat), or to one norm
/// for each layer that has parameters, in their order.
struct Clipping {
  std::vector<double> norms;

  /// The norm that the whole clipped gradient of one example can reach: the root of the sum of squares. This
  /// is what noise must be scaled to, not the norm of one group.
  [[nodiscard]] double joint_norm() const;
};

/// In what sums of gradients are formed.
enum class SumIn : std::uint8_t {
  pieces,   ///< float32 within pieces of a batch: matrix products, for dense rows
  doubles,  ///< double precision, example by example: for layers that read sparse rows (DPDGC's embedding)
};

/// How a batch is worked off. Sums of float32 are rounded, and the rounding of a sum may change in all its
/// terms when one example changes. Summing at most `piece` rows in float32, and the pieces in double
/// precision, keeps that within sum_error() clip norms.
struct SumPlan {
  std::uint64_t piece = 0;  ///< rows
  std::uint64_t most = 0;   ///< rows in a batch
  SumIn in = SumIn::pieces;

  /// The largest pieces whose error stays below half a percent of the clip norm, but at least eight rows.
  static SumPlan for_batches_of(std::uint64_t most, SumIn in = SumIn::pieces);

  /// An upper bound on how far the computed sum is from the exact one, in clip norms. Coordinate (a, b) of a
  /// layer's gradient is a float32 sum of at most `piece` products x_ia (f_i e_ib), whose error in any order
  /// is at most (piece + 4) 2^-24 times the sum of |x_ia| f_i |e_ib| (Higham, Accuracy and Stability of
  /// Numerical Algorithms, chapter 3; 4 for the products, the factors and the last rounding). The norm of
  /// that, over all coordinates, is at most the sum of the examples' clipped norms: `most` clip norms. Holds
  /// where every row is an example. In doubles the products of two float32 are exact, each sum of `most`
  /// terms is off by most x 2^-53 of their absolute sum, and f_i e_ib and the result are rounded to float32
  /// once each: most (most 2^-53 + 2 x 2^-24) clip norms.
  [[nodiscard]] double sum_error() const;
};

/// Room for a step; used again by the next.
struct GradientRoom {
  Tape tape;
  BatchRoom batch;
  std::vector<float> losses;
  std::vector<double> norms;
  std::vector<float> factors;
  tensor::AlignedVector<float> piece;
  tensor::AlignedVector<double> total;
  tensor::AlignedVector<float> sum;  ///< the result
};

/// Writes the sum of the members' gradients, each scaled down to the clip norm, to room.sum: the norms come
/// from inputs and errors, and one weighted product follows. An example whose gradient is not finite, or
/// 2^60 times the clip norm or more, counts as zero. No member: zeros.
void clipped_gradient_sum(const Network& network, const Parameters& parameters, const Examples& examples,
                          std::span<const std::uint32_t> members, const Clipping& clipping,
                          const SumPlan& plan, std::uint64_t dropout_seed, GradientRoom& room);

}  // namespace privet::nn
