#include "privet/graph/communities.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "privet/graph/split.hpp"

namespace privet::graph {
namespace {

// A weighted graph by rows, without loops; `degrees` count a loop twice.
struct Rows {
  std::vector<std::uint64_t> offsets;
  std::vector<std::pair<std::uint32_t, double>> entries;
  std::vector<double> degrees;
  double total = 0;  // of the degrees
};

Rows rows_of(std::uint32_t nodes, const std::vector<WeightedPair>& pairs) {
  Rows rows{.offsets = std::vector<std::uint64_t>(nodes + 1, 0),
            .entries = {},
            .degrees = std::vector<double>(nodes, 0)};
  for (const WeightedPair& pair : pairs) {
    rows.degrees[pair.first] += pair.weight;
    rows.degrees[pair.second] += pair.weight;
    if (pair.first == pair.second) continue;
    ++rows.offsets[pair.first + 1];
    ++rows.offsets[pair.second + 1];
  }
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.entries.resize(rows.offsets.back());
  std::vector<std::uint64_t> at(rows.offsets.begin(), rows.offsets.end() - 1);
  for (const WeightedPair& pair : pairs) {
    if (pair.first == pair.second) continue;
    rows.entries[at[pair.first]++] = {pair.second, pair.weight};
    rows.entries[at[pair.second]++] = {pair.first, pair.weight};
  }
  rows.total = std::accumulate(rows.degrees.begin(), rows.degrees.end(), 0.0);
  return rows;
}

// Moves single nodes while that gains modularity. Returns whether any moved.
bool move_nodes(const Rows& rows, double resolution, RandomStream& stream,
                std::vector<std::uint32_t>& community) {
  constexpr double kLeastGain = 1e-12;  // of the total weight: below is rounding
  const auto nodes = static_cast<std::uint32_t>(rows.degrees.size());
  std::vector<double> inside(rows.degrees);  // degrees of each community
  std::vector<double> joined(nodes, 0);      // weight between the node and each community it touches
  std::vector<std::uint32_t> touched;
  std::vector<NodeId> order(nodes);
  std::iota(order.begin(), order.end(), NodeId{0});
  shuffle(order, stream);
  bool any = false;
  for (bool moved = true; moved;) {
    moved = false;
    for (const std::uint32_t node : order) {
      const std::uint32_t home = community[node];
      touched.clear();
      for (std::uint64_t k = rows.offsets[node]; k < rows.offsets[node + 1]; ++k) {
        const auto& [other, weight] = rows.entries[k];
        if (joined[community[other]] == 0) touched.push_back(community[other]);
        joined[community[other]] += weight;
      }
      inside[home] -= rows.degrees[node];
      const auto gain = [&](std::uint32_t candidate) {
        return joined[candidate] - resolution * rows.degrees[node] * inside[candidate] / rows.total;
      };
      std::uint32_t best = home;
      double best_gain = gain(home) + kLeastGain * rows.total;
      for (const std::uint32_t candidate : touched) {
        if (gain(candidate) > best_gain) {
          best = candidate;
          best_gain = gain(candidate);
        }
      }
      inside[best] += rows.degrees[node];
      community[node] = best;
      moved = moved || best != home;
      for (const std::uint32_t candidate : touched) joined[candidate] = 0;
    }
    any = any || moved;
  }
  return any;
}

// Numbers communities from 0 in the order of their first node; returns how many there are.
std::uint32_t renumber(std::vector<std::uint32_t>& community) {
  constexpr std::uint32_t kNone = 0xffffffff;
  std::vector<std::uint32_t> names(community.size(), kNone);
  std::uint32_t next = 0;
  for (std::uint32_t& name : community) {
    if (names[name] == kNone) names[name] = next++;
    name = names[name];
  }
  return next;
}

std::vector<WeightedPair> merged(const std::vector<WeightedPair>& pairs,
                                 const std::vector<std::uint32_t>& community) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
  for (const WeightedPair& pair : pairs)
    sums[std::minmax({community[pair.first], community[pair.second]})] += pair.weight;
  std::vector<WeightedPair> result;
  result.reserve(sums.size());
  for (const auto& [ends, weight] : sums) result.push_back({ends.first, ends.second, weight});
  return result;
}

}  // namespace

std::vector<std::uint32_t> louvain(std::uint32_t nodes, const std::vector<WeightedPair>& pairs,
                                   double resolution, RandomStream& order) {
  std::vector<std::uint32_t> result(nodes);
  std::iota(result.begin(), result.end(), 0U);
  std::vector<WeightedPair> level = pairs;
  for (std::uint32_t count = nodes;;) {
    std::vector<std::uint32_t> community(count);
    std::iota(community.begin(), community.end(), 0U);
    if (!move_nodes(rows_of(count, level), resolution, order, community)) return result;
    count = renumber(community);
    for (std::uint32_t& name : result) name = community[name];
    level = merged(level, community);
  }
}

double modularity(const std::vector<WeightedPair>& pairs, const std::vector<std::uint32_t>& communities,
                  double resolution) {
  double total = 0;
  double inside = 0;
  std::vector<double> degrees(communities.size(), 0);
  for (const WeightedPair& pair : pairs) {
    total += pair.weight;
    if (communities[pair.first] == communities[pair.second]) inside += pair.weight;
    degrees[communities[pair.first]] += pair.weight;
    degrees[communities[pair.second]] += pair.weight;
  }
  if (total == 0) return 0;
  double expected = 0;
  for (const double degree : degrees) expected += degree * degree / (4 * total * total);
  return inside / total - resolution * expected;
}

}  // namespace privet::graph
