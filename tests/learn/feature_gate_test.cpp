#include "privet/learn/feature_gate.hpp"

#include <gtest/gtest.h>

#include "method_cases.hpp"
#include "privet/run/comparison.hpp"

namespace privet::methods::testing {
namespace {

const std::vector<std::string> kMethods = {"gap", "progap", "edge-rand", "dpdgc"};

// At this budget nothing of the graph is left under the noise.
TEST(FeatureGate, KeepsTheFeaturesWhereTheGraphIsNoise) {
  const graph::Dataset data = small_graph();
  for (const std::string& name : kMethods) {
    SCOPED_TRACE(name);
    const std::unique_ptr<Method> method = method_with(name, {});
    const RunResult closed = run_once(*method, data, run_with(request_with("edge", 0.01), 3));
    EXPECT_TRUE(gate_is_closed(closed.model));
    EXPECT_FALSE(closed.certificate.releases.empty());  // it was paid for all the same
    const Plan elsewhere =
        method->inference_plan(request_with("edge", 1), closed.model, facts_with(data.graph.nodes()));
    EXPECT_EQ(elsewhere.event, privacy::Event());  // on another graph there is nothing to pay for
    method->options().set("gate", "no");
    EXPECT_FALSE(gate_is_closed(run_once(*method, data, run_with(request_with("edge", 0.01), 3)).model));
  }
}

TEST(FeatureGate, OpensWhereTheGraphIsHeard) {
  const graph::Dataset data = small_graph(1000);
  const std::unique_ptr<Method> method = make_method("gap");
  EXPECT_FALSE(gate_is_closed(run_once(*method, data, run_with(request_with("edge", 100), 3)).model));
}

TEST(FeatureGate, IsCountedInComparisons) {
  CellResult result;
  result.runs.push_back({{"test_accuracy", 0.5}});
  EXPECT_EQ(result.graph_answers_in(), "");
  const graph::Dataset data = small_graph(1000);
  for (const double epsilon : {0.01, 100.0, 0.01}) {
    const RunResult run = run_once(*make_method("gap"), data, run_with(request_with("edge", epsilon), 3));
    Json findings;
    for (const auto& [name, text] : run.findings) findings[name] = text;
    result.runs.push_back({{"findings", findings}});
  }
  EXPECT_EQ(result.graph_answers_in(), "1 of 3");  // the first was not asked
}

// Without validation nodes nothing speaks against the graph, and it was paid for.
TEST(FeatureGate, IsNotAskedWithoutValidationNodes) {
  const std::unique_ptr<Method> method = method_with("gap", {"encoder_epochs=2", "classifier_epochs=2"});
  RunRequest run = run_with(request_with("edge", 0.01), 3);
  run.split = "75/0/25";
  EXPECT_FALSE(gate_is_closed(run_once(*method, small_graph(), run).model));
}

// What the method's own network reaches without the graph counts like what the perceptron does.
TEST(FeatureGate, IsClosedByTheMethodsOwnNetworkToo) {
  const graph::Dataset data = small_graph(400);
  const privacy::Unit unit = privacy::Unit::local_edge();
  const graph::Split split = draw_split(data, unit, privacy::Rigor::kStrict, "50/25/25", 1);
  const privacy::ProtectedDataset guarded = privacy::protect(data, split, unit);
  SeededStream stream(1);
  SeededStream noise(2);
  privacy::ReleaseLog log;
  methods::Run run{stream, noise, log};
  const auto is_closed = [&](std::optional<double> alike) {
    Fit fit{.validation_accuracy = 0.999};
    FeatureGate().ask(request_with("local-edge", 1), guarded, run, fit, alike);
    return gate_is_closed(fit.model);
  };
  EXPECT_FALSE(is_closed({}));
  EXPECT_FALSE(is_closed(0.1));
  EXPECT_TRUE(is_closed(0.999));
}

TEST(FeatureGate, KeepsTheFeaturesWhereLocalReportsAreNoise) {
  const graph::Dataset data = small_graph();
  for (const char* name : {"hpgr", "blink", "hagei", "rr", "sym-rr", "dprr", "l-dpgcn", "solitude"}) {
    const std::unique_ptr<Method> method = method_with(name, {"epochs=40", "width=8"});
    const Model model = run_once(*method, data, run_with(request_with("local-edge", 0.01), 3)).model;
    EXPECT_TRUE(gate_is_closed(model)) << name;
    // Nobody is asked about another graph, whichever of the two that read no edges answers.
    const InferenceResult other =
        infer_once(*method, model, small_graph(200, 8), run_with(request_with("local-edge", 1), 1));
    EXPECT_TRUE(other.certificate.releases.empty()) << name;
    EXPECT_EQ(shown(other.scores).rows(), 200U) << name;
  }
}

// Labels choose nothing where they are protected.
TEST(FeatureGate, IsNotAskedAboutPeopleNorInPaperRigor) {
  const graph::Dataset data = small_graph();
  const std::string people = "node:" + std::to_string(largest_degree(data.graph));
  const std::unique_ptr<Method> method = method_with("gap", {"encoder_epochs=2", "classifier_epochs=2"});
  EXPECT_FALSE(gate_is_closed(run_once(*method, data, run_with(request_with(people, 0.5), 3)).model));
  Request paper = request_with("edge", 0.01);
  paper.rigor = privacy::Rigor::kPaper;
  EXPECT_FALSE(gate_is_closed(run_once(*method, data, run_with(paper, 3)).model));
}

}  // namespace
}  // namespace privet::methods::testing
