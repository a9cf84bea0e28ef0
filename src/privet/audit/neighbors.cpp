#include "privet/audit/neighbors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "privet/audit/structures.hpp"
#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;
using privacy::Unit;
using Entries = std::set<std::pair<NodeId, NodeId>>;

// Units about single entries or lists see an undirected graph as its two entries.
bool counts_entries(const Unit& unit) { return unit.counts_entries() && !unit.bounds_changed_entries(); }

void require_protection(const Unit& unit) {
  if (unit.protects_anything()) return;
  throw InvalidArgument({.what = "the unit none has no neighbours",
                         .where = "--unit",
                         .expected = "what the audit shall try to see: edge, node:D, record, ..."});
}

graph::Graph rebuilt(const graph::Graph& base, bool as_entries, const Entries& without, const Entries& with) {
  const bool undirected = base.undirected() && !as_entries;
  graph::EdgeList edges;
  for (NodeId i = 0; i < base.nodes(); ++i) {
    for (const NodeId j : base.neighbors(i)) {
      if (without.contains({i, j}) || (undirected && without.contains({j, i}))) continue;
      edges.add(i, j);
    }
  }
  for (const auto& [i, j] : with) edges.add(i, j);
  return {base.nodes(), std::move(edges),
          undirected ? graph::Direction::undirected : graph::Direction::directed, "neighbouring graph"};
}

std::vector<ChangedEntry> difference(const graph::Graph& first, const graph::Graph& second) {
  std::vector<ChangedEntry> changed;
  for (NodeId i = 0; i < first.nodes(); ++i) {
    for (const NodeId j : first.neighbors(i)) {
      if (!second.has_entry(i, j)) changed.push_back({i, j, 1});
    }
    for (const NodeId j : second.neighbors(i)) {
      if (!first.has_entry(i, j)) changed.push_back({i, j, -1});
    }
  }
  return changed;
}

void copy_features(graph::Features& features, NodeId from, NodeId to) {
  if (auto* dense = std::get_if<tensor::Matrix>(&features)) {
    const std::vector<float> row(dense->row(from).begin(), dense->row(from).end());
    std::ranges::copy(row, dense->row(to).begin());
  } else if (auto* sparse = std::get_if<tensor::SparseMatrix>(&features)) {
    *sparse = with_row_of(*sparse, from, to);
  }
}

void blank_features(graph::Features& features, NodeId node) {
  if (auto* dense = std::get_if<tensor::Matrix>(&features)) {
    std::ranges::fill(dense->row(node), 0.0F);
  } else if (auto* sparse = std::get_if<tensor::SparseMatrix>(&features)) {
    *sparse = with_row_of(*sparse, {}, node);
  }
}

// Somebody with another label, if a few tries find one.
NodeId somebody_else(const graph::Dataset& dataset, NodeId person, RandomStream& stream) {
  NodeId other = person;
  for (int attempt = 0; attempt < 50; ++attempt) {
    const auto candidate = static_cast<NodeId>(stream.below(dataset.nodes()));
    if (candidate == person) continue;
    other = candidate;
    if (dataset.labels.empty() || (dataset.labels[candidate] != graph::kUnlabeled &&
                                   dataset.labels[candidate] != dataset.labels[person]))
      break;
  }
  return other == person ? (person == 0 ? 1 : 0) : other;
}

// Nodes that are not on the person's list and have room for one more edge.
std::vector<NodeId> newcomers(const graph::Graph& graph, const Unit& unit, NodeId person, std::size_t wanted,
                              RandomStream& stream) {
  const std::size_t bound = unit.bounds_degree() ? unit.max_degree() : graph.nodes();
  const graph::Graph turned = graph.transposed();
  std::vector<NodeId> found;
  for (std::size_t attempt = 0; attempt < 20 * wanted + 100 && found.size() < wanted; ++attempt) {
    const auto node = static_cast<NodeId>(stream.below(graph.nodes()));
    if (node == person || graph.has_entry(person, node) || graph.has_entry(node, person)) continue;
    if (graph.degree(node) >= bound || turned.degree(node) >= bound) continue;
    if (std::ranges::find(found, node) == found.end()) found.push_back(node);
  }
  return found;
}

struct EdgeChange {
  Entries without;
  Entries with;
};

EdgeChange other_edges(const graph::Graph& graph, const Unit& unit, NodeId person, RandomStream& stream) {
  EdgeChange change;
  const bool own_list_only = unit.keeps_to_own_list();
  std::vector<NodeId> own(graph.neighbors(person).begin(), graph.neighbors(person).end());
  std::vector<NodeId> heard;
  if (!own_list_only && !graph.undirected()) {
    const graph::Graph turned = graph.transposed();
    heard.assign(turned.neighbors(person).begin(), turned.neighbors(person).end());
  }
  std::size_t added = own.size();
  if (unit.bounds_changed_entries()) {
    const std::size_t dropped = std::min<std::size_t>(own.size(), unit.k());
    own.resize(dropped);
    heard.resize(std::min<std::size_t>(heard.size(), unit.k()));
    added = unit.k() - dropped;
  }
  for (const NodeId j : own) change.without.insert({person, j});
  for (const NodeId j : heard) change.without.insert({j, person});
  const bool gone = unit.blanks_person();
  if (gone) return change;
  for (const NodeId j : newcomers(graph, unit, person, added, stream)) change.with.insert({person, j});
  return change;
}

void require_node(const graph::Dataset& dataset, NodeId node, const char* where) {
  if (node < dataset.nodes()) return;
  throw InvalidArgument({.what = fmt::format("node {}", node),
                         .where = where,
                         .expected = fmt::format("0 to {}", dataset.nodes() - 1)});
}

