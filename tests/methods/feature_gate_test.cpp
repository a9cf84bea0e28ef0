#include "privet/methods/feature_gate.hpp"

#include <gtest/gtest.h>

#include "method_cases.hpp"

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
