#include "privet/methods/caribou/caribou.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learn/method_cases.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"
#include "privet/nn/trainer.hpp"

namespace privet::methods::testing {
namespace {

const std::vector<std::string> kQuick = {"epochs=10", "folds=2", "width=16"};

std::vector<std::string> quick_with(std::vector<std::string> more) {
  more.insert(more.begin(), kQuick.begin(), kQuick.end());
  return more;
}

std::string people_of(const graph::Dataset& data) {
  return fmt::format("node:{}", largest_degree(data.graph));
}

// Features that say something, edges that say more: the state is taken.
graph::Dataset telling_graph() {
  graph::DcsbmOptions told;
  told.nodes = 500;
  told.features = 300;
  told.signal = 0.15;
  return graph::make_dcsbm(told, 7);
}

TEST(Caribou, LearnsFromTheGraph) {
  const graph::Dataset data = telling_graph();
  const std::unique_ptr<Method> alone = method_with("mlp", {"epochs=50"});
  const double features = *run_once(*alone, data, run_with(request_with("none", {}), 1)).test_accuracy;
  ASSERT_LT(features, 0.85);
  for (const char* rows : {"rows=probabilities", "rows=labels", "rows=embedding", "rows=features"}) {
    const std::unique_ptr<Method> method = method_with("caribou", {rows, "epochs=50", "folds=2"});
    const RunResult result = run_once(*method, data, run_with(request_with("none", {}), 1));
    EXPECT_GT(*result.test_accuracy, features + 0.05) << rows;
    EXPECT_TRUE(result.certificate.releases.empty()) << rows;
  }
}

TEST(Caribou, CertifiesEveryUnit) {
  const graph::Dataset data = small_graph();
  for (const std::string& unit : {std::string("edge"), std::string("directed-edge"), people_of(data),
                                  people_of(data) + ":add-remove"}) {
    SCOPED_TRACE(unit);
    const std::unique_ptr<Method> method = method_with("caribou", quick_with({"hops=3"}));
    const RunResult result = run_once(*method, data, run_with(request_with(unit, 2), 1));
    expect_sound(result, 2);
    const bool people = privacy::Unit::parse(unit).protects_features();
    EXPECT_EQ(result.certificate.releases.size(), people ? 3U : 1U);
    for (const privacy::UnaccountedUse& use : result.certificate.unaccounted)
      EXPECT_EQ(use.what.find("degree"), std::string::npos);
  }
}

// Somebody whose own features say nothing learns from those of the first in its chain, however far.
TEST(Caribou, HearsFeaturesFromFarAway) {
  const graph::Dataset data =
      graph::make_chains({.chains = 20, .length = 12, .features = 10, .train = 100, .validation = 100}, 3);
  const std::unique_ptr<Method> alone = method_with("mlp", {"epochs=50"});
  EXPECT_LT(*run_once(*alone, data, run_with(request_with("none", {}), 1)).test_accuracy, 0.7);
  const std::unique_ptr<Method> method = method_with(
      "caribou", {"rows=features", "expected_degree=2", "expected_homophily=1", "folds=2", "epochs=50"});
  EXPECT_GT(*run_once(*method, data, run_with(request_with("none", {}), 1)).test_accuracy, 0.97);
}

TEST(Caribou, ServesAllRowsUnderEdge) {
  for (const char* rows : {"rows=labels", "rows=embedding", "rows=features"}) {
    const std::unique_ptr<Method> method = method_with("caribou", quick_with({rows, "columns=5"}));
    expect_sound(run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)), 2);
  }
}

TEST(Caribou, EdgesAreASet) { expect_edges_are_a_set("caribou", quick_with({"hops=2"}), "edge"); }

TEST(Caribou, TheModelIsEnough) {
  expect_model_is_enough("caribou", kQuick, "edge", 2);
  expect_model_is_enough("caribou", quick_with({"rows=embedding", "columns=5"}), "edge", 2);
  expect_model_is_enough("caribou", quick_with({"rows=features"}), "edge", 2);
  expect_model_is_enough("caribou", kQuick, "none", {});
  expect_model_is_enough("caribou", kQuick, people_of(small_graph()), 2);
}

