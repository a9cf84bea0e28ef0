#include "privet/methods/released/lap_graph.hpp"

#include <gtest/gtest.h>

#include "learn/method_cases.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

const std::vector<std::string> kQuick = {"width=8", "epochs=10"};

graph::Graph noisy(const std::string& unit, double epsilon, std::uint64_t seed) {
  const LapGraph method;
  SeededStream stream(seed);
  SeededStream noise(seed + 1000);
  privacy::ReleaseLog log;
  Run run{stream, noise, log};
  return method.release(request_with(unit, epsilon), for_prediction(small_graph(), unit), run, nullptr).graph;
}

TEST(LapGraph, CertifiesEveryUnitAndRigor) {
  for (const char* unit : {"edge", "directed-edge"}) {
    for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
      const std::unique_ptr<Method> method = method_with("lap-graph", kQuick);
      const RunResult result = run_once(*method, small_graph(), run_with(request_with(unit, 2, rigor), 1));
      expect_sound(result, 2);
      ASSERT_EQ(result.certificate.releases.size(), 2U);
      EXPECT_EQ(result.certificate.releases[1].mechanism, "top-entries");
      EXPECT_TRUE(result.certificate.failed_claims.empty());
    }
  }
}

TEST(LapGraph, EdgesAreASet) { expect_edges_are_a_set("lap-graph", kQuick, "edge"); }

TEST(LapGraph, TheModelIsEnough) {
  expect_model_is_enough("lap-graph", kQuick, "edge", 2);
  expect_model_is_enough("lap-graph", {"width=8", "epochs=10", "normalization=identity"}, "directed-edge", 2);
  expect_model_is_enough("lap-graph", kQuick, "none", {});
}

// The count has discrete Laplace noise of scale 100 / epsilon: 20 scales, false alarm 2e-9.
TEST(LapGraph, StaysAsSparseAsTheGraph) {
  const auto truth = static_cast<double>(small_graph().graph.edges());
  for (const double epsilon : {4.0, 20.0}) {
    EXPECT_NEAR(static_cast<double>(noisy("edge", epsilon, 3).edges()), truth, 2000 / epsilon);
    EXPECT_NEAR(static_cast<double>(noisy("directed-edge", epsilon, 3).stored_entries()), 2 * truth,
                2000 / epsilon);
  }
  EXPECT_EQ(noisy("edge", 1, 1), noisy("edge", 1, 1));
  EXPECT_NE(noisy("edge", 1, 1), noisy("edge", 1, 2));
}

TEST(LapGraph, InfersOnAnotherGraphWithABudget) {
  const std::unique_ptr<Method> method = method_with("lap-graph", {"width=8", "epochs=10", "gate=no"});
  const Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
  const graph::Dataset other = small_graph(200, 8);
  const InferenceResult one = infer_once(*method, model, other, run_with(request_with("edge", 1), 1));
  EXPECT_TRUE(one.certificate.sound);
  EXPECT_EQ(shown(one.scores).rows(), 200U);
  EXPECT_THROW((void)infer_once(*method, model, other, run_with(request_with("edge", {}), 1)),
               InvalidArgument);
}

// One layer has arrays of the same names and sizes in every version of the network.
TEST(LapGraph, RefusesAModelOfAnotherNetworkBeforeItPays) {
  const std::unique_ptr<Method> method = method_with("lap-graph", {"layers=1", "epochs=10", "gate=no"});
  Model model = run_once(*method, small_graph(), run_with(request_with("edge", 4), 1)).model;
  EXPECT_NO_THROW((void)method->inference_plan(request_with("edge", 1), model, facts_with(200)));
  std::erase_if(model.tensors, [](const tensor::NamedMatrix& one) { return one.name == "network"; });
  EXPECT_THROW((void)method->inference_plan(request_with("edge", 1), model, facts_with(200)), DataError);
}

TEST(LapGraph, RefusesWhatItCannotServe) {
  const LapGraph method;
  EXPECT_THROW((void)method.plan(request_with("node:3", 1), facts_with(100)), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("edge", {}), facts_with(100)), InvalidArgument);
}

}  // namespace
}  // namespace privet::methods::testing
