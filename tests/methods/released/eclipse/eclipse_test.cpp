#include "privet/methods/released/eclipse/eclipse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/simulation.hpp"
#include "learn/method_cases.hpp"
#include "privet/base/distributions.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/tensor/eigenpairs.hpp"

namespace privet::methods::testing {
namespace {

using privacy::Rigor;
using privacy::Unit;
using privacy::testing::Norm;
using privacy::testing::World;

const std::vector<std::string> kQuick = {"width=8", "epochs=10"};

std::vector<std::string> quick_with(const std::string& basis, const std::string& readout) {
  return {"width=8", "epochs=10", "basis=" + basis, "readout=" + readout, "rank=6"};
}

TEST(Eclipse, StrictIsSoundWithEveryBasisAndReadout) {
  for (const char* basis : {"features", "iterated", "noisy-matrix"}) {
    for (const char* readout : {"rows", "graph", "both"}) {
      SCOPED_TRACE(std::string(basis) + " " + readout);
      const std::unique_ptr<Method> method = method_with("eclipse", quick_with(basis, readout));
      const RunResult result = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1));
      expect_sound(result, 2);
      for (const privacy::UnaccountedUse& use : result.certificate.unaccounted)
        EXPECT_EQ(use.what.find("singular"), std::string::npos);
    }
  }
}

TEST(Eclipse, PaperNamesWhatFails) {
  const std::unique_ptr<Method> method = method_with("eclipse", kQuick);
  for (const double epsilon : {0.5, 4.0}) {
    const RunResult result =
        run_once(*method, small_graph(), run_with(request_with("edge", epsilon, Rigor::kPaper), 1));
    EXPECT_FALSE(result.certificate.sound);
    EXPECT_FALSE(result.certificate.epsilon.has_value());
    EXPECT_EQ(*result.certificate.claimed_epsilon, epsilon);
    ASSERT_EQ(result.certificate.failed_claims.size(), epsilon < 1 ? 1U : 2U);
    EXPECT_NE(result.certificate.failed_claims[0].find("singular vectors"), std::string::npos);
    EXPECT_TRUE(std::ranges::any_of(result.certificate.unaccounted, [](const privacy::UnaccountedUse& use) {
      return use.what == "singular vectors of the adjacency matrix";
    }));
  }
}

TEST(Eclipse, EdgesAreASet) {
  expect_edges_are_a_set("eclipse", kQuick, "edge");
  expect_edges_are_a_set("eclipse", quick_with("iterated", "both"), "edge");
}

TEST(Eclipse, TheModelIsEnough) {
  expect_model_is_enough("eclipse", kQuick, "edge", 2);
  expect_model_is_enough("eclipse", quick_with("iterated", "both"), "edge", 2);
  expect_model_is_enough("eclipse", kQuick, "none", {});
}

TEST(Eclipse, InfersOnAnotherGraphWithABudget) {
  for (const char* basis : {"features", "noisy-matrix"}) {
    std::vector<std::string> options = quick_with(basis, "both");
    options.emplace_back("gate=no");
    const std::unique_ptr<Method> method = method_with("eclipse", options);
    const Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
    const InferenceResult one =
        infer_once(*method, model, small_graph(200, 8), run_with(request_with("edge", 1), 1));
    EXPECT_TRUE(one.certificate.sound);
    EXPECT_EQ(shown(one.scores).rows(), 200U);
  }
}

TEST(Eclipse, AModelAsPublishedReadsNoOtherGraph) {
  const std::unique_ptr<Method> method = method_with("eclipse", kQuick);
  const Model model =
      run_once(*method, small_graph(), run_with(request_with("edge", 2, Rigor::kPaper), 1)).model;
  EXPECT_THROW((void)infer_once(*method, model, small_graph(200, 8), run_with(request_with("edge", 1), 1)),
               Unsound);
}

// sqrt(2 ln(1.25 / delta)) sqrt 2 / (0.99 epsilon): 7.57 at epsilon 1 and delta 1e-6, as the fact sheet of
// the published code has it.
TEST(Eclipse, PublishedNoiseIsThatOfTheCode) {
  EXPECT_NEAR(published_eclipse_stddev(0.99, 1e-6), 7.57, 0.005);
  EXPECT_NEAR(published_eclipse_stddev(0.99, 1e-7), 8.17, 0.005);
  EXPECT_NEAR(published_eclipse_stddev(0.99, 1e-8), 8.72, 0.005);
}

std::vector<double> singular_values(const World& world, std::size_t) {
  std::vector<double> sizes =
      tensor::leading_eigenpairs(graph::plain_adjacency(world.graph(true)), world.nodes).values;
  for (double& value : sizes) value = std::abs(value);
  return sizes;
}

// All graphs of five nodes: singular values move by at most sqrt 2, and reach it for a lone edge.
TEST(Eclipse, SingularValuesMoveByTheirSensitivity) {
  const privacy::testing::Found found =
      privacy::testing::search_all(5, Unit::edge(), {.rows = {{1.0}}}, &singular_values, Norm::l2);
  EXPECT_GT(found.pairs, 10000U);
  EXPECT_LE(found.largest, std::numbers::sqrt2 * (1 + 1e-9));
  EXPECT_GT(found.largest, std::numbers::sqrt2 * (1 - 1e-9));
}