NeighborPair by_structure(const graph::Dataset& dataset, const Unit& unit, const std::string& structure,
                          RandomStream& stream) {
  NeighborPair pair = unit.is_about_edges()
                          ? [&] {
                              const graph::Edge edge = pair_of_structure(dataset, structure, stream);
                              return neighbors_by_edge(dataset, unit, edge.from, edge.to);
                            }()
                          : neighbors_by_person(dataset, unit, node_of_structure(dataset, structure, stream), stream);
  pair.name = structure;
  return pair;
}

}  // namespace

std::vector<std::string> neighbor_structures(const Unit& unit) {
  if (unit.is_about_edges())
    return {"pendant-hub", "bridge", "highest-degree", "isolated", "duplicate", "random"};
  return {"hub", "isolated", "pendant", "duplicate", "random"};
}

NeighborPair make_neighbors(const graph::Dataset& dataset, const Unit& unit, const std::string& structure,
                            RandomStream& stream) {
  require_protection(unit);
  if (dataset.nodes() < 3) {
    throw DataError({.what = fmt::format("{} nodes", dataset.nodes()),
                     .where = dataset.name,
                     .expected = "at least 3 to have neighbouring data sets"});
  }
  const std::vector<std::string> known = neighbor_structures(unit);
  if (std::ranges::find(known, structure) == known.end()) {
    throw InvalidArgument({.what = fmt::format("'{}'", structure),
                           .where = "--neighbor",
                           .expected = fmt::format("{}, or search", fmt::join(known, ", ")),
                           .remedy = suggestion(structure, known)});
  }
  return by_structure(dataset, unit, structure, stream);
}

NeighborPair neighbors_by_edge(const graph::Dataset& dataset, const Unit& unit, NodeId u, NodeId v) {
  require_protection(unit);
  require_node(dataset, u, "--pair");
  require_node(dataset, v, "--pair");
  if (!unit.is_about_edges() || u == v) {
    throw InvalidArgument({.what = u == v ? "a node has no edge to itself" : "a pair of nodes",
                           .where = "--pair",
                           .expected = u == v ? "two nodes" : "one node for a unit about people",
                           .remedy = u == v ? "" : "use --node"});
  }
  const bool entries = counts_entries(unit);
  const bool both = dataset.graph.undirected() && !entries;
  NeighborPair pair{.name = fmt::format("pair {},{}", u, v),
                    .description = fmt::format("{} {} {} is there in one world and not in the other; {} in "
                                               "the data; degrees {} and {}",
                                               both ? "the edge" : "the entry", u, v,
                                               dataset.graph.has_entry(u, v) ? "it is" : "it is not",
                                               dataset.graph.degree(u), dataset.graph.degree(v)),
                    .first = dataset,
                    .second = dataset};
  pair.first.directed_graph.reset();
  pair.second.directed_graph.reset();
  pair.first.graph = rebuilt(dataset.graph, entries, {}, {{u, v}});
  pair.second.graph = rebuilt(dataset.graph, entries, {{u, v}}, {});
  pair.changed = difference(pair.first.graph, pair.second.graph);
  return pair;
}

NeighborPair neighbors_by_person(const graph::Dataset& dataset, const Unit& unit, NodeId person,
                                 RandomStream& stream) {
  require_protection(unit);
  require_node(dataset, person, "--node");
  if (unit.is_about_edges()) {
    throw InvalidArgument({.what = "one node",
                           .where = "--node",
                           .expected = "a pair of nodes for a unit about edges",
                           .remedy = "use --pair u,v"});
  }
  const bool gone = unit.blanks_person();
  NeighborPair pair{
      .name = fmt::format("node {}", person),
      .description = fmt::format("node {} with {} edges is there in one world and {} in the other", person,
                                 dataset.graph.degree(person), gone ? "gone" : "somebody else"),
      .first = dataset,
      .second = dataset,
      .person = person};
  const bool entries = counts_entries(unit);
  const EdgeChange change = other_edges(dataset.graph, unit, person, stream);
  pair.first.directed_graph.reset();
  pair.second.directed_graph.reset();
  pair.first.graph = rebuilt(dataset.graph, entries, {}, {});
  pair.second.graph = rebuilt(dataset.graph, entries, change.without, change.with);
  pair.changed = difference(pair.first.graph, pair.second.graph);
  if (gone) {
    blank_features(pair.second.features, person);
    if (!pair.second.labels.empty()) pair.second.labels[person] = graph::kUnlabeled;
  } else {
    const NodeId other = somebody_else(dataset, person, stream);
    copy_features(pair.second.features, other, person);
    if (!pair.second.labels.empty()) pair.second.labels[person] = dataset.labels[other];
  }
  return pair;
}

NeighborPair search_neighbors(const graph::Dataset& dataset, const Unit& unit, std::uint64_t steps,
                              const std::function<double(const NeighborPair& pair)>& worth,
                              RandomStream& stream) {
  std::optional<NeighborPair> best;
  double most = 0;
  const auto offer = [&](NeighborPair pair) {
    const double value = worth(pair);
    if (best && !(value > most)) return;
    most = value;
    best = std::move(pair);
  };
  for (const std::string& structure : neighbor_structures(unit))
    offer(make_neighbors(dataset, unit, structure, stream));
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto any = static_cast<NodeId>(stream.below(dataset.nodes()));
    if (!unit.is_about_edges()) {
      offer(neighbors_by_person(dataset, unit, any, stream));
    } else if (!best->changed.empty()) {
      const ChangedEntry kept = best->changed.front();
      const NodeId end = stream.below(2) == 0 ? kept.row : kept.column;
      if (any != end) offer(neighbors_by_edge(dataset, unit, end, any));
    }
  }
  best->name = fmt::format("search: {}", best->name);
  return std::move(*best);
}

}  // namespace privet::audit
