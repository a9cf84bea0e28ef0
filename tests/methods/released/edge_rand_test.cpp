#include "privet/methods/released/edge_rand.hpp"

#include <gtest/gtest.h>

#include "learn/method_cases.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

using privacy::Unit;
using privacy::testing::Found;
using privacy::testing::Norm;
using privacy::testing::World;

const std::vector<std::string> kQuick = {"width=8", "epochs=10"};

graph::Graph noisy(const std::string& kind, const std::string& unit, double epsilon, std::uint64_t seed,
                   privacy::Rigor rigor = privacy::Rigor::kStrict) {
  EdgeRand method;
  method.options().set("kind", kind);
  SeededStream stream(seed);
  SeededStream noise(seed + 1000);
  privacy::ReleaseLog log;
  Run run{stream, noise, log};
  return method.noisy_graph(request_with(unit, epsilon, rigor), for_prediction(small_graph(), unit), run);
}

TEST(EdgeRand, CertifiesEveryUnitAndKind) {
  for (const char* unit : {"edge", "directed-edge"}) {
    for (const char* kind : {"kind=plain", "kind=asymmetric"}) {
      SCOPED_TRACE(std::string(unit) + " " + kind);
      std::vector<std::string> options = kQuick;
      options.emplace_back(kind);
      const std::unique_ptr<Method> method = method_with("edge-rand", options);
      const RunResult result = run_once(*method, small_graph(), run_with(request_with(unit, 2), 1));
      expect_sound(result, 2);
      EXPECT_EQ(result.certificate.releases.size(), kind == std::string("kind=plain") ? 1U : 2U);
    }
  }
}

TEST(EdgeRand, EdgesAreASet) { expect_edges_are_a_set("edge-rand", kQuick, "edge"); }

TEST(EdgeRand, TheModelIsEnough) {
  expect_model_is_enough("edge-rand", kQuick, "edge", 2);
  expect_model_is_enough("edge-rand", {"width=8", "epochs=10", "network=gcn"}, "directed-edge", 2);
}

TEST(EdgeRand, EveryReleaseHasNoiseOfItsOwn) {
  for (const char* kind : {"plain", "asymmetric"}) {
    EXPECT_EQ(noisy(kind, "edge", 1, 1), noisy(kind, "edge", 1, 1));
    EXPECT_NE(noisy(kind, "edge", 1, 1), noisy(kind, "edge", 1, 2));
  }
}

// About as many edges as there are (five standard deviations of the ones told; the count's noise is far
// below), however small epsilon; a plain response is dense.
TEST(EdgeRand, AsymmetricStaysSparse) {
  const auto truth = static_cast<double>(small_graph().graph.edges());
  for (const double epsilon : {0.5, 2.0, 8.0}) {
    const double slack = 5 * std::sqrt(truth) + 30 / epsilon;
    EXPECT_NEAR(static_cast<double>(noisy("asymmetric", "edge", epsilon, 3).edges()), truth, slack);
    EXPECT_NEAR(static_cast<double>(noisy("asymmetric", "directed-edge", epsilon, 3).stored_entries()),
                2 * truth, 2 * slack);
  }
  EXPECT_GT(static_cast<double>(noisy("plain", "edge", 0.5, 3).edges()), 5 * truth);
  // Nearly no privacy, nearly the graph.
  const graph::Graph near = noisy("plain", "edge", 20, 3);
  EXPECT_EQ(near, small_graph().graph);
}

TEST(EdgeRand, InfersOnAnotherGraphWithABudget) {
  const std::unique_ptr<Method> method = method_with("edge-rand", kQuick);
  method->options().set("gate", "no");
  const Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
  const graph::Dataset other = small_graph(200, 8);
  const InferenceResult one = infer_once(*method, model, other, run_with(request_with("edge", 1), 1));
  EXPECT_TRUE(one.certificate.sound);
  EXPECT_EQ(shown(one.scores).rows(), 200U);
  EXPECT_THROW((void)infer_once(*method, model, other, run_with(request_with("edge", {}), 1)),
               InvalidArgument);
}

TEST(EdgeRand, RefusesWhatItCannotServe) {
  EdgeRand method;
  EXPECT_THROW((void)method.plan(request_with("node:3", 1), facts_with(100)), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("edge", {}), facts_with(100)), InvalidArgument);
  // Known before anything is drawn, from public numbers: 10^5 nodes, 1.3 x 10^9 flips.
  method.options().set("kind", "plain");
  EXPECT_THROW((void)method.plan(request_with("edge", 1), facts_with(100'000)), InvalidArgument);
  EXPECT_NO_THROW((void)method.plan(request_with("edge", 12), facts_with(100'000)));
  method.options().set("kind", "asymmetric");
  EXPECT_NO_THROW((void)method.plan(request_with("edge", 1), facts_with(100'000)));
}

std::vector<double> bits(const graph::Graph& graph, bool pairs) {
  std::vector<double> all;
  for (graph::NodeId i = 0; i < graph.nodes(); ++i)
    for (graph::NodeId j = pairs ? i + 1 : 0; j < graph.nodes(); ++j)
      all.push_back(graph.has_entry(i, j) ? 1 : 0);
  return all;
}

Found bits_that_differ(const Unit& unit, bool pairs, std::size_t nodes = 4) {
  return privacy::testing::search_all(
      nodes, unit, {},
      [&](const World& world, std::size_t) {
        return bits(world.graph(privacy::testing::symmetric(unit)), pairs);
      },
      Norm::l1);
}

// What is told of an edge is one bit; the published code tells two, and pays for one.
TEST(EdgeRand, TellsOneBitOfAnEdge) {
  const Found pairs = bits_that_differ(Unit::edge(), true);
  EXPECT_GT(pairs.pairs, 300U);
  EXPECT_EQ(pairs.largest, 1);
  EXPECT_EQ(bits_that_differ(Unit::directed_edge(), false, 3).largest, 1);
  EXPECT_EQ(bits_that_differ(Unit::edge(), false).largest, 2) << "both entries, as published";
}

TEST(EdgeRand, PublishedDensitiesMoveFurtherThanTheirNoiseIsFor) {
  constexpr std::size_t kNodes = 2000;
  graph::EdgeList edges;
  edges.add(0, 1);
  const graph::Graph with(kNodes, std::move(edges), graph::Direction::directed);
  const graph::Graph without(kNodes, {}, graph::Direction::directed);
  const double moved =
      privacy::testing::distance(published_densities(with), published_densities(without), Norm::l1);
  EXPECT_DOUBLE_EQ(moved, 1.0 / (500.0 * kNodes));
  EXPECT_GT(moved, 3.9 / (1.0 * kNodes * kNodes)) << "n / 500 times what was paid for";
}

TEST(EdgeRand, PaperRigorSaysWhatFails) {
  const std::unique_ptr<Method> method = method_with("edge-rand", kQuick);
  const RunResult result =
      run_once(*method, small_graph(), run_with(request_with("edge", 2, privacy::Rigor::kPaper), 1));
  EXPECT_FALSE(result.certificate.sound);
  EXPECT_EQ(result.certificate.failed_claims.size(), 2U);
  EXPECT_EQ(*result.certificate.claimed_epsilon, 2);
  const auto truth = static_cast<double>(small_graph().graph.stored_entries());
  EXPECT_NEAR(static_cast<double>(noisy("asymmetric", "edge", 2, 3, privacy::Rigor::kPaper).stored_entries()),
              truth, 5 * std::sqrt(truth));
}

}  // namespace
}  // namespace privet::methods::testing