std::string number_of(const Plan& plan, const std::string& name) {
  for (const auto& [key, value] : plan.numbers)
    if (key == name) return value;
  return {};
}

TEST(Caribou, InfersOnAnotherGraphWithABudget) {
  const graph::Dataset data = telling_graph();
  const std::unique_ptr<Method> method = method_with("caribou", {"epochs=50", "folds=2"});
  const RunResult trained = run_once(*method, data, run_with(request_with("none", {}), 1));
  const Model& model = trained.model;
  const InferenceResult one = infer_once(*method, model, data, run_with(request_with("edge", 1), 1));
  EXPECT_TRUE(one.certificate.sound);
  EXPECT_LE(*one.certificate.epsilon, 1);
  EXPECT_GT(*one.certificate.epsilon, 0.99);
  EXPECT_EQ(one.certificate.releases.size(), 1U);
  EXPECT_NE(shown(one.scores),
            shown(infer_once(*method, model, data, run_with(request_with("edge", 1), {})).scores));
  for (const char* name : {"hops", "contraction", "floor of the degrees"})
    EXPECT_EQ(number_of(one.plan, name), number_of(trained.plan, name)) << name;
  EXPECT_NE(number_of(one.plan, "hops"),
            number_of(method->plan(request_with("edge", 1), facts_with(500, 300, 4)), "hops"))
      << "training at this budget would have chosen others";
  EXPECT_THROW((void)infer_once(*method, model, data, run_with(request_with("edge", {}), 1)),
               InvalidArgument);
  const RunRequest paper = run_with(request_with("edge", 1, privacy::Rigor::kPaper), 1);
  EXPECT_THROW((void)infer_once(*method, model, data, paper), InvalidArgument);
  const std::string people = people_of(data);
  EXPECT_THROW((void)infer_once(*method, model, data, run_with(request_with(people, 1), 1)), InvalidArgument);
  const Model of_people = run_once(*method, data, run_with(request_with(people, 1), 1)).model;
  EXPECT_THROW((void)infer_once(*method, of_people, data, run_with(request_with("edge", 1), 1)),
               InvalidArgument);
}

TEST(Caribou, ReadsAnotherGraphAsItsOwn) {
  const graph::Dataset data = telling_graph();
  const std::unique_ptr<Method> method = method_with("caribou", {"epochs=50", "folds=2"});
  const RunResult trained = run_once(*method, data, run_with(request_with("none", {}), 1));
  const auto accuracy = [&](const graph::Dataset& other) {
    const InferenceResult found =
        infer_once(*method, trained.model, other, run_with(request_with("none", {}), 1));
    EXPECT_TRUE(found.certificate.releases.empty());
    return nn::accuracy(shown(found.scores), data.labels);
  };
  graph::Dataset without = data;
  without.graph = graph::Graph(data.nodes(), graph::EdgeList(), graph::Direction::undirected);
  EXPECT_GT(accuracy(data), *trained.test_accuracy - 0.03);
  EXPECT_LT(accuracy(without), accuracy(data) - 0.05) << "it is the other graph's edges that are read";
}

TEST(Caribou, NeedsNoBudgetElsewhereWhereTheStateWasNotTaken) {
  graph::Dataset data = telling_graph();
  data.graph = graph::Graph(data.nodes(), graph::EdgeList(), graph::Direction::undirected);
  const std::unique_ptr<Method> method = method_with("caribou", {"epochs=50", "folds=2"});
  const Model model = run_once(*method, data, run_with(request_with("edge", 0.01), 1)).model;
  const InferenceResult found =
      infer_once(*method, model, telling_graph(), run_with(request_with("edge", 1), 1));
  EXPECT_TRUE(found.certificate.releases.empty());
  EXPECT_EQ(*found.certificate.epsilon, 0);
}

