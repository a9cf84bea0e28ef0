#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privet/nn/examples.hpp"
#include "privet/nn/network.hpp"
#include "privet/nn/star_examples.hpp"

namespace privet::nn {

/// How far the gradient of one example is scaled down: to one norm over all parameters (flat), or to one norm
/// for each layer that has parameters, in their order.
struct Clipping {
  std::vector<double> norms;
  /// Whether each layer's clipped gradients are measured in its own norm: the sum of a layer is divided by it
  /// before the noise and multiplied again behind, so that noise goes with the norm of the layer.
  bool in_own_norms = false;

  /// The norm that the whole clipped gradient of one example can reach: the root of the sum of squares, or of
  /// the number of layers where each is measured in its own norm. This is what noise must be scaled to, not
  /// the norm of one group.
  [[nodiscard]] double joint_norm() const;
};

/// In what sums of gradients are formed.
enum class SumIn : std::uint8_t {
  pieces,   ///< float32 within pieces of a batch: matrix products, for dense rows
  doubles,  ///< double precision, example by example: for layers that read sparse rows (DPDGC's embedding)
  stars,    ///< double precision, in pieces: for examples of several rows
};

/// How a batch is worked off. Sums of float32 are rounded, and the rounding of a sum may change in all its
/// terms when one example changes. Summing at most `piece` rows in float32, and the pieces in double
/// precision, keeps that within sum_error() clip norms.
struct SumPlan {
  std::uint64_t piece = 0;  ///< examples
  std::uint64_t most = 0;   ///< examples in a batch
  SumIn in = SumIn::pieces;
  std::uint64_t rows = 1;  ///< of one example, at most; more than one for stars only

  /// The largest pieces whose error stays below half a percent of the clip norm, but at least eight rows.
  /// Stars: as many as have about 1024 rows.
  static SumPlan for_batches_of(std::uint64_t most, SumIn in = SumIn::pieces, std::uint64_t rows = 1);

  /// An upper bound on how far the computed sum is from the exact one, in clip norms. Coordinate (a, b) of a
  /// layer's gradient is a float32 sum of at most `piece` products x_ia (f_i e_ib), whose error in any order
  /// is at most (piece + 4) 2^-24 times the sum of |x_ia| f_i |e_ib| (Higham, Accuracy and Stability of
  /// Numerical Algorithms, chapter 3; 4 for the products, the factors and the last rounding). The norm of
  /// that, over all coordinates, is at most the sum of the examples' clipped norms: `most` clip norms. Holds
  /// where every row is an example. In doubles the products of two float32 are exact, each sum of `most`
  /// terms is off by most x 2^-53 of their absolute sum, and f_i e_ib and the result are rounded to float32
  /// once each: most (most 2^-53 + 2 x 2^-24) clip norms.
  ///
  /// Stars: the rows of one example may cancel, so that a bound on its norm g says little of A, the sum of
  /// the norms of its rows. What is clipped is therefore the root of g^2 + 2^-21 A^2, which is above the norm
  /// of what is added up, g + 2^-24 A with the errors rounded to float32, and g^2 known to R^2 2^-53 A^2 from
  /// the R^2 products of R rows, R at most kMostStarRows, and makes A at most 2^10.5 clip norms. Sums of most
  /// x rows products in double precision are then off by most x rows 2^-53 x most 2^10.5 clip norms, and the
  /// result is rounded once: most 2^-24 more.
  [[nodiscard]] double sum_error() const;
};

/// Room for a step; used again by the next.
struct GradientRoom {
  Tape tape;
  BatchRoom batch;
  StarRoom stars;
  std::vector<std::uint32_t> labeled;
  std::vector<float> losses;
  std::vector<double> norms;
  std::vector<double> row_norms;
  std::vector<float> factors;
  tensor::AlignedVector<float> piece;
  tensor::AlignedVector<double> total;
  tensor::AlignedVector<float> sum;  ///< the result
  bool unformed = false;             ///< the result is on the tape, for gradient_part
  /// Pieces of stars are worked off side by side: lane i takes every 16th from the i-th on and adds them up;
  /// then the lanes are added up in their order.
  std::vector<GradientRoom> lanes;
};

/// Writes the sum of the members' gradients, each scaled down to the clip norm, to room.sum: the norms come
/// from inputs and errors, and one weighted product follows. An example whose gradient is not finite, or
/// 2^60 times the clip norm or more, counts as zero. No member: zeros.
///
/// A member without a label, such as somebody who is not there (units.md, "blank"), is left out before
/// anything is computed: the sum is bit by bit that of the batch without it, wherever in the batch it was.
void clipped_gradient_sum(const Network& network, const Parameters& parameters, const Examples& examples,
                          std::span<const std::uint32_t> members, const Clipping& clipping,
                          const SumPlan& plan, std::uint64_t dropout_seed, GradientRoom& room);
/// The same of training subgraphs, under a plan for stars.
void clipped_gradient_sum(const Network& network, const Parameters& parameters, const StarExamples& examples,
                          std::span<const std::uint32_t> members, const Clipping& clipping,
                          const SumPlan& plan, std::uint64_t dropout_seed, GradientRoom& room);

/// The same where the sum is read in parts: those of a layer on sparse rows, in doubles, are formed when they
/// are asked for, and the whole never is.
void clipped_gradient(const Network& network, const Parameters& parameters, const Examples& examples,
                      std::span<const std::uint32_t> members, const Clipping& clipping, const SumPlan& plan,
                      std::uint64_t dropout_seed, GradientRoom& room);
void clipped_gradient(const Network& network, const Parameters& parameters, const StarExamples& examples,
                      std::span<const std::uint32_t> members, const Clipping& clipping, const SumPlan& plan,
                      std::uint64_t dropout_seed, GradientRoom& room);
/// The numbers of that sum from `first` on, in a part that comes as zeros; several parts at once on different
/// threads.
void gradient_part(const GradientRoom& room, std::size_t first, std::span<float> part,
                   const Network& network);

/// The norms of the examples' gradients: [g * examples + i] of layer g, or with `flat` one for each example.
std::vector<double> gradient_norms(const Network& network, const Parameters& parameters,
                                   const StarExamples& examples, bool flat);

}  // namespace privet::nn
