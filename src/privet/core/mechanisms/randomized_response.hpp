#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "privet/accounting/quantities.hpp"
#include "privet/base/random.hpp"
#include "privet/core/noise/sparse_coins.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/unit.hpp"
#include "privet/graph/graph.hpp"

namespace privet::privacy {

/// Rows of bits by the columns of their ones, ascending: row i is columns[offsets[i] .. offsets[i + 1]).
struct BitRows {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<graph::NodeId> columns;

  [[nodiscard]] std::size_t rows() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::span<const graph::NodeId> row(std::size_t i) const {
    return std::span(columns).subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

/// Flips every bit of an adjacency matrix with probability 1 / (1 + e^epsilon).
///
///   unit         directed-edge, local-edge, or edge
///   sensitivity  one bit; the two bits of an undirected edge are told once (release_pairs) or cost twice
///   loss         epsilon per bit, pure (Warner 1965; Dwork, Roth 2014, section 3.2);
///                RandomizedResponseEvent
///
/// The places to flip in a row are drawn without looking at the data, and the result is the symmetric
/// difference: time and memory go with the ones kept and made, never with the square of the nodes. The gaps
/// between flips are drawn from tables (sparse_coins.hpp); their error is covered by flipping as if epsilon
/// were smaller by kMargin. The diagonal is public (no loops) and never flipped.
///
/// The number of nodes is public: a graph of another size, or one that failed, counts as one without edges.
/// The *number of ones* of the result is part of the result.
class RandomizedResponse {
 public:
  /// `epsilon` from 2^-20 to 27. Unsound for other units: one node may stand behind any number of bits.
  RandomizedResponse(Unit unit, Epsilon epsilon);

  static constexpr double kMargin = 0x1p-40;

  /// The same response, of whose ones each is then kept with probability `share` (above 0, at most 1; times
  /// the flip probability at least 2^-40). That is post-processing and costs the same; but both steps are
  /// drawn at once, so that ones which are not kept are never made: a zero is told as a one with probability
  /// flip x share, a one with probability (1 - flip) x share. A response to a large sparse matrix then stays
  /// as sparse as one likes.
  [[nodiscard]] RandomizedResponse thinned(double share) const;

  [[nodiscard]] const Unit& unit() const noexcept { return unit_; }
  [[nodiscard]] double flip_probability() const noexcept { return flip_probability_; }
  /// What telling one bit costs.
  [[nodiscard]] Event event() const { return RandomizedResponseEvent{epsilon_}; }

  /// One user's list as `bits` bits, of which `own` (the user's place on the diagonal) is left out; the ones
  /// ascend. Columns out of range, out of order or equal to `own` are not read.
  [[nodiscard]] std::vector<graph::NodeId> release_row(const Secret<std::vector<graph::NodeId>>& ones,
                                                       std::size_t bits, graph::NodeId own, std::string what,
                                                       ReleaseLog& log, RandomStream& stream) const;

  /// Every entry of the matrix off the diagonal. Under the unit edge both entries of an edge are told, and
  /// the release costs twice.
  [[nodiscard]] BitRows release_entries(const Secret<graph::Graph>& graph, std::size_t nodes,
                                        std::string what, ReleaseLog& log, RandomStream& stream) const;

  /// The entries above the diagonal: each pair of nodes once. Row i of the result holds the neighbours above
  /// i.
  [[nodiscard]] BitRows release_pairs(const Secret<graph::Graph>& graph, std::size_t nodes, std::string what,
                                      ReleaseLog& log, RandomStream& stream) const;

 private:
  [[nodiscard]] BitRows release_bits(const Secret<graph::Graph>& graph, std::size_t nodes, bool pairs,
                                     std::string what, ReleaseLog& log, RandomStream& stream) const;
  void write(std::string what, std::uint64_t bits_of_an_edge, ReleaseLog& log,
             const RandomStream& stream) const;

  RandomizedResponse(Unit unit, double epsilon, double flip_probability, double share);

  Unit unit_;
  double epsilon_;
  double flip_probability_;
  double share_ = 1;   // of the ones that are kept
  SparseCoins coins_;  // zeros told as ones
};

/// The undirected graph of pairs told by release_pairs.
graph::Graph graph_of_pairs(const BitRows& pairs);

}  // namespace privet::privacy