TEST(Caribou, FeatureRowsServeElsewhereAndAreShort) {
  const std::unique_ptr<Method> method = method_with("caribou", quick_with({"rows=features"}));
  const Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
  EXPECT_TRUE(infer_once(*method, model, small_graph(200, 8), run_with(request_with("edge", 1), 1))
                  .certificate.sound);
  privacy::PublicFacts wide = facts_with(100, 10, 3);
  wide.features = 5000;
  EXPECT_THROW((void)method->plan(request_with("edge", 1), wide), InvalidArgument);
}

TEST(Caribou, RefusesLabelRowsElsewhere) {
  for (const char* rows : {"rows=labels", "rows=embedding"}) {
    const std::unique_ptr<Method> method = method_with("caribou", quick_with({rows, "columns=5"}));
    const Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
    EXPECT_THROW((void)infer_once(*method, model, small_graph(200, 8), run_with(request_with("edge", 1), 1)),
                 InvalidArgument);
  }
}

TEST(Caribou, RefusesWhatItCannotServe) {
  Caribou method;
  const privacy::PublicFacts facts = facts_with(100, 10, 3);
  EXPECT_THROW((void)method.plan(request_with("k-neighbor:3", 1), facts), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("record", 1), facts), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("edge", {}), facts), InvalidArgument);
  for (const char* bad :
       {"hops=0", "hops=many", "contraction=0", "contraction=1.5", "floor=0", "floor=18446744073709551615"}) {
    Caribou other;
    other.options().set_assignment(bad);
    EXPECT_THROW((void)other.plan(request_with("edge", 1), facts), InvalidArgument) << bad;
  }
  method.options().set("rows", "labels");
  EXPECT_THROW((void)method.plan(request_with("node:10", 1), facts), InvalidArgument);
}

TEST(Caribou, TakesWhatItIsTold) {
  Caribou method;
  method.options().set("hops", "20");
  method.options().set("contraction", "0.9");
  method.options().set("floor", "7");
  const CaribouPlan plan =
      method.private_plan(request_with("edge", 1, privacy::Rigor::kStrict, 1e-5), facts_with(1000, 10, 3));
  EXPECT_EQ(plan.hops, 20U);
  EXPECT_EQ(plan.layer.bound, 7U);
  // CARIBOU's logs: 14.391 for 20 hops of 0.9.
  EXPECT_NEAR(plan.iteration->stddev().value(), 14.391 * 0.9 * privacy::floored_edge_bound(7), 2e-3);
}

TEST(Caribou, DividesTheBudgetOfPeople) {
  Caribou method;
  const Request request = request_with("node:10", 2);
  const CaribouPlan plan = method.private_plan(request, facts_with(1000, 10, 3));
  const auto squared = [](const privacy::Event& event) {
    return privacy::gaussian_dp_mu(event) * privacy::gaussian_dp_mu(event);
  };
  const double whole = squared(plan.event());
  EXPECT_NEAR(squared(plan.encoder->event()) / whole, 0.5, 1e-6);
  EXPECT_NEAR(squared(plan.iteration->event()) / whole, 0.25, 1e-6);
  EXPECT_EQ(plan.layer.kind, privacy::ContractiveLayer::Kind::bounded);
  EXPECT_LE(privacy::epsilon(plan.event(), request.delta).upper, 2);
  method.options().set("encoder_share", "0.9");
  method.options().set("classifier_share", "0.1");
  EXPECT_THROW((void)method.private_plan(request, facts_with(1000, 10, 3)), InvalidArgument);
}

TEST(Caribou, PaperRigorSaysWhatFails) {
  const graph::Dataset data = small_graph();
  for (const std::string& unit : {std::string("edge"), people_of(data)}) {
    const std::unique_ptr<Method> method = method_with("caribou", quick_with({"hops=3"}));
    const privacy::Certificate certificate =
        run_once(*method, data, run_with(request_with(unit, 4, privacy::Rigor::kPaper), 1)).certificate;
    EXPECT_FALSE(certificate.sound);
    EXPECT_FALSE(certificate.epsilon.has_value());
    EXPECT_EQ(*certificate.claimed_epsilon, 4);
    EXPECT_EQ(certificate.failed_claims.size(), unit == "edge" ? 2U : 4U);
    EXPECT_TRUE(std::ranges::any_of(certificate.unaccounted, [](const privacy::UnaccountedUse& use) {
      return use.what.find("smallest") == 0;
    })) << "the look at the degrees is listed";
  }
}

