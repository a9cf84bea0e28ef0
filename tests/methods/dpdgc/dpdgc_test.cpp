#include "privet/methods/dpdgc/dpdgc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "learn/method_cases.hpp"
#include "privet/accounting/accountant.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/generate.hpp"
#include "privet/methods/registry.hpp"
#include "privet/run/runner.hpp"

namespace privet::methods {
namespace {

using testing::facts_with;
using testing::request_with;
using testing::run_with;

Request strict(double epsilon, const std::string& unit) {
  return request_with(privacy::Rigor::kStrict, epsilon, 1e-6, unit);
}

// Origin of the sigmas: logs of the published code, 70 % of Cora, batches of 256, 100 + 100 epochs.
TEST(DpdgcPlan, PaperNoiseIsThatOfThePublishedCode) {
  Dpdgc method;
  method.use_preset("published-256");
  const auto plan_at = [&](double epsilon, const std::string& unit) {
    return method.private_plan(request_with(privacy::Rigor::kPaper, epsilon, 1e-4, unit), facts_with(1895));
  };
  const std::vector<std::pair<double, double>> logged = {{1, 37.0634}, {2, 19.9992}, {4, 10.9566},
                                                         {8, 6.2041},  {16, 3.7135}, {32, 2.2256}};
  for (const auto& [epsilon, sigma] : logged) {
    const DpdgcPlan plan = plan_at(epsilon, "k-neighbor:3");
    ASSERT_TRUE(plan.published_sigma.has_value());
    EXPECT_NEAR(*plan.published_sigma, sigma, 1e-3 * sigma) << epsilon;
    EXPECT_EQ(plan.embedding.steps, 740U);
    EXPECT_NEAR(plan.embedding.noise_multiplier, 2 * *plan.published_sigma * 2, 1e-9);  // sqrt(k + 1) = 2
    EXPECT_NEAR(plan.sums.stddev().value(), *plan.published_sigma * std::sqrt(3.0), 1e-9);
    EXPECT_NEAR(plan.classifier->noise_multiplier, 2 * *plan.published_sigma, 1e-9);
  }
  const DpdgcPlan node = plan_at(16, "node:200");  // the preset samples columns down to 100
  EXPECT_EQ(node.sampled_degree, 100U);
  EXPECT_NEAR(*node.published_sigma, 3.7135, 4e-3) << "the bound on degrees does not enter it";
  EXPECT_NEAR(node.embedding.noise_multiplier, 2 * *node.published_sigma * std::sqrt(101.0), 1e-9);
  EXPECT_NEAR(node.sums.stddev().value(), *node.published_sigma * std::sqrt(200.0), 1e-9);
  const DpdgcPlan edge = plan_at(16, "edge");
  EXPECT_FALSE(edge.classifier.has_value());
  EXPECT_LT(*edge.published_sigma, 3.7135) << "one training less";
  EXPECT_NEAR(edge.embedding.noise_multiplier, 2 * *edge.published_sigma, 1e-9);
  EXPECT_NEAR(edge.sums.stddev().value(), *edge.published_sigma, 1e-9);
}

// An independent implementation's prediction for the paper's own setting: Cora, 75 % of the nodes, B = 64.
TEST(DpdgcPlan, PaperNoiseOfThePapersOwnSetting) {
  Dpdgc method;
  method.use_preset("published-64");
  const DpdgcPlan plan =
      method.private_plan(request_with(privacy::Rigor::kPaper, 16, 1e-4, "node:200"), facts_with(2031));
  EXPECT_NEAR(*plan.published_sigma, 1.914, 1e-3);
}

TEST(DpdgcPlan, StrictCountsEveryAffectedRowAndMeetsTheBudget) {
  Dpdgc method;
  const std::vector<std::pair<std::string, privacy::AffectedExamples>> units = {
      {"directed-edge", {.added = 0, .replaced = 1}},
      {"edge", {.added = 0, .replaced = 2}},
      {"k-neighbor:5", {.added = 0, .replaced = 6}},
      {"node:20", {.added = 0, .replaced = 41}},
      {"node:20:add-remove", {.added = 1, .replaced = 20}}};
  for (const auto& [unit, affected] : units) {
    for (const char* batch : {"0", "64"}) {
      method.options().set("private_batch", batch);
      const DpdgcPlan plan = method.private_plan(strict(4, unit), facts_with(2031));
      EXPECT_EQ(plan.embedding.affected, affected) << unit;
      EXPECT_EQ(plan.classifier.has_value(), unit.starts_with("k-") || unit.starts_with("node")) << unit;
      if (plan.classifier) {
        EXPECT_EQ(plan.classifier->affected, privacy::examples_of_one_record(privacy::Unit::parse(unit)));
      }
      const double epsilon = privacy::epsilon(plan.event(), privacy::Delta(1e-6)).upper;
      EXPECT_LE(epsilon, 4) << unit;
      EXPECT_GT(epsilon, 3.99) << unit;
    }
  }
}

// In full batches everything is Gaussian, so the shares can be read off: 1 / multiplier^2 of A W, and of the
// steps 60 (4 / multiplier)^2 for two replaced examples.
TEST(DpdgcPlan, TheBudgetIsDividedAsAsked) {
  Dpdgc method;
  method.options().set("embedding_share", "0.8");
  const DpdgcPlan plan = method.private_plan(strict(4, "edge"), facts_with(2031));
  const double sums = std::pow(plan.sums.charged() / plan.sums.stddev().value(), 2);
  const double steps = 60 * std::pow(4 / plan.embedding.noise_multiplier, 2);
  EXPECT_NEAR(steps / (steps + sums), 0.8, 1e-4);
}

TEST(Dpdgc, PaperRigorListsWhatFailsAndShowsTheSoundNoiseBeside) {
  Dpdgc method;
  method.use_preset("published-64");
  const auto plan_for = [&](const std::string& unit) {
    return method.plan(request_with(privacy::Rigor::kPaper, 16, 1e-4, unit), facts_with(2031));
  };
  EXPECT_EQ(plan_for("directed-edge").failed_claims.size(), 1U);
  EXPECT_EQ(plan_for("edge").failed_claims.size(), 2U);
  EXPECT_EQ(plan_for("k-neighbor:5").failed_claims.size(), 3U);
  const Plan node = plan_for("node:200");
  EXPECT_EQ(node.failed_claims.size(), 5U);
  EXPECT_NEAR(*node.claimed_epsilon, 16, 1e-3);
  const auto number = [&](const std::string& name) {
    const auto found = std::ranges::find(node.numbers, name, &std::pair<std::string, std::string>::first);
    return found == node.numbers.end() ? -1 : std::stod(found->second);
  };
  EXPECT_NEAR(number("published sigma"), 1.914, 1e-3);
  // 401 rows that all move one way against noise for sqrt(101) of them.
  EXPECT_GT(number("strict: embedding noise multiplier"), 10 * number("embedding noise multiplier"));
  // The tight accountant wins back on the classifier, of which nothing was counted wrongly.
  EXPECT_LT(number("strict: classifier noise multiplier"), number("classifier noise multiplier"));
}

TEST(Dpdgc, RefusesWhatItCantServe) {
  Dpdgc method;
  EXPECT_THROW((void)method.plan(strict(1, "record"), facts_with(100)), InvalidArgument);
  Request without = strict(1, "edge");
  without.epsilon.reset();
  EXPECT_THROW((void)method.plan(without, facts_with(100)), InvalidArgument);
  EXPECT_THROW((void)method.plan(strict(1, "edge"), facts_with(100, 0)), DataError);
}

// Every method but this one refuses to replay defects, and this one does in paper rigor only.
TEST(Dpdgc, OnlyThisMethodInPaperRigorReplaysPublishedDefects) {
  for (const std::unique_ptr<Method>& method : all_methods()) {
    for (const char* unit : {"none", "edge", "node:50"}) {
      for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
        Request request = request_with(rigor, 8, 1e-4, unit);
        request.published_defects = true;
        const bool served = method->name() == "dpdgc" && rigor == privacy::Rigor::kPaper &&
                            request.unit.kind() != privacy::Unit::Kind::none;
        if (!served) {
          EXPECT_THROW((void)plan_run(*method, request, facts_with(300, 20, 3), {}), InvalidArgument)
              << method->name() << " " << unit;
          continue;
        }
        const Plan plan = plan_run(*method, request, facts_with(300, 20, 3), {});
        EXPECT_FALSE(plan.claimed_epsilon.has_value());
        EXPECT_NE(plan.failed_claims.front().find("1e-8"), std::string::npos);
      }
    }
  }
}

graph::Dataset small_graph(std::uint64_t nodes = 500) {
  graph::DcsbmOptions options;
  options.nodes = nodes;
  options.mean_degree = 20;
  options.max_weight = 5;
  options.features = 60;
  return graph::make_dcsbm(options, 1);
}

TEST(Dpdgc, LearnsFromListsWithoutPrivacy) {
  Dpdgc method;
  method.options().set("width", "16");
  const Request none{.unit = privacy::Unit::none(), .delta = privacy::Delta(1e-6)};
  const RunResult result = run_once(method, small_graph(), run_with(none, 2));
  EXPECT_GT(*result.test_accuracy, 0.75) << "the words alone are good for about half";
  EXPECT_FALSE(result.certificate.sound);
}

TEST(Dpdgc, CertifiesWhatItReleased) {
  for (const auto& [unit, releases] :
       std::vector<std::pair<std::string, std::size_t>>{{"edge", 2}, {"k-neighbor:1", 3}, {"node:400", 3}}) {
    Dpdgc method;
    for (const char* option : {"width=8", "classifier_steps=40", "epochs=30"})
      method.options().set_assignment(option);
    const RunResult result = run_once(method, small_graph(), run_with(strict(16, unit), 3));
    ASSERT_TRUE(result.certificate.sound) << unit;
    EXPECT_LE(*result.certificate.epsilon, 16);
    EXPECT_GT(*result.certificate.epsilon, 15.9);
    ASSERT_EQ(result.certificate.releases.size(), releases) << unit;
    EXPECT_EQ(result.certificate.releases[0].times, 60U);
    EXPECT_EQ(result.certificate.releases[1].mechanism, "gaussian");
    // Nothing is looked at but what the reader asked to be measured.
    for (const privacy::UnaccountedUse& use : result.certificate.unaccounted)
      EXPECT_TRUE(use.what.starts_with("accuracy on the test") || use.what.starts_with("running time"))
          << use.what;
    EXPECT_EQ(result.validation_accuracy.has_value(), unit == "edge") << "labels are public there only";
  }
}

TEST(Dpdgc, RowsOfTheEmbeddingStayWithinTheirBound) {
  for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
    Dpdgc method;
    for (const char* option : {"width=8", "epochs=3", "row_bound=0.25", "embedding_rate=1"})
      method.options().set_assignment(option);
    const RunResult result =
        run_once(method, small_graph(), run_with(request_with(rigor, 4, 1e-4, "edge"), 3));
    const tensor::Matrix& weight = result.model.tensor("embedding.weight", 500, 8);
    for (std::size_t i = 0; i < weight.rows(); ++i) {
      double squares = 0;
      for (const float value : weight.row(i)) squares += std::pow(static_cast<double>(value), 2);
      ASSERT_LE(std::sqrt(squares), 0.25);
    }
  }
}

