#include "privet/core/mechanisms/subgraph_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/keyed_hash.hpp"

namespace privet::privacy {
namespace {

constexpr std::uint64_t kMostLayers = 8;
constexpr std::uint64_t kMostAffected = std::uint64_t{1} << 40U;

// Two keys out of one, so that being heard is decided independently of hearing.
constexpr std::uint64_t kHearing = 0x6865617264;
constexpr std::uint64_t kListening = 0x6c697374656e;

using Hashed = std::pair<std::uint64_t, graph::NodeId>;

// The `most` smallest, by hash and then id: a total order, the same in every graph.
void keep_smallest(std::vector<Hashed>& all, std::uint64_t most) {
  if (all.size() <= most) return;
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
  all.resize(most);
}

std::uint64_t checked(std::uint64_t factor, std::uint64_t other) {
  if (factor != 0 && other > kMostAffected / factor) {
    throw InvalidArgument({.what = "one change reaches more training subgraphs than can be counted",
                           .where = "subgraph sampler",
                           .expected = "fewer layers or smaller caps"});
  }
  return factor * other;
}

void require_receivers(const graph::Graph& graph, const std::vector<std::uint8_t>& receives) {
  if (receives.size() != graph.nodes()) throw std::logic_error("subgraphs: one mark for each node");
}

// Row cap: each list by itself.
HeardLists capped_rows(const graph::Graph& graph, const std::vector<std::uint8_t>& receives,
                       std::uint64_t most, std::uint64_t key) {
  HeardLists lists;
  lists.offsets.reserve(graph.nodes() + 1);
  lists.offsets.push_back(0);
  std::vector<Hashed> row;
  for (graph::NodeId v = 0; v < graph.nodes(); ++v) {
    if (receives[v] != 0) {
      row.clear();
      for (const graph::NodeId u : graph.neighbors(v)) row.emplace_back(keyed_hash(key, v, u), u);
      keep_smallest(row, most);
      std::ranges::sort(row, {}, &Hashed::second);
      for (const Hashed& kept : row) lists.members.push_back(kept.second);
    }
    lists.offsets.push_back(lists.members.size());
  }
  return lists;
}

// Who hears whom, turned round; rows ascend.
HeardLists turned(const HeardLists& lists) {
  HeardLists result;
  result.offsets.assign(lists.nodes() + 1, 0);
  for (const graph::NodeId u : lists.members) ++result.offsets[u + 1];
  for (std::size_t u = 0; u < lists.nodes(); ++u) result.offsets[u + 1] += result.offsets[u];
  result.members.resize(lists.members.size());
  std::vector<std::uint64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (graph::NodeId v = 0; v < lists.nodes(); ++v) {
    for (const graph::NodeId u : lists.of(v)) result.members[next[u]++] = v;
  }
  return result;
}

HeardLists capped_columns(const HeardLists& lists, std::uint64_t most, std::uint64_t key) {
  const HeardLists listeners = turned(lists);
  HeardLists kept;
  kept.offsets.push_back(0);
  std::vector<Hashed> column;
  for (graph::NodeId u = 0; u < listeners.nodes(); ++u) {
    column.clear();
    for (const graph::NodeId v : listeners.of(u)) column.emplace_back(keyed_hash(key, u, v), v);
    keep_smallest(column, most);
    std::ranges::sort(column, {}, &Hashed::second);
    for (const Hashed& one : column) kept.members.push_back(one.second);
    kept.offsets.push_back(kept.members.size());
  }
  return turned(kept);
}

}  // namespace

SubgraphSampler::SubgraphSampler(Unit unit, SubgraphCaps caps) : unit_(unit), caps_(caps) {
  if (!unit.bounds_degree() && !unit.keeps_to_own_list()) {
    throw Unsound({.what = "no bound on the training subgraphs that one change reaches",
                   .where = fmt::format("unit {}", unit.text()),
                   .remedy = "name the unit record or node:D"});
  }
  if (unit.bounds_degree()) caps_.listeners = unit.max_degree();
  if (caps_.heard == 0 || caps_.listeners == 0 || caps_.layers == 0 || caps_.layers > kMostLayers) {
    throw InvalidArgument({.what = fmt::format("caps of {} heard, {} listeners, {} layers", caps_.heard,
                                               caps_.listeners, caps_.layers),
                           .where = "subgraph sampler",
                           .expected = fmt::format("caps from 1, layers from 1 to {}", kMostLayers)});
  }
  (void)affected(kMostAffected);
}

AffectedExamples SubgraphSampler::affected(std::uint64_t population) const {
  const bool replace = !unit_.blanks_person();
  std::uint64_t reached = 0;  // beside the node's own term
  std::uint64_t power = 1;    // K_out^j
  for (std::uint64_t layer = 0; layer < caps_.layers; ++layer) {
    if (unit_.keeps_to_own_list()) {
      reached += checked(power, checked(replace ? 2 : 1, caps_.heard));
      power = checked(power, caps_.listeners);
      reached += power;
    } else {
      power = checked(power, caps_.listeners);
      reached += checked(replace ? 2 : 1, power);
    }
  }
  return affected_examples(unit_, reached, population);
}

HeardLists SubgraphSampler::sample(const graph::Graph& graph, const std::vector<std::uint8_t>& receives,
                                   std::uint64_t key) const {
  require_receivers(graph, receives);
  HeardLists rows = capped_rows(graph, receives, caps_.heard, key ^ kHearing);
  if (unit_.bounds_degree()) return rows;
  return capped_columns(rows, caps_.listeners, key ^ kListening);
}

HeardLists capped_lists(const graph::Graph& graph, std::uint64_t most, std::uint64_t key) {
  return capped_rows(graph, std::vector<std::uint8_t>(graph.nodes(), 1), most, key);
}

graph::Graph named_by(const HeardLists& lists) {
  HeardLists listeners = turned(lists);
  return graph::Graph::from_rows(std::move(listeners.offsets), std::move(listeners.members),
                                 graph::Direction::directed, "lists");
}

HeardLists whole_rows(const graph::Graph& graph, const std::vector<std::uint8_t>& receives) {
  require_receivers(graph, receives);
  HeardLists lists;
  lists.offsets.reserve(graph.nodes() + 1);
  lists.offsets.push_back(0);
  for (graph::NodeId v = 0; v < graph.nodes(); ++v) {
    const auto row = graph.neighbors(v);
    if (receives[v] != 0) lists.members.insert(lists.members.end(), row.begin(), row.end());
    lists.offsets.push_back(lists.members.size());
  }
  return lists;
}

}  // namespace privet::privacy
