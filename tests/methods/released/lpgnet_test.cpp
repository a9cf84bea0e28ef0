#include "privet/methods/released/lpgnet.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learn/method_cases.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

using privacy::Unit;
using privacy::testing::Norm;
using privacy::testing::World;

const std::vector<std::string> kQuick = {"width=8", "epochs=10"};

TEST(LpgNet, CertifiesEveryUnitRigorAndNumberOfStages) {
  for (const char* unit : {"edge", "directed-edge"}) {
    for (const char* stages : {"stages=1", "stages=2"}) {
      std::vector<std::string> options = kQuick;
      options.emplace_back(stages);
      const std::unique_ptr<Method> method = method_with("lpgnet", options);
      const RunResult strict = run_once(*method, small_graph(), run_with(request_with(unit, 2), 1));
      expect_sound(strict, 2);
      EXPECT_EQ(strict.certificate.releases.size(), stages == std::string("stages=1") ? 1U : 2U);
      expect_sound(
          run_once(*method, small_graph(), run_with(request_with(unit, 2, privacy::Rigor::kPaper), 1)), 2);
    }
  }
}

TEST(LpgNet, EdgesAreASet) { expect_edges_are_a_set("lpgnet", kQuick, "edge"); }

TEST(LpgNet, TheModelIsEnough) {
  expect_model_is_enough("lpgnet", kQuick, "edge", 2);
  expect_model_is_enough("lpgnet", kQuick, "none", {});
}

// All graphs of four nodes and all predictions of two classes: an edge moves two counts, an entry one.
TEST(LpgNet, CountsMoveByTheirSensitivity) {
  const auto counts = [](const Unit& unit) {
    return [unit](const World& world, std::size_t) {
      const std::vector<std::int32_t> classes(world.labels.begin(), world.labels.end());
      const std::vector<std::int64_t> all =
          class_counts(world.graph(privacy::testing::symmetric(unit)), classes, 2);
      return std::vector<double>(all.begin(), all.end());
    };
  };
  for (const Unit& unit : {Unit::edge(), Unit::directed_edge()}) {
    const privacy::testing::Found found =
        privacy::testing::search_all(unit.kind() == Unit::Kind::edge ? 4 : 3, unit,
                                     {.rows = {{1.0}}, .classes = 2}, counts(unit), Norm::l1);
    EXPECT_GT(found.pairs, 500U);
    EXPECT_EQ(found.largest, class_counts_sensitivity(unit).l1().value());
  }
}

// The published code gives nodes that are far apart, and both stages, the same noise. Here the noise of two
// stages on a graph without edges is not alike.
TEST(LpgNet, StagesHaveNoiseOfTheirOwn) {
  const auto mechanism = privacy::GeometricMechanism::with_epsilon(class_counts_sensitivity(Unit::edge()),
                                                                   privacy::Epsilon(0.1));
  SeededStream noise(1);
  privacy::ReleaseLog log;
  const auto draw = [&] {
    return mechanism.release(privacy::Secret<std::vector<std::int64_t>>(std::vector<std::int64_t>(400)), 400,
                             "counts", log, noise);
  };
  const std::vector<std::int64_t> first = draw();
  const std::vector<std::int64_t> second = draw();
  EXPECT_NE(first, second);
  EXPECT_FALSE(std::equal(first.begin(), first.begin() + 80, first.begin() + 80));
}

TEST(LpgNet, AStageReadsAllThoseBefore) {
  const std::unique_ptr<Method> method =
      method_with("lpgnet", {"width=8", "epochs=10", "gate=no", "stages=3"});
  const Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
  for (const std::size_t stage : {1U, 2U, 3U})
    EXPECT_NO_THROW((void)model.tensor(fmt::format("stage{}.0.weight", stage), 2 * stage * model.classes, 8));
}

TEST(LpgNet, RefusesAModelThatDoesNotFitBeforeItPays) {
  const std::unique_ptr<Method> method = method_with("lpgnet", {"width=8", "epochs=10", "gate=no"});
  Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
  EXPECT_NO_THROW((void)method->inference_plan(request_with("edge", 1), model, facts_with(200)));
  for (tensor::NamedMatrix& one : model.tensors)
    if (one.name == "stage2.0.weight") one.values = tensor::Matrix(2 * model.classes, 8);
  EXPECT_THROW((void)method->inference_plan(request_with("edge", 1), model, facts_with(200)), DataError);
}

TEST(LpgNet, InfersOnAnotherGraphWithABudget) {
  const std::unique_ptr<Method> method = method_with("lpgnet", {"width=8", "epochs=10", "gate=no"});
  const Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
  const graph::Dataset other = small_graph(200, 8);
  const InferenceResult one = infer_once(*method, model, other, run_with(request_with("edge", 1), 1));
  EXPECT_TRUE(one.certificate.sound);
  EXPECT_EQ(one.certificate.releases.size(), 2U);
  EXPECT_EQ(shown(one.scores).rows(), 200U);
}

TEST(LpgNet, RefusesWhatItCannotServe) {
  const LpgNet method;
  EXPECT_THROW((void)method.plan(request_with("node:3", 1), facts_with(100)), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("edge", {}), facts_with(100)), InvalidArgument);
}

}  // namespace
}  // namespace privet::methods::testing