TEST(Dpdgc, ReplayedDefectsLeaveNoModelAndNoEpsilon) {
  Dpdgc method;
  for (const char* option : {"width=8", "epochs=2", "private_batch=64"})
    method.options().set_assignment(option);
  Request request = request_with(privacy::Rigor::kPaper, 1, 1e-4, "edge");
  request.published_defects = true;
  const RunResult result = run_once(method, small_graph(), run_with(request, 3));
  EXPECT_TRUE(result.model.tensors.empty());
  EXPECT_FALSE(result.certificate.sound);
  EXPECT_FALSE(result.certificate.epsilon.has_value());
  EXPECT_FALSE(result.certificate.claimed_epsilon.has_value());
  EXPECT_TRUE(std::ranges::any_of(result.certificate.unaccounted, [](const privacy::UnaccountedUse& use) {
    return use.what.starts_with("sums of neighbours' rows");
  }));
  EXPECT_TRUE(result.test_accuracy.has_value());
}

// At a budget at which the embedding is all noise, validation chooses the features alone, and the released
// embedding is not read.
TEST(Dpdgc, TheGateFallsBackOnTheFeatures) {
  Dpdgc method;
  for (const char* option : {"width=8", "epochs=40"}) method.options().set_assignment(option);
  const graph::Dataset data = small_graph();
  const RunResult gated = run_once(method, data, run_with(strict(0.05, "edge"), 3));
  EXPECT_TRUE(gate_is_closed(gated.model));
  EXPECT_TRUE(gated.certificate.sound);
  method.options().set("gate", "no");
  const RunResult open = run_once(method, data, run_with(strict(0.05, "edge"), 3));
  EXPECT_FALSE(gate_is_closed(open.model));
}

