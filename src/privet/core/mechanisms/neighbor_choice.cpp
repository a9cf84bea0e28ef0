#include "privet/core/mechanisms/neighbor_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/core/noise/permute_and_flip.hpp"
#include "privet/core/opening.hpp"

namespace privet::privacy {
namespace {

constexpr std::uint64_t kDenominator = std::uint64_t{1} << 60;
constexpr double kShares = 4;            // two ends, and twice the exponent in each choice
constexpr double kLargestExponent = 15;  // of one neighbour: all but certain, and the numerator fits

void check(const std::vector<std::uint32_t>& start, std::uint32_t groups,
           const std::vector<graph::NodeId>& order) {
  const auto outside = [&](std::uint32_t group) { return group >= groups; };
  std::vector<bool> seen(start.size(), false);
  for (const graph::NodeId node : order) {
    if (node >= seen.size() || seen[node])
      throw InvalidArgument(
          {.what = fmt::format("node {}", node), .where = "order of choices", .expected = "every node once"});
    seen[node] = true;
  }
  if (order.size() != start.size() || std::ranges::any_of(start, outside))
    throw InvalidArgument({.what = fmt::format("{} nodes, {} in order", start.size(), order.size()),
                           .where = "choice of groups",
                           .expected = fmt::format("every node once, in one of {} groups", groups)});
}

}  // namespace

NeighborChoice::NeighborChoice(Unit unit, Epsilon epsilon) : unit_(unit) {
  if (!unit.changes_pairs()) {
    throw Unsound({.what = "a choice by neighbours counts two ends of an edge",
                   .where = fmt::format("unit {}", unit.text()),
                   .remedy = "use edge"});
  }
  if (!(epsilon.value() >= 0x1p-20 && epsilon.value() <= 0x1p20)) {
    throw InvalidArgument({.what = fmt::format("{}", epsilon.value()),
                           .where = "epsilon of a choice by neighbours",
                           .expected = "from 2^-20 to 2^20"});
  }
  const double exponent = std::min(kLargestExponent, epsilon.value() * (1 - 0x1p-48) / kShares);
  numerator_ = static_cast<std::uint64_t>(exponent * static_cast<double>(kDenominator));
}

Event NeighborChoice::event() const {
  return PureEvent{kShares * static_cast<double>(numerator_) / static_cast<double>(kDenominator) *
                   (1 + 0x1p-50)};
}

std::vector<std::uint32_t> NeighborChoice::release(const Secret<graph::Graph>& graph,
                                                   std::vector<std::uint32_t> start, std::uint32_t groups,
                                                   const std::vector<graph::NodeId>& order, std::string what,
                                                   ReleaseLog& log, RandomStream& stream) const {
  check(start, groups, order);
  const std::unique_ptr<RandomStream> coins = stream.fork("choice by neighbours", stream.bits());
  log.add(Release{.what = std::move(what),
                  .unit = unit_.text(),
                  .mechanism = "neighbor-choice",
                  .sensitivity = 1,
                  .norm = "L-infinity",
                  .noise_stddev = static_cast<double>(kDenominator) / static_cast<double>(numerator_),
                  .times = 1,
                  .sampling = "none",
                  .reference = "McKenna, Sheldon 2020, Theorem 1, for both ends of an edge; "
                               "docs/privacy/mechanisms.md#choice-by-neighbours",
                  .replayable = stream.replayable(),
                  .event = event()});
  const graph::Graph* opened = graph.read(OpeningBy<NeighborChoice>::key());
  const bool fits = opened != nullptr && opened->nodes() == start.size() &&
                    opened->direction() == graph::Direction::undirected;
  std::vector<std::int64_t> votes(groups, 0);
  for (const graph::NodeId node : order) {
    std::ranges::fill(votes, 0);
    if (fits) {
      for (const graph::NodeId other : opened->neighbors(node)) ++votes[start[other]];
    }
    start[node] = static_cast<std::uint32_t>(permute_and_flip(*coins, votes, numerator_, kDenominator));
  }
  return start;
}

}  // namespace privet::privacy
