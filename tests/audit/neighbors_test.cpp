#include "privet/audit/neighbors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "privet/audit/structures.hpp"
#include "privet/base/error.hpp"
#include "privet/core/protected_dataset.hpp"
#include "privet/graph/generate.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;
using privacy::Unit;

graph::Dataset small() {
  graph::DcsbmOptions options;
  options.nodes = 80;
  options.mean_degree = 4;
  options.features = 12;
  return graph::make_dcsbm(options, 3);
}

std::size_t largest_degree(const graph::Graph& graph) {
  std::size_t largest = 0;
  for (NodeId i = 0; i < graph.nodes(); ++i) largest = std::max(largest, graph.degree(i));
  return largest;
}

TEST(Neighbors, EdgesDifferInOneEdge) {
  const graph::Dataset data = small();
  SeededStream stream(1);
  for (const std::string& structure : neighbor_structures(Unit::edge())) {
    const NeighborPair pair = make_neighbors(data, Unit::edge(), structure, stream);
    ASSERT_EQ(pair.changed.size(), 2U) << structure;
    const ChangedEntry entry = pair.changed.front();
    EXPECT_TRUE(pair.first.graph.has_entry(entry.row, entry.column));
    EXPECT_FALSE(pair.second.graph.has_entry(entry.row, entry.column));
    EXPECT_EQ(pair.first.graph.edges(), pair.second.graph.edges() + 1);
    EXPECT_EQ(pair.first.features, pair.second.features);
    EXPECT_EQ(pair.first.labels, pair.second.labels);
    EXPECT_FALSE(pair.person);
  }
}

TEST(Neighbors, EntriesDifferInOneEntry) {
  const graph::Dataset data = small();
  const NeighborPair pair = neighbors_by_edge(data, Unit::directed_edge(), 3, 7);
  ASSERT_EQ(pair.changed.size(), 1U);
  EXPECT_EQ(pair.changed[0].row, 3U);
  EXPECT_EQ(pair.changed[0].column, 7U);
  EXPECT_FALSE(pair.first.graph.undirected());
  EXPECT_EQ(pair.second.graph.stored_entries() + 1, pair.first.graph.stored_entries());
}

TEST(Neighbors, StructuresAreWhatTheySay) {
  const graph::Dataset data = small();
  SeededStream stream(2);
  const NeighborPair hubs = make_neighbors(data, Unit::edge(), "highest-degree", stream);
  const std::size_t most = largest_degree(data.graph);
  EXPECT_TRUE(data.graph.degree(hubs.changed[0].row) == most ||
              data.graph.degree(hubs.changed[0].column) == most);
  const NeighborPair pendant = make_neighbors(data, Unit::edge(), "pendant-hub", stream);
  EXPECT_TRUE(data.graph.degree(pendant.changed[0].row) == most ||
              data.graph.degree(pendant.changed[0].column) == most);
  const NeighborPair hub =
      make_neighbors(data, Unit::node(most, privacy::Adjacency::add_remove), "hub", stream);
  EXPECT_EQ(data.graph.degree(*hub.person), most);
}

TEST(Neighbors, ABridgeCutsTheGraph) {
  graph::EdgeList edges;
  for (const auto& [a, b] : {std::pair(0U, 1U), std::pair(1U, 2U), std::pair(2U, 0U), std::pair(2U, 3U),
                             std::pair(3U, 4U), std::pair(4U, 5U), std::pair(5U, 3U), std::pair(5U, 6U)})
    edges.add(a, b);
  const auto bridge = find_bridge(graph::Graph(7, std::move(edges), graph::Direction::undirected));
  ASSERT_TRUE(bridge);  // 2-3; the edge to the pendant 6 is the second choice
  EXPECT_EQ(std::min(bridge->from, bridge->to), 2U);
  EXPECT_EQ(std::max(bridge->from, bridge->to), 3U);
  graph::EdgeList ring;
  for (NodeId i = 0; i < 5; ++i) ring.add(i, (i + 1) % 5);
  EXPECT_FALSE(find_bridge(graph::Graph(5, std::move(ring), graph::Direction::undirected)));
}