// CARIBOU's smallest chains: eight training nodes and as many for validation. A public graph needs no gate,
// for which eight labels are too few, nor a prior that eight nodes have taught.
TEST(Caribou, TellsFewNodesOfAPublicGraphRight) {
  const graph::Dataset data = graph::make_chains(
      {.classes = 2, .chains = 3, .length = 8, .features = 5, .train = 8, .validation = 8, .test = 32}, 1);
  const std::unique_ptr<Method> method =
      method_with("caribou", {"rows=features", "expected_degree=2", "expected_homophily=1"});
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RunRequest run = run_with(request_with("none", {}), seed);
    run.split = "file:public";
    EXPECT_EQ(*run_once(*method, data, run).test_accuracy, 1) << seed;
  }
}

// Features that say nothing and edges that say nothing: the state must not be taken.
TEST(Caribou, IsNoWorseThanTheFeatures) {
  graph::Dataset data = small_graph(400);
  graph::EdgeList edges;
  SeededStream stream(3);
  for (int e = 0; e < 2000; ++e)
    edges.add(static_cast<graph::NodeId>(stream.below(400)), static_cast<graph::NodeId>(stream.below(400)));
  data.graph = graph::Graph(400, std::move(edges), graph::Direction::undirected);
  const std::unique_ptr<Method> method = method_with("caribou", kQuick);
  int taken = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const RunResult result = run_once(*method, data, run_with(request_with("edge", 1), seed));
    for (const auto& [name, value] : result.findings) {
      const bool reads =
          value.find("votes") != std::string::npos && value.find("no votes") == std::string::npos;
      taken += name == "combiner" && reads;
    }
  }
  // By chance one standard error is passed once in six.
  EXPECT_LE(taken, 3);
}

// Without noise there is no doubt about a state that is worse: it is not taken either.
TEST(Caribou, IsNoWorseThanTheFeaturesOfAPublicGraph) {
  graph::DcsbmOptions useless;
  useless.nodes = 600;
  useless.homophily = 0.2;
  const graph::Dataset data = graph::make_dcsbm(useless, 3);
  const std::unique_ptr<Method> method = method_with("caribou", quick_with({"rows=features"}));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const RunResult result = run_once(*method, data, run_with(request_with("none", {}), seed));
    for (const auto& [name, value] : result.findings) {
      if (name != "combiner") continue;
      EXPECT_TRUE(value.find("votes") == std::string::npos || value.find("no votes") != std::string::npos)
          << value;
    }
  }
}

// 200 chains of 8, one node in five labeled, all features zero but those of the heads. The frontier study has
// 64.3 and 72.3 % at its best settings; what is asked here is well below the mean of several seeds.
TEST(Caribou, HearsAlongChains) {
  const graph::Dataset data = graph::make_chains({.classes = 2,
                                                  .chains = 250,
                                                  .length = 8,
                                                  .features = 5,
                                                  .train = 800,
                                                  .validation = 800,
                                                  .test = 2400},
                                                 1);
  const auto accuracy = [&](const std::string& name, const std::string& unit, std::optional<double> epsilon,
                            const std::vector<std::string>& options) {
    const std::unique_ptr<Method> method = method_with(name, options);
    RunRequest run = run_with(request_with(unit, epsilon), 13);
    run.split = "file:public";
    return *run_once(*method, data, run).test_accuracy;
  };
  const std::vector<std::string> chains = {"rows=labels", "expected_degree=2", "expected_homophily=1",
                                           "epochs=30"};
  EXPECT_EQ(accuracy("caribou", "none", {}, chains), 1);
  EXPECT_GT(accuracy("caribou", "edge", 16, chains), 0.66);
  EXPECT_GT(accuracy("caribou", "edge", 8, chains), 0.58);
}

}  // namespace
}  // namespace privet::methods::testing