TEST(Dpdgc, TheSameSeedGivesTheSameModel) {
  Dpdgc method;
  for (const char* option : {"width=8", "classifier_steps=20"}) method.options().set_assignment(option);
  const graph::Dataset data = small_graph(300);
  const RunResult first = run_once(method, data, run_with(strict(4, "k-neighbor:1"), 5));
  const RunResult again = run_once(method, data, run_with(strict(4, "k-neighbor:1"), 5));
  const RunResult other = run_once(method, data, run_with(strict(4, "k-neighbor:1"), 6));
  EXPECT_EQ(first.model.tensors, again.model.tensors);
  EXPECT_NE(first.model.tensors, other.model.tensors);
}

graph::Dataset with_fewer_edges(const graph::Dataset& dataset) {
  graph::Dataset other = dataset;
  graph::EdgeList edges;
  for (graph::NodeId i = 0; i < dataset.nodes(); ++i) {
    for (const graph::NodeId j : dataset.graph.neighbors(i))
      if ((i + j) % 7 != 0) edges.add(i, j);
  }
  other.graph = graph::Graph(dataset.nodes(), std::move(edges), graph::Direction::undirected);
  return other;
}

// Appendix I: the same nodes with other edges. The release is of the new graph, has its own noise and its own
// certificate; other nodes are refused, for W has no row for them.
TEST(Dpdgc, AppliesToTheSameNodesWithOtherEdges) {
  Dpdgc method;
  for (const char* option : {"width=8", "gate=no", "epochs=40"}) method.options().set_assignment(option);
  const graph::Dataset data = small_graph();
  const RunResult trained = run_once(method, data, run_with(strict(50, "edge"), 3));
  const InferenceResult result =
      infer_once(method, trained.model, with_fewer_edges(data), run_with(strict(2, "edge"), 4));
  ASSERT_TRUE(result.certificate.sound);
  EXPECT_LE(*result.certificate.epsilon, 2);
  EXPECT_GT(*result.certificate.epsilon, 1.99);
  ASSERT_EQ(result.certificate.releases.size(), 1U);
  EXPECT_EQ(result.scores.visible().rows(), data.nodes());
  EXPECT_THROW((void)infer_once(method, trained.model, small_graph(400), run_with(strict(2, "edge"), 4)),
               DataError);
  Request without = strict(2, "edge");
  without.epsilon.reset();
  EXPECT_THROW((void)infer_once(method, trained.model, data, run_with(without, 4)), InvalidArgument);
}

TEST(Dpdgc, PredictingOnItsOwnGraphReleasesNothing) {
  Dpdgc method;
  for (const char* option : {"width=8", "gate=no", "epochs=5"}) method.options().set_assignment(option);
  const graph::Dataset data = small_graph();
  const RunResult trained = run_once(method, data, run_with(strict(4, "edge"), 3));
  const privacy::ProtectedDataset own = privacy::protect(
      data, {"prediction", std::vector<graph::Role>(500, graph::Role::none)}, privacy::Unit::edge());
  EXPECT_EQ(method.scores(trained.model, own).visible().rows(), 500U);
  const privacy::ProtectedDataset other =
      privacy::protect(small_graph(400), {"prediction", std::vector<graph::Role>(400, graph::Role::none)},
                       privacy::Unit::edge());
  EXPECT_THROW((void)method.scores(trained.model, other), DataError);
}

}  // namespace
}  // namespace privet::methods