TEST(Neighbors, APersonIsGoneOrAnother) {
  const graph::Dataset data = small();
  const std::size_t bound = largest_degree(data.graph);
  SeededStream stream(4);
  const auto changed_at_person_only = [](const NeighborPair& pair) {
    return std::ranges::all_of(pair.changed, [&](const ChangedEntry& entry) {
      return entry.row == *pair.person || entry.column == *pair.person;
    });
  };
  const NeighborPair gone =
      neighbors_by_person(data, Unit::node(bound, privacy::Adjacency::add_remove), 5, stream);
  EXPECT_EQ(gone.second.graph.degree(5), 0U);
  EXPECT_EQ(gone.second.labels[5], graph::kUnlabeled);
  EXPECT_TRUE(changed_at_person_only(gone));

  const NeighborPair other =
      neighbors_by_person(data, Unit::node(bound, privacy::Adjacency::replace), 5, stream);
  EXPECT_LE(largest_degree(other.second.graph), bound);
  EXPECT_NE(other.first.labels[5], other.second.labels[5]);
  EXPECT_TRUE(changed_at_person_only(other));
  EXPECT_FALSE(other.changed.empty());

  const NeighborPair few = neighbors_by_person(data, Unit::k_neighbor(2), 5, stream);
  EXPECT_LE(few.changed.size(), 4U);
  EXPECT_TRUE(changed_at_person_only(few));

  const NeighborPair record = neighbors_by_person(data, Unit::record(privacy::Adjacency::replace), 5, stream);
  EXPECT_TRUE(std::ranges::all_of(record.changed, [](const ChangedEntry& entry) { return entry.row == 5; }));

  // Both worlds are data that the unit accepts.
  const graph::Split split{"all", std::vector<graph::Role>(data.nodes(), graph::Role::train)};
  EXPECT_NO_THROW(
      (void)privacy::protect(gone.second, split, Unit::node(bound, privacy::Adjacency::add_remove)));
  EXPECT_NO_THROW(
      (void)privacy::protect(other.second, split, Unit::node(bound, privacy::Adjacency::replace)));
}

TEST(Neighbors, TheSearchKeepsTheBest) {
  const graph::Dataset data = small();
  SeededStream stream(5);
  // Worth most: ends with high ids.
  const auto worth = [](const NeighborPair& pair) {
    return static_cast<double>(pair.changed.front().row + pair.changed.front().column);
  };
  const NeighborPair pair = search_neighbors(data, Unit::edge(), 400, worth, stream);
  EXPECT_GE(worth(pair), 79 + 70);
  EXPECT_EQ(pair.name.rfind("search", 0), 0U);
}

TEST(Neighbors, RefusesWhatIsNoPair) {
  const graph::Dataset data = small();
  SeededStream stream(6);
  EXPECT_THROW((void)make_neighbors(data, Unit::none(), "random", stream), InvalidArgument);
  EXPECT_THROW((void)make_neighbors(data, Unit::edge(), "brige", stream), InvalidArgument);
  EXPECT_THROW((void)neighbors_by_edge(data, Unit::edge(), 3, 3), InvalidArgument);
  EXPECT_THROW((void)neighbors_by_edge(data, Unit::edge(), 3, 80), InvalidArgument);
  EXPECT_THROW((void)neighbors_by_edge(data, Unit::k_neighbor(1), 3, 4), InvalidArgument);
  EXPECT_THROW((void)neighbors_by_person(data, Unit::edge(), 3, stream), InvalidArgument);
}

TEST(Neighbors, SparseRowsAreExchanged) {
  const tensor::SparseMatrix matrix(3, 4, {0, 2, 3, 3}, {0, 2, 1}, {1, 2, 3});
  EXPECT_EQ(with_row_of(matrix, 0, 2),
            tensor::SparseMatrix(3, 4, {0, 2, 3, 5}, {0, 2, 1, 0, 2}, {1, 2, 3, 1, 2}));
  EXPECT_EQ(with_row_of(matrix, {}, 0), tensor::SparseMatrix(3, 4, {0, 0, 1, 1}, {1}, {3}));
}

}  // namespace
}  // namespace privet::audit
