#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "privet/accounting/quantities.hpp"
#include "privet/base/random.hpp"
#include "privet/core/mechanisms/randomized_response.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/unit.hpp"
#include "privet/graph/graph.hpp"

namespace privet::privacy {

/// Adds Laplace noise to every entry of an adjacency matrix and tells where the largest are (LapGraph).
///
///   unit         edge (each pair of nodes is one entry, above the diagonal) or directed-edge
///   sensitivity  one entry by 1
///   loss         epsilon = 1 / scale, pure (Dwork, McSherry, Nissim, Smith 2006, Proposition 1; which
///   entries
///                are largest is post-processing); LaplaceEvent
///
/// Time and memory go with the entries that are kept, never with the square of the nodes. Of the zeros only
/// those are made whose noise is above a public threshold, at which a little more than `keep` are expected:
/// their places are sparse coins (sparse_coins.hpp), drawn before the data are opened, and beyond the
/// threshold Laplace noise is geometric in grid steps, whatever the threshold. The ones have noise of their
/// own in full. What is told is a function of the noisy matrix: the `keep` largest of its entries above the
/// threshold. Fewer are told only where fewer are above it, at most once in 10^12 releases unless nearly half
/// of all entries were to be kept.
///
/// The number of nodes is public: a graph of another size, or one that failed, counts as one without edges.
class TopEntries {
 public:
  /// `epsilon` from 2^-20 to 2^10. Unsound for other units: one node may stand behind any number of entries.
  TopEntries(Unit unit, Epsilon epsilon);

  /// Covers the error of sparse coins: noise is that of an epsilon smaller by this.
  static constexpr double kMargin = 0x1p-40;

  [[nodiscard]] const Unit& unit() const noexcept { return unit_; }
  [[nodiscard]] double scale() const noexcept { return static_cast<double>(half_steps_) * grid_ / 2; }
  [[nodiscard]] Event event() const;

  /// The places of the largest entries; under edge row i of the result holds the neighbours above i. `keep`
  /// is public or already released.
  [[nodiscard]] BitRows release(const Secret<graph::Graph>& graph, std::size_t nodes, std::uint64_t keep,
                                std::string what, ReleaseLog& log, RandomStream& stream) const;

  /// The least noise, in grid steps, that a zero must have to be looked at, and how likely it has it.
  struct Threshold {
    std::int64_t steps = 1;
    double probability = 0;
  };
  [[nodiscard]] Threshold threshold(std::size_t nodes, std::uint64_t keep) const;

 private:
  Unit unit_;
  double epsilon_;
  double grid_;  // of the noise; 1 is a multiple of it
  std::uint64_t half_steps_;
};

}  // namespace privet::privacy
