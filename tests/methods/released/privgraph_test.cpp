#include "privet/methods/released/privgraph.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/neighbor_search.hpp"
#include "learn/method_cases.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

const std::vector<std::string> kQuick = {"width=8", "epochs=10"};

graph::Graph drawn(double epsilon, std::uint64_t seed) {
  const PrivGraph method;
  SeededStream stream(seed);
  SeededStream noise(seed + 1000);
  privacy::ReleaseLog log;
  Run run{stream, noise, log};
  return method.release(request_with("edge", epsilon), for_prediction(small_graph(), "edge"), run, nullptr)
      .graph;
}

TEST(PrivGraph, CertifiesBothRigors) {
  for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
    const std::unique_ptr<Method> method = method_with("privgraph", kQuick);
    const RunResult result = run_once(*method, small_graph(), run_with(request_with("edge", 2, rigor), 1));
    expect_sound(result, 2);
    ASSERT_EQ(result.certificate.releases.size(), 3U);
    EXPECT_EQ(result.certificate.releases[1].mechanism, "neighbor-choice");
  }
}

TEST(PrivGraph, EdgesAreASet) { expect_edges_are_a_set("privgraph", kQuick, "edge"); }

TEST(PrivGraph, TheModelIsEnough) { expect_model_is_enough("privgraph", kQuick, "edge", 2); }

TEST(PrivGraph, InfersOnAnotherGraphWithABudget) {
  const std::unique_ptr<Method> method = method_with("privgraph", {"width=8", "epochs=10", "gate=no"});
  const Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
  const InferenceResult one =
      infer_once(*method, model, small_graph(200, 8), run_with(request_with("edge", 1), 1));
  EXPECT_TRUE(one.certificate.sound);
  EXPECT_EQ(shown(one.scores).rows(), 200U);
}

// With an ample budget the counts are exact: edges inside a community come by chance, standard deviation at
// most the root of their number, plus places lost to degrees above the root of a community's sum.
TEST(PrivGraph, HasAboutAsManyEdges) {
  const auto truth = static_cast<double>(small_graph().graph.edges());
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_NEAR(static_cast<double>(drawn(1000, seed).edges()), truth, 0.15 * truth);
  EXPECT_EQ(drawn(1, 1), drawn(1, 1));
  EXPECT_NE(drawn(1, 1), drawn(1, 2));
}

// Every graph of 5 nodes, every edge of it, every way to put the nodes into 3 communities.
TEST(PrivGraph, NoPairOfGraphsMovesTheNumbersFarther) {
  double counts_by = 0;
  double numbers_by = 0;
  const auto distance = [](const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(static_cast<double>(a[i] - b[i]));
    return sum;
  };
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = i + 1; j < 5; ++j) places.emplace_back(i, j);
  }
  for (unsigned edges = 0; edges < 1024; edges += 3) {
    privacy::testing::World world(5, 1);
    for (std::size_t k = 0; k < places.size(); ++k) {
      if ((edges >> k & 1U) != 0) world.flip(places[k].first, places[k].second, true);
    }
    for (const auto& [i, j] : places) {
      privacy::testing::World other = world;
      other.flip(i, j, true);
      const graph::Graph one = world.graph(true);
      const graph::Graph two = other.graph(true);
      for (unsigned code = 0; code < 243; code += 7) {
        std::vector<std::uint32_t> part(5);
        unsigned rest = code;
        for (std::uint32_t& p : part) {
          p = rest % 3;
          rest /= 3;
        }
        counts_by = std::max(counts_by, distance(group_counts(one, part, 3), group_counts(two, part, 3)));
        numbers_by =
            std::max(numbers_by, distance(community_numbers(one, part, 3), community_numbers(two, part, 3)));
      }
    }
  }
  EXPECT_EQ(counts_by, 1);
  EXPECT_EQ(numbers_by, 2);
  EXPECT_NEAR(group_counts_sensitivity().l1().value(), counts_by, 1e-9);
  EXPECT_NEAR(community_numbers_sensitivity().l1().value(), numbers_by, 1e-9);
}

TEST(PrivGraph, NumbersBecomeNotNegativeAndKeepTheirSum) {
  const std::vector<std::int64_t> noisy = {5, -3, 2, 0, 1, -1};
  const std::vector<double> clean = not_negative(noisy);
  EXPECT_NEAR(std::accumulate(clean.begin(), clean.end(), 0.0), 4, 1e-12);
  // By hand: 5 - 1.5, 2 - 1.5 and nothing else.
  EXPECT_EQ(clean, (std::vector<double>{3.5, 0, 0.5, 0, 0, 0}));
  EXPECT_EQ(not_negative(std::vector<std::int64_t>{-1, 0, -2}), (std::vector<double>{0, 0, 0}));
  EXPECT_TRUE(not_negative({}).empty());
}

TEST(PrivGraph, RefusesWhatItCannotServe) {
  const PrivGraph method;
  EXPECT_THROW((void)method.plan(request_with("node:3", 1), facts_with(100)), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("none", {}), facts_with(100)), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("edge", {}), facts_with(100)), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("edge", 1), facts_with(1000000)), InvalidArgument);
}

}  // namespace
}  // namespace privet::methods::testing