// The product with a basis of rows of norm 1, as it is released: sqrt 2, by hill climbing.
TEST(Eclipse, ProductsMoveByTheirSensitivity) {
  SeededStream stream(11);
  const privacy::testing::Found found = privacy::testing::search_uphill(
      {.nodes = 8, .columns = 3, .starts = 4, .steps = 500}, Unit::edge(),
      [](const World& world, std::size_t) { return released_sums(world.graph(true), world.matrix(), {}); },
      Norm::l2, stream);
  const double stated =
      privacy::neighbor_sum_sensitivity(Unit::edge(), {.row_bound = 1, .columns = 3}).l2().value();
  EXPECT_LE(found.largest, stated * (1 + 1e-6));
  EXPECT_GT(found.largest, 0.99 * stated);
}

// Why paper rigor has no epsilon: a pendant node's edge to a hub. Without the edge the node's rows of the
// singular vectors are 0 and it can't be among the largest entries, whatever the noise; with it, it
// often is. Far more than the claimed epsilon allows (false alarm 2e-6).
TEST(Eclipse, ThePublishedGraphTellsAPendantEdge) {
  graph::Dataset data = small_graph(120);
  graph::EdgeList edges;
  for (graph::NodeId i = 0; i < 119; ++i)
    for (const graph::NodeId j : data.graph.neighbors(i))
      if (j < 119) edges.add(i, j);
  for (graph::NodeId j = 1; j < 60; ++j) edges.add(0, j);
  graph::EdgeList more = edges;
  more.add(0, 119);
  const graph::Graph without(120, std::move(edges), graph::Direction::undirected);
  const graph::Graph with(120, std::move(more), graph::Direction::undirected);
  const AuditSampler sampler = published_eclipse_sampler({.rank = 10}, request_with("edge", 1, Rigor::kPaper),
                                                         {.first = with, .second = without});
  SeededStream noise(1);
  std::vector<double> here(400);
  std::vector<double> there(400);
  sampler.draw(false, here, noise);
  sampler.draw(true, there, noise);
  const privacy::testing::TwoWorlds seen{
      .draws = 400,
      .likely = static_cast<std::uint64_t>(std::ranges::count(here, 1.0)),
      .unlikely = static_cast<std::uint64_t>(std::ranges::count(there, 1.0))};
  EXPECT_EQ(seen.unlikely, 0U);
  EXPECT_GT(privacy::testing::measured_epsilon(seen, 1e-6), 2);
}

TEST(Eclipse, BasisRowsHaveNormAtMostOne) {
  const graph::Dataset data = small_graph();
  const privacy::ProtectedDataset open =
      privacy::protect(data, draw_split(data, Unit::edge(), Rigor::kStrict, "75/10/15", 1), Unit::edge());
  SeededStream stream(1);
  SeededStream noise(2);
  privacy::ReleaseLog log;
  methods::Run run{stream, noise, log};
  std::vector<tensor::NamedMatrix> tensors;
  const tensor::Matrix basis = class_basis(open, run, nullptr, tensors);
  EXPECT_FALSE(tensors.empty());
  EXPECT_TRUE(log.releases().empty());
  for (std::size_t i = 0; i < basis.rows(); ++i) {
    double squares = 0;
    for (const float value : basis.row(i)) squares += static_cast<double>(value * value);
    EXPECT_LE(squares, 1 + 1e-6);
  }
}

// An attack may ask the network along the graph that was released, where the network reads nothing else.
TEST(Eclipse, ShowsItsReleasedGraphToAttacks) {
  const graph::Dataset data = small_graph();
  const auto shown = [&](const std::string& readout, Rigor rigor) {
    const std::unique_ptr<Method> method = method_with("eclipse", quick_with("features", readout));
    const privacy::ProtectedDataset open =
        privacy::protect(data, draw_split(data, Unit::edge(), Rigor::kStrict, "75/10/15", 1), Unit::edge());
    SeededStream stream(1);
    SeededStream noise(2);
    privacy::ReleaseLog log;
    methods::Run run{stream, noise, log};
    return method->released_graph(request_with("edge", 2, rigor), open, run);
  };
  EXPECT_TRUE(shown("rows", Rigor::kPaper));
  EXPECT_TRUE(shown("graph", Rigor::kStrict));
  EXPECT_FALSE(shown("rows", Rigor::kStrict));
  EXPECT_FALSE(shown("both", Rigor::kStrict));
}

TEST(Eclipse, RefusesWhatItCannotServe) {
  const Eclipse method;
  EXPECT_THROW((void)method.plan(request_with("node:3", 1), facts_with(100)), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("edge", {}), facts_with(100)), InvalidArgument);
}

}  // namespace
}  // namespace privet::methods::testing
