#include <gtest/gtest.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/graph/generate.hpp"
#include "privet/methods/registry.hpp"
#include "privet/run/comparison.hpp"
#include "privet/run/runner.hpp"

namespace privet::methods {
namespace {

graph::Dataset small_graph() {
  graph::DcsbmOptions options;
  options.nodes = 500;
  return graph::make_dcsbm(options, 7);
}

RunRequest run_with(const std::string& unit, std::optional<double> epsilon, std::uint64_t seed) {
  Request request{.unit = privacy::Unit::parse(unit), .delta = privacy::Delta(1e-6)};
  if (epsilon) request.epsilon = privacy::Epsilon(*epsilon);
  return {.request = request,
          .seed = seed,
          .fingerprint = privacy::blinded_fingerprint(std::string(64, '0'), privacy::BlindingKey{}),
          .created = "2025-03-01T12:00:00Z"};
}

// Two classes of the same size would give one half by chance; these graphs have five.
TEST(Baselines, EveryMethodWithoutPrivacyLearns) {
  const graph::Dataset data = small_graph();
  for (const std::unique_ptr<Method>& method : all_methods()) {
    const std::vector<std::string> units = method->units();
    if (std::ranges::find(units, "none") == units.end()) continue;
    const RunResult result = run_once(*method, data, run_with("none", {}, 1));
    EXPECT_GT(*result.test_accuracy, 0.5) << method->name();
    EXPECT_FALSE(result.certificate.sound) << method->name();
    EXPECT_EQ(result.model.options, method->current_options());
    // The saved numbers are all that is needed to predict.
    const std::unique_ptr<Method> again = method_of(result.model);
    EXPECT_EQ(again->name(), method->name());
  }
}

TEST(Baselines, MlpIsFreeUnderTheUnitsThatProtectEdgesOnly) {
  const std::unique_ptr<Method> method = make_method("mlp");
  const RunResult result = run_once(*method, small_graph(), run_with("edge", 1, 2));
  ASSERT_TRUE(result.certificate.sound);
  EXPECT_EQ(*result.certificate.epsilon, 0);
  EXPECT_TRUE(result.certificate.releases.empty());
  EXPECT_EQ(result.certificate.delta, 0) << "what releases nothing never fails";
  ASSERT_EQ(result.certificate.unaccounted.size(), 1U) << "labels are public under this unit";
  EXPECT_EQ(result.certificate.unaccounted[0].what, "running time and memory");
}

// The edges are not opened: another graph on the same nodes gives the same model, to the last bit.
TEST(Baselines, MlpDoesNotSeeEdges) {
  const std::unique_ptr<Method> method = make_method("mlp");
  graph::Dataset data = small_graph();
  const RunResult first = run_once(*method, data, run_with("edge", 1, 3));
  data.graph = graph::Graph(data.nodes(), graph::EdgeList(), graph::Direction::undirected);
  const RunResult second = run_once(*method, data, run_with("edge", 1, 3));
  EXPECT_EQ(first.model.tensors, second.model.tensors);
}

TEST(Baselines, MethodsOnTheGraphRefuseUnitsThatProtectSomething) {
  for (const char* name : {"gcn", "sage", "gat", "gin"}) {
    const std::unique_ptr<Method> method = make_method(name);
    EXPECT_THROW((void)run_once(*method, small_graph(), run_with("edge", 1, 1)), InvalidArgument) << name;
  }
  const std::unique_ptr<Method> mlp = make_method("mlp");
  EXPECT_THROW((void)run_once(*mlp, small_graph(), run_with("record", 1, 1)), InvalidArgument);
}

TEST(Baselines, ThreadsChangeNothing) {
  const std::size_t threads = thread_count();
  for (const char* name : {"mlp", "gcn", "sage", "gat", "gin"}) {
    const std::unique_ptr<Method> method = make_method(name);
    method->options().set("epochs", "5");
    set_thread_count(1);
    const RunResult one = run_once(*method, small_graph(), run_with("none", {}, 4));
    set_thread_count(2);
    const RunResult two = run_once(*method, small_graph(), run_with("none", {}, 4));
    EXPECT_EQ(one.model.tensors, two.model.tensors) << name;
  }
  set_thread_count(threads);
}

TEST(Comparison, IntervalIsStudents) {
  CellResult result;
  for (const double accuracy : {0.5, 0.6, 0.7}) result.runs.push_back({{"test_accuracy", accuracy}});
  EXPECT_NEAR(result.mean_accuracy(), 0.6, 1e-12);
  // t(0.975, 2) = 4.302653; standard error 0.1 / sqrt(3).
  EXPECT_NEAR(result.accuracy_ci95(), 4.302653 * 0.1 / std::sqrt(3.0), 1e-6);
}

TEST(Comparison, PaperRigorThatCountsEdgesForDeltaSaysSo) {
  Cell cell;
  cell.method = "gap";
  cell.unit = "edge";
  cell.epsilon = 1.0;
  cell.rigor = privacy::Rigor::kPaper;
  EXPECT_EQ(looks_before(cell).size(), 1U);
  cell.delta = 1e-6;
  EXPECT_TRUE(looks_before(cell).empty());
  // What is pure needs no delta, and none is read off the edges.
  cell.delta.reset();
  cell.method = "lap-graph";
  EXPECT_TRUE(looks_before(cell).empty());
}

TEST(Comparison, LooksAtProtectedPartsAreRefusedInStrictRigor) {
  Cell cell;
  cell.epsilon = 1.0;
  cell.unit = "edge";
  cell.prepare = "drop-isolated";
  EXPECT_THROW((void)looks_before(cell), Unsound);
  cell.prepare = "min-class=5";
  EXPECT_TRUE(looks_before(cell).empty()) << "labels are public under edge";
  cell.prepare = "standardize";
  EXPECT_TRUE(looks_before(cell).empty()) << "so are features";
  cell.unit = "record";
  EXPECT_THROW((void)looks_before(cell), Unsound);
  cell.prepare = "min-class=5";
  EXPECT_THROW((void)looks_before(cell), Unsound);
  cell.prepare = "";
  cell.split = "per-class:5/5/5";
  EXPECT_THROW((void)looks_before(cell), Unsound);
  cell.rigor = privacy::Rigor::kPaper;
  EXPECT_EQ(looks_before(cell).size(), 1U);
  cell.rigor = privacy::Rigor::kStrict;
  cell.split = "75/10/15";
  cell.unit = "directed-edge";
  cell.prepare = "symmetrize";
  EXPECT_THROW((void)looks_before(cell), Unsound);
  cell.prepare = "reverse";
  EXPECT_TRUE(looks_before(cell).empty()) << "an entry stays one entry";
  for (const char* unit : {"record", "k-neighbor:2", "local-edge"}) {
    cell.unit = unit;
    EXPECT_THROW((void)looks_before(cell), Unsound) << "the lists are others' then: " << unit;
  }
}

// A cell without privacy before it must not vouch for what a private cell's preparation reads.
TEST(Comparison, TheVerdictOnPreparationIsThatOfEachCell) {
  Surroundings around;
  around.load = [](const std::string&) { return small_graph(); };
  around.now = [] { return std::string("2025-03-01T12:00:00Z"); };
  Cell open;
  open.method = "mlp";
  open.assignments = {"epochs=1"};
  open.data = "x";
  open.unit = "edge";
  open.prepare = "drop-isolated";
  open.seed = 1;
  Cell private_one = open;
  private_one.epsilon = 1.0;
  EXPECT_NO_THROW((void)run_cells({open}, around));
  EXPECT_THROW((void)run_cells({open, private_one}, around), Unsound);
}

TEST(Comparison, DeltaAboveOneOverTheNodesIsRefused) {
  Cell cell;
  cell.unit = "edge";
  cell.epsilon = 1.0;
  cell.delta = 0.01;
  EXPECT_THROW((void)request_of(cell, small_graph()), Unsound);
  cell.delta = 0.001;
  EXPECT_NO_THROW((void)request_of(cell, small_graph()));
}

TEST(Runner, DeltaByRule) {
  EXPECT_NEAR(strict_delta(2708).value(), 1e-6, 1e-18);
  EXPECT_NEAR(paper_delta(privacy::Unit::edge(), 10556, 2031).value(), 1e-5, 1e-17);
  EXPECT_NEAR(paper_delta(privacy::Unit::parse("node:5"), 10556, 2031).value(), 1e-4, 1e-16);
}

}  // namespace
}  // namespace privet::methods
