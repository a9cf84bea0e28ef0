#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/graph/graph.hpp"
#include "privet/methods/lists/evidence.hpp"
#include "privet/methods/lists/link_prior.hpp"
#include "privet/tensor/sparse_matrix.hpp"

namespace privet::methods {

/// The bounds of what is believed beforehand. Without them (`published`) a number outside of [0, 1] goes
/// through Bayes' rule as it is and only the result is brought back, and the diagonal has links too.
struct PriorBounds {
  double least = 0;
  double most = 1;
  bool published = false;
};

/// Of the matrix of probabilities: P_ij of a pair i < j is above its diagonal, P_ji below.
enum class Triangle { upper, lower };

/// The probability of every link, given the bits: a matrix P of which nothing is stored but a low-rank prior
/// and the ones that were reported. Every pass over it takes time with the square of the nodes, memory with
/// the nodes, and both cores.
///
/// P is symmetric, unless a pair is believed in by its two ends to different degrees, each of which goes
/// through Bayes' rule with the evidence of the pair. Then rows gather along P, as weights; graphs have, as
/// published, row i joined to j where P_ji is large.
class LinkPosterior {
 public:
  /// `turned`, where it is not symmetric: what is believed of P_ji, for i < j, in place of `prior`.
  LinkPosterior(std::shared_ptr<const LinkPrior> prior, std::shared_ptr<const Evidence> evidence,
                const PriorBounds& bounds, std::shared_ptr<const LinkPrior> turned = nullptr);

  [[nodiscard]] std::size_t nodes() const { return evidence_->nodes(); }
  [[nodiscard]] bool symmetric() const { return turned_ == nullptr; }
  /// Those that have to be looked at: one where the other is the same.
  [[nodiscard]] std::span<const Triangle> triangles() const;
  [[nodiscard]] const LinkPrior& prior() const { return *prior_; }
  /// What a pair's prior becomes by so many ones that it was told with.
  [[nodiscard]] const tensor::EvidenceRule& rule_of(unsigned ones) const { return rules_[ones]; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const;

  /// Columns [first, first + out.size()) of row i, all of them at or behind column i: the entry on the
  /// diagonal is 0 (or, published, that of a pair told as 0). Of the lower triangle its turned entries, P_ji
  /// in the place of (i, j). `cursor` is where in the evidence of the row to go on from: 0 at first, then as
  /// it was left, for pieces in order.
  void upper_row(std::size_t i, std::size_t first, std::span<float> out, std::size_t& cursor,
                 Triangle triangle = Triangle::upper) const;

  /// The pairs with a probability above 1/2. Directed where P is not symmetric, as the two below.
  [[nodiscard]] graph::Graph hard() const;
  /// Each pair with its probability.
  [[nodiscard]] graph::Graph sampled(const RandomStream& stream) const;
  /// The floor(sum) likeliest pairs, with their probabilities as weights; of equally likely ones the first.
  [[nodiscard]] tensor::SparseMatrix top() const;
  /// Sum over the pairs i < j, of both of their numbers where they differ.
  [[nodiscard]] double total() const;
  /// Of every row, diagonal included.
  [[nodiscard]] std::vector<double> row_sums() const;

 private:
  [[nodiscard]] tensor::EvidenceRule rule(unsigned ones) const;
  template <typename Keep>
  [[nodiscard]] graph::Graph pairs(const Keep& keep) const;
  template <typename Body>
  void for_each_row(Triangle triangle, const Body& body) const;

  std::shared_ptr<const LinkPrior> prior_;
  std::shared_ptr<const LinkPrior> turned_;  // none: P is symmetric
  std::shared_ptr<const Evidence> evidence_;
  PriorBounds bounds_;
  tensor::EvidenceRule rules_[3];  // by the ones that a pair was told with
};

}  // namespace privet::methods
