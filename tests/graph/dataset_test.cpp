#include "privet/graph/dataset.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "privet/base/error.hpp"

namespace privet::graph {
namespace {

Dataset small() {
  Dataset d;
  d.name = "small";
  EdgeList edges;
  edges.add(0, 1);
  d.graph = Graph(3, std::move(edges), Direction::undirected);
  tensor::Matrix features(3, 2);
  features(1, 1) = 2.5F;
  d.features = std::move(features);
  d.labels = {0, 1, kUnlabeled};
  d.classes = 2;
  d.splits = {{"public", {Role::train, Role::validation, Role::test}}};
  return d;
}

TEST(CheckDataset, AcceptsWhatFitsAndNamesWhatDoesNot) {
  check(small(), "x");
  const auto fault = [](const std::function<void(Dataset&)>& spoil) {
    Dataset d = small();
    spoil(d);
    try {
      check(d, "x.npz");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(fault([](Dataset& d) { d.labels[1] = 2; }),
            "x.npz: labels row 1 is 2 (expected 0 to 1, or -1 for unlabeled)");
  EXPECT_EQ(fault([](Dataset& d) { d.labels.pop_back(); }),
            "x.npz: labels has 2 rows (expected 3, one per node)");
  EXPECT_EQ(fault([](Dataset& d) { d.features = tensor::Matrix(2, 2); }),
            "x.npz: features has 2 rows (expected 3, one per node)");
  EXPECT_EQ(fault([](Dataset& d) {
              std::get<tensor::Matrix>(d.features)(2, 1) = std::numeric_limits<float>::infinity();
            }),
            "x.npz: features row 2 column 1 is inf (expected finite numbers)");
  EXPECT_EQ(fault([](Dataset& d) { d.splits[0].roles.pop_back(); }),
            "x.npz: split public has 2 rows (expected 3, one per node)");
  EXPECT_EQ(fault([](Dataset& d) { d.splits.push_back(d.splits[0]); }), "x.npz: split public is there twice");
  EXPECT_EQ(fault([](Dataset& d) { d.class_names = {"a"}; }),
            "x.npz: 1 class names (expected 2, one per class)");
  EXPECT_EQ(fault([](Dataset& d) { d = Dataset{}; }), "x.npz: the graph has no nodes");
}

TEST(Fingerprint, DenseAndSparseStorageOfOneMatrixAgree) {
  Dataset sparse = small();
  sparse.features = tensor::SparseMatrix(3, 2, {0, 0, 1, 1}, {1}, {2.5F});
  EXPECT_EQ(fingerprint(sparse), fingerprint(small()));
  EXPECT_EQ(fingerprint(small()).size(), 64u);
}

TEST(Fingerprint, ChangesWithEveryPartOfTheData) {
  const std::string plain = fingerprint(small());
  const auto changed = [&](const std::function<void(Dataset&)>& change) {
    Dataset d = small();
    change(d);
    return fingerprint(d) != plain;
  };
  EXPECT_TRUE(changed([](Dataset& d) { d.graph = Graph(3, {}, Direction::undirected); }));
  EXPECT_TRUE(changed([](Dataset& d) { std::get<tensor::Matrix>(d.features)(0, 0) = 1; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.labels[2] = 1; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.splits[0].roles[0] = Role::test; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.splits[0].name = "other"; }));
  EXPECT_TRUE(changed([](Dataset& d) { d.classes = 3; }));
  EXPECT_FALSE(changed([](Dataset& d) { d.name = "other"; }));
}

TEST(Split, NodesByRole) {
  const Dataset d = small();
  ASSERT_NE(d.find_split("public"), nullptr);
  EXPECT_EQ(d.find_split("public")->nodes(Role::validation), std::vector<NodeId>{1});
  EXPECT_EQ(d.find_split("public")->count(Role::none), 0u);
  EXPECT_EQ(d.find_split("0"), nullptr);
}

}  // namespace
}  // namespace privet::graph
