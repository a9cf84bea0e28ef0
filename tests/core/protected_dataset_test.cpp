#include "privet/core/protected_dataset.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

graph::Dataset star(std::size_t leaves) {
  graph::EdgeList edges;
  for (std::size_t i = 1; i <= leaves; ++i) edges.add(0, static_cast<graph::NodeId>(i));
  graph::Dataset dataset;
  dataset.name = "star";
  dataset.graph = graph::Graph(leaves + 1, std::move(edges), graph::Direction::undirected);
  dataset.features = tensor::Matrix(leaves + 1, 2);
  dataset.labels.assign(leaves + 1, 0);
  dataset.classes = 2;
  return dataset;
}

graph::Split all_training(std::size_t nodes) {
  return {"all", std::vector<graph::Role>(nodes, graph::Role::train)};
}

// One raw entry 0 -> 1 of data that come mirrored is in rows 0 and 1: what counts entries or lists would
// count it once.
TEST(Protect, RefusesMirroredDataWhereEntriesOrListsAreCounted) {
  graph::Dataset dataset = star(3);
  graph::EdgeList raw;
  raw.add(0, 1);
  raw.add(0, 2);
  raw.add(0, 3);
  dataset.directed_graph = graph::Graph(4, std::move(raw), graph::Direction::directed);
  for (const char* unit : {"directed-edge", "local-edge", "record", "record:add-remove", "k-neighbor:1"})
    EXPECT_THROW((void)protect(dataset, all_training(4), Unit::parse(unit)), Unsound) << unit;
  for (const char* unit : {"none", "edge", "node:3"})
    EXPECT_NO_THROW((void)protect(dataset, all_training(4), Unit::parse(unit))) << unit;
  dataset.graph = *dataset.directed_graph;
  dataset.directed_graph.reset();
  EXPECT_NO_THROW((void)protect(dataset, all_training(4), Unit::parse("record")));
}

TEST(Protect, HidesWhatTheUnitProtectsAndNothingElse) {
  struct Case {
    const char* unit;
    bool edges;
    bool people;
  };
  for (const Case& c : {Case{"none", false, false},
                        {"edge", true, false},
                        {"directed-edge", true, false},
                        {"local-edge", true, false},
                        {"k-neighbor:2", true, true},
                        {"node:5", true, true},
                        {"record", true, true}}) {
    const ProtectedDataset data = protect(star(5), all_training(6), Unit::parse(c.unit));
    EXPECT_EQ(data.graph.is_secret(), c.edges) << c.unit;
    EXPECT_EQ(data.features.is_secret(), c.people) << c.unit;
    EXPECT_EQ(data.labels.is_secret(), c.people) << c.unit;
    EXPECT_EQ(data.facts.nodes, 6U);
    EXPECT_EQ(data.facts.features, 2U);
    EXPECT_EQ(data.facts.count(graph::Role::train), 6U);
  }
}

TEST(Protect, ASecretPartIsNeverTakenForPublic) {
  const ProtectedDataset data = protect(star(3), all_training(4), Unit::edge());
  EXPECT_THROW((void)data.graph.visible(), std::logic_error);
  EXPECT_THROW((void)data.labels.secret(), std::logic_error);
}

TEST(Protect, TheBoundOnDegreesIsAPromiseThatIsChecked) {
  EXPECT_NO_THROW((void)protect(star(5), all_training(6), Unit::parse("node:5")));
  try {
    (void)protect(star(6), all_training(7), Unit::parse("node:5"));
    FAIL() << "a broken promise was taken";
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()).find("node 0"), std::string::npos) << "it names nobody";
  }
  graph::Dataset inward = star(6);
  graph::EdgeList edges;
  for (graph::NodeId i = 1; i <= 6; ++i) edges.add(i, 0);
  inward.graph = graph::Graph(7, std::move(edges), graph::Direction::directed);
  EXPECT_THROW((void)protect(inward, all_training(7), Unit::parse("node:5")), DataError)
      << "columns count too";
}

TEST(Protect, RolesMustFitTheData) {
  EXPECT_THROW((void)protect(star(3), all_training(3), Unit::edge()), InvalidArgument);
  graph::Dataset unlabeled = star(3);
  unlabeled.labels[2] = graph::kUnlabeled;
  EXPECT_THROW((void)protect(unlabeled, all_training(4), Unit::edge()), DataError);
}

}  // namespace
}  // namespace privet::privacy
