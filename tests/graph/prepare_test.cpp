#include "privet/graph/prepare.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"

namespace privet::graph {
namespace {

// 0-1-2 of class 0 0 1, 3-4 of class 1 1, 5 alone and unlabeled.
Dataset example() {
  Dataset d;
  d.name = "example";
  EdgeList edges;
  for (const Edge e : {Edge{0, 1}, {1, 2}, {3, 4}}) edges.add(e.from, e.to);
  d.graph = Graph(6, std::move(edges), Direction::undirected);
  d.features = tensor::SparseMatrix(6, 3, {0, 1, 2, 4, 4, 5, 6}, {0, 1, 0, 2, 1, 2}, {});
  d.labels = {0, 0, 2, 2, 2, kUnlabeled};
  d.classes = 3;
  d.class_names = {"a", "b", "c"};
  d.splits = {{"s", {Role::train, Role::test, Role::train, Role::test, Role::validation, Role::none}}};
  d.node_names = {"n0", "n1", "n2", "n3", "n4", "n5"};
  return d;
}

std::string fault_of(const char* text) {
  try {
    prepare(example(), parse_prepare(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Prepare, MinClassDropsSmallClassesUnlabeledNodesAndRenumbers) {
  const Dataset d = prepare(example(), parse_prepare("min-class=3"));
  check(d, "prepared");
  EXPECT_EQ(d.nodes(), 3u);
  EXPECT_EQ(d.classes, 1u);
  EXPECT_EQ(d.class_names, std::vector<std::string>{"c"});
  EXPECT_EQ(d.labels, (std::vector<std::int32_t>{0, 0, 0}));
  EXPECT_EQ(d.node_names, (std::vector<std::string>{"n2", "n3", "n4"}));
  EXPECT_EQ(d.graph.edges(), 1u);
  EXPECT_TRUE(d.graph.has_entry(1, 2));
  EXPECT_EQ(d.splits[0].roles, (std::vector<Role>{Role::train, Role::test, Role::validation}));
  EXPECT_EQ(std::get<tensor::SparseMatrix>(d.features).entries(), 3u);
}

TEST(Prepare, MinClassOneDropsOnlyWhatHasNoLabel) {
  const Dataset d = prepare(example(), parse_prepare("min-class=1"));
  EXPECT_EQ(d.nodes(), 5u);
  EXPECT_EQ(d.classes, 2u);  // class b is empty
}

TEST(Prepare, ClassesKeepEveryNodeAndForgetOtherLabels) {
  const Dataset before = example();
  const Dataset d = prepare(before, parse_prepare("classes=c"));
  check(d, "prepared");
  EXPECT_EQ(d.nodes(), before.nodes());
  EXPECT_EQ(d.graph, before.graph);
  EXPECT_EQ(d.classes, 1u);
  EXPECT_EQ(d.class_names, std::vector<std::string>{"c"});
  for (std::size_t i = 0; i < d.nodes(); ++i) EXPECT_EQ(d.labels[i], before.labels[i] == 2 ? 0 : kUnlabeled);
  EXPECT_FALSE(parse_prepare("classes=c")[0].reads_labels());
  EXPECT_EQ(parse_prepare("classes=a+c")[0].text(), "classes=a+c");
  EXPECT_EQ(fault_of("classes"), "prepare: 'classes' (expected classes=A+B+C)");
  EXPECT_EQ(fault_of("classes=a++c"),
            "prepare classes: 'a++c' (expected names of classes with + between, each once)");
}

// A node's label decides its own label afterwards and nothing else: safe where labels are protected.
TEST(Prepare, ClassesMoveNobodyWhenALabelChanges) {
  Dataset one = example();
  Dataset other = example();
  other.labels[3] = kUnlabeled;
  one = prepare(one, parse_prepare("classes=a+c"));
  other = prepare(other, parse_prepare("classes=a+c"));
  one.labels[3] = other.labels[3];
  EXPECT_EQ(one.labels, other.labels);
  EXPECT_EQ(one.nodes(), other.nodes());
  EXPECT_EQ(one.classes, other.classes);
}

// That a declared class is there must not show that somebody has it.
TEST(Prepare, ADeclaredClassMayBeNobodys) {
  Dataset somebody = example();
  Dataset nobody = example();
  nobody.class_names = {"a", "b"};
  nobody.classes = 2;
  for (std::int32_t& label : nobody.labels) label = label == 2 ? kUnlabeled : label;
  somebody = prepare(somebody, parse_prepare("classes=a+c+z"));
  nobody = prepare(nobody, parse_prepare("classes=a+c+z"));
  check(nobody, "prepared");
  EXPECT_EQ(nobody.classes, 3u);
  EXPECT_EQ(nobody.class_names, somebody.class_names);
  EXPECT_EQ(nobody.nodes(), somebody.nodes());
  // Classes without names are numbers.
  Dataset numbered = example();
  numbered.class_names.clear();
  EXPECT_EQ(prepare(numbered, parse_prepare("classes=0+7")).classes, 2u);
}

TEST(Prepare, IsolatedNodesAndComponents) {
  EXPECT_EQ(prepare(example(), parse_prepare("drop-isolated")).nodes(), 5u);
  const Dataset d = prepare(example(), parse_prepare("largest-component"));
  EXPECT_EQ(d.node_names, (std::vector<std::string>{"n0", "n1", "n2"}));
}

TEST(Prepare, RowNormalize) {
  const Dataset d = prepare(example(), parse_prepare("row-normalize"));
  const auto& features = std::get<tensor::SparseMatrix>(d.features);
  EXPECT_EQ(features.value(0), 1.0F);
  EXPECT_EQ(features.value(2), 0.5F);
}

TEST(Prepare, StandardizedFeaturesHaveMeanZeroAndVarianceOne) {
  Dataset d = example();
  tensor::Matrix rows(6, 3);
  for (std::size_t i = 0; i < 6; ++i) {
    rows(i, 0) = static_cast<float>(1000 * i);
    rows(i, 1) = 0.1F;
    rows(i, 2) = i == 4 ? 1.0F : 0.0F;
  }
  d.features = rows;
  const auto made = std::get<tensor::Matrix>(prepare(d, parse_prepare("standardize")).features);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(made(i, 0), (static_cast<double>(i) - 2.5) / std::sqrt(35.0 / 12), 1e-6);
    EXPECT_EQ(made(i, 1), 0.0F);  // nobody can be told apart by it
    EXPECT_NEAR(made(i, 2), i == 4 ? std::sqrt(5.0) : -std::sqrt(0.2), 1e-6);
  }
}

TEST(Prepare, SparseFeaturesAreStandardizedLikeDenseOnes) {
  Dataset d = example();
  const auto& sparse = std::get<tensor::SparseMatrix>(d.features);
  tensor::Matrix dense(sparse.rows(), sparse.columns());
  for (std::size_t i = 0; i < sparse.rows(); ++i) {
    for (std::uint64_t k = sparse.offsets()[i]; k < sparse.offsets()[i + 1]; ++k)
      dense(i, sparse.column_indices()[k]) = sparse.value(k);
  }
  const Features made = prepare(d, parse_prepare("standardize")).features;
  d.features = dense;
  EXPECT_EQ(prepare(d, parse_prepare("standardize")).features, made);
  d.features = {};
  EXPECT_EQ(feature_columns(prepare(d, parse_prepare("standardize")).features), 0U);
}

TEST(Prepare, DirectedUsesTheRawEdges) {
  Dataset d = example();
  EdgeList edges;
  edges.add(1, 0);
  d.directed_graph = Graph(6, std::move(edges), Direction::directed);
  const Dataset directed = prepare(d, parse_prepare("directed"));
  EXPECT_FALSE(directed.graph.undirected());
  EXPECT_EQ(directed.graph.stored_entries(), 1u);
  EXPECT_EQ(prepare(directed, parse_prepare("directed")).graph, directed.graph);  // it is that already
  EXPECT_EQ(prepare(directed, parse_prepare("symmetrize")).graph.stored_entries(), 2u);
  EXPECT_EQ(fault_of("directed"), "prepare directed: 'example' was published undirected");
}

TEST(Prepare, ReverseTurnsEntriesAround) {
  Dataset d = example();
  EdgeList edges;
  edges.add(1, 0);
  d.directed_graph = Graph(6, std::move(edges), Direction::directed);
  for (const char* steps : {"directed,reverse", "reverse,directed"}) {
    const Dataset turned = prepare(d, parse_prepare(steps));
    EXPECT_TRUE(turned.graph.has_entry(0, 1)) << steps;
    EXPECT_FALSE(turned.graph.has_entry(1, 0)) << steps;
    EXPECT_EQ(turned.graph.stored_entries(), 1u) << steps;
  }
  EXPECT_EQ(prepare(d, parse_prepare("reverse")).graph, d.graph) << "edges without direction stay";
}

TEST(Prepare, AConstantFeatureStandsInForNone) {
  Dataset without = example();
  without.features = {};
  const Dataset d = prepare(without, parse_prepare("constant-feature"));
  check(d, "prepared");
  const auto& rows = std::get<tensor::Matrix>(d.features);
  ASSERT_EQ(rows.columns(), 1u);
  for (NodeId i = 0; i < d.nodes(); ++i) EXPECT_EQ(rows(i, 0), 1.0F);
  EXPECT_FALSE(parse_prepare("constant-feature").front().reads_edges());
  EXPECT_FALSE(parse_prepare("constant-feature").front().reads_labels());
  EXPECT_EQ(fault_of("constant-feature"),
            "prepare constant-feature: 'example' has features (expected data without any)");
}

TEST(Prepare, StepsSayWhatTheyRead) {
  const auto steps = parse_prepare("min-class=2,drop-isolated,row-normalize");
  EXPECT_TRUE(steps[0].reads_labels());
  EXPECT_FALSE(steps[0].reads_edges());
  EXPECT_TRUE(steps[1].reads_edges());
  EXPECT_FALSE(steps[2].reads_edges() || steps[2].reads_labels() || steps[2].mixes_features());
  EXPECT_TRUE(parse_prepare("standardize").front().mixes_features());
  EXPECT_EQ(steps[0].text(), "min-class=2");
}

TEST(Prepare, SpacesAroundCommasMeanNothing) {
  const auto steps = parse_prepare(" min-class=2 , drop-isolated,  row-normalize ");
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].text(), "min-class=2");
  EXPECT_EQ(steps[1].text(), "drop-isolated");
  EXPECT_EQ(steps[2].text(), "row-normalize");
  EXPECT_EQ(fault_of("drop isolated"), "prepare: no step 'drop isolated'; did you mean 'drop-isolated'?");
}

TEST(Prepare, FaultsNameTheStep) {
  EXPECT_EQ(fault_of("drop-isolate"), "prepare: no step 'drop-isolate'; did you mean 'drop-isolated'?");
  EXPECT_EQ(fault_of("min-class"), "prepare: 'min-class' (expected min-class=N)");
  EXPECT_EQ(fault_of("directed=1"), "prepare: 'directed=1' (expected no value behind this step)");
  EXPECT_EQ(fault_of("min-class=100"), "prepare min-class: no class has 100 nodes");
}

}  // namespace
}  // namespace privet::graph
