#include "privet/methods/gap/progap.hpp"

#include <gtest/gtest.h>

#include "learn/method_cases.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

const std::vector<std::string> kQuick = {"width=8", "hops=2", "epochs=10"};

TEST(ProGap, CertifiesEveryUnit) {
  for (const char* unit : {"edge", "directed-edge"}) {
    SCOPED_TRACE(unit);
    const std::unique_ptr<Method> method = method_with("progap", kQuick);
    const RunResult result = run_once(*method, small_graph(), run_with(request_with(unit, 2), 1));
    expect_sound(result, 2);
    EXPECT_EQ(result.certificate.releases.size(), 2U);
  }
}

TEST(ProGap, EdgesAreASet) { expect_edges_are_a_set("progap", kQuick, "edge"); }

TEST(ProGap, TheModelIsEnough) {
  expect_model_is_enough("progap", kQuick, "edge", 2);
  expect_model_is_enough("progap", kQuick, "none", {});
}

TEST(ProGap, EveryReleaseHasNoiseOfItsOwn) {
  graph::Dataset data = small_graph();
  data.graph = graph::Graph(data.nodes(), graph::EdgeList(), graph::Direction::undirected);
  const std::unique_ptr<Method> method = method_with("progap", kQuick);
  const RunResult first = run_once(*method, data, run_with(request_with("edge", 2), 1));
  const RunResult second = run_once(*method, data, run_with(request_with("edge", 2), 2));
  EXPECT_NE(first.model.tensor("hop.1", 300, 8), first.model.tensor("hop.2", 300, 8));
  EXPECT_NE(first.model.tensor("hop.1", 300, 8), second.model.tensor("hop.1", 300, 8));
}

// With almost no noise a stage hears the rows of the stage before, learnt anew: not those of GAP.
TEST(ProGap, AStageSumsTheRowsOfTheStageBefore) {
  const std::unique_ptr<Method> progap = method_with("progap", kQuick);
  const std::unique_ptr<Method> gap =
      method_with("gap", {"width=8", "hops=2", "encoder_epochs=10", "classifier_epochs=10"});
  const RunRequest run = run_with(request_with("none", {}), 1);
  const RunResult one = run_once(*progap, small_graph(), run);
  const RunResult other = run_once(*gap, small_graph(), run);
  EXPECT_EQ(one.model.tensor("hop.1", 300, 8), other.model.tensor("hop.1", 300, 8)) << "the same encoder";
  EXPECT_NE(one.model.tensor("hop.2", 300, 8), other.model.tensor("hop.2", 300, 8));
}

TEST(ProGap, InfersOnAnotherGraphWithABudget) {
  const std::unique_ptr<Method> method = method_with("progap", kQuick);
  method->options().set("gate", "no");
  const graph::Dataset own = small_graph();
  const Model model = run_once(*method, own, run_with(request_with("edge", 2), 1)).model;
  const graph::Dataset other = small_graph(200, 8);
  const InferenceResult one = infer_once(*method, model, other, run_with(request_with("edge", 1), 1));
  EXPECT_TRUE(one.certificate.sound);
  EXPECT_EQ(one.certificate.releases.size(), 2U);
  EXPECT_EQ(shown(one.scores).rows(), 200U);
  EXPECT_THROW((void)infer_once(*method, model, other, run_with(request_with("edge", {}), 1)),
               InvalidArgument);
  // Its own graph, public now: what it would say without noise.
  const Model plain = run_once(*method, own, run_with(request_with("none", {}), 1)).model;
  EXPECT_EQ(shown(infer_once(*method, plain, own, run_with(request_with("none", {}), 1)).scores),
            shown(method->scores(plain, for_prediction(own, "none"))));
}

TEST(ProGap, RefusesWhatItCannotServe) {
  const ProGap method;
  for (const char* unit : {"node:3", "k-neighbor:3", "record"})
    EXPECT_THROW((void)method.plan(request_with(unit, 1), facts_with(100)), InvalidArgument) << unit;
  EXPECT_THROW((void)method.plan(request_with("edge", {}), facts_with(100)), InvalidArgument);
}

TEST(ProGap, PaperRigorSaysWhatFails) {
  const std::unique_ptr<Method> method = method_with("progap", kQuick);
  const auto certificate = [&](const char* unit) {
    return run_once(*method, small_graph(), run_with(request_with(unit, 4, privacy::Rigor::kPaper, 1e-7), 1))
        .certificate;
  };
  const privacy::Certificate edge = certificate("edge");
  EXPECT_FALSE(edge.sound);
  EXPECT_EQ(edge.failed_claims.size(), 1U);
  EXPECT_NEAR(*edge.claimed_epsilon, 4, 1e-6);
  // The shared accountant's noise for two hops: gap.md, section 3.
  EXPECT_NEAR(edge.releases[0].noise_stddev, 1.835, 6e-4);
  EXPECT_TRUE(certificate("directed-edge").sound);
}

}  // namespace
}  // namespace privet::methods::testing
