#include "privet/methods/subgraphs/dp_gnn.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "learn/method_cases.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

const std::vector<std::string> kQuick = {"width=8", "steps=10", "degree=2", "heads=2"};

std::vector<std::string> quick_with(std::vector<std::string> more) {
  more.insert(more.begin(), kQuick.begin(), kQuick.end());
  return more;
}

std::string people() { return fmt::format("node:{}", largest_degree(small_graph().graph)); }

double number_of(const Plan& plan, const std::string& label) {
  for (const auto& [name, value] : plan.numbers) {
    if (name == label) return std::stod(value);
  }
  ADD_FAILURE() << "no " << label;
  return 0;
}

TEST(DpGnn, CertifiesEveryUnit) {
  for (const std::string& unit :
       {std::string("record"), std::string("record:add-remove"), people(), people() + ":add-remove"}) {
    SCOPED_TRACE(unit);
    const std::unique_ptr<Method> method = method_with("dp-gnn", kQuick);
    const RunResult result = run_once(*method, small_graph(), run_with(request_with(unit, 2), 1));
    expect_sound(result, 2);
    EXPECT_EQ(result.certificate.releases.size(), 1U);
  }
}

TEST(DpGnn, CertifiesEveryWayToTrain) {
  for (const std::vector<std::string>& way :
       std::vector<std::vector<std::string>>{{"architecture=gin"},
                                             {"architecture=gat"},
                                             {"layers=2"},
                                             {"encoder_layers=2", "decoder_layers=2", "activation=relu"},
                                             {"batch=50"},
                                             {"batch=50", "sampling=fixed-size"},
                                             {"optimizer=sgd"},
                                             {"clipping=layers"},
                                             {"clip=quantile"},
                                             {"clip=quantile", "clipping=layers"},
                                             {"inference=disjoint"},
                                             {"inference=noisy"}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(way, " ")));
    const std::unique_ptr<Method> method = method_with("dp-gnn", quick_with(way));
    expect_sound(run_once(*method, small_graph(), run_with(request_with("record", 2), 1)), 2);
  }
}

TEST(DpGnn, EdgesAreASet) { expect_edges_are_a_set("dp-gnn", kQuick, "record"); }

TEST(DpGnn, TheModelIsEnough) {
  expect_model_is_enough("dp-gnn", kQuick, "record", 2, true);
  expect_model_is_enough("dp-gnn", quick_with({"inference=noisy"}), "record", 2);
  expect_model_is_enough("dp-gnn", quick_with({"inference=noisy"}), people(), 2);
}

TEST(DpGnn, EveryReleaseHasNoiseOfItsOwn) {
  const std::unique_ptr<Method> method = method_with("dp-gnn", quick_with({"inference=noisy"}));
  const auto model = [&](double epsilon, std::uint64_t seed) {
    return run_once(*method, small_graph(), run_with(request_with("record", epsilon), seed)).model;
  };
  const Model first = model(2, 1);
  EXPECT_EQ(first.tensors, model(2, 1).tensors);
  for (const Model& other : {model(2, 2), model(2.5, 1)}) {
    EXPECT_NE(first.tensor("heard", 300, 9), other.tensor("heard", 300, 9));
    EXPECT_NE(first.tensor("0.weight", 40, 8), other.tensor("0.weight", 40, 8));
  }
}

// A budget beyond any use, where the method must learn if it is right at all. Attention by products hears a
// node's own row most, and learns more slowly.
TEST(DpGnn, LearnsWhereNoiseIsNoMatter) {
  const graph::Dataset data = small_graph(500);
  for (const auto& [way, least] : std::vector<std::pair<std::string, double>>{{"architecture=gcn", 0.6},
                                                                              {"architecture=gin", 0.6},
                                                                              {"architecture=gat", 0.45},
                                                                              {"layers=2", 0.6},
                                                                              {"inference=noisy", 0.6}}) {
    SCOPED_TRACE(way);
    const std::unique_ptr<Method> method =
        method_with("dp-gnn", {"width=16", "steps=80", "degree=4", way, "learning_rate=0.05"});
    RunRequest run = run_with(request_with("record", 1e7), 1);
    run.class_accuracy = true;
    const RunResult result = run_once(*method, data, run);
    EXPECT_GT(*result.test_accuracy, least);
    ASSERT_EQ(result.class_accuracy.size(), 5U);
    EXPECT_GT(*std::ranges::max_element(result.class_accuracy), *result.test_accuracy - 1e-9);
    EXPECT_LT(*std::ranges::min_element(result.class_accuracy), *result.test_accuracy + 1e-9);
  }
}

// The plan and the sampler are one object: as many subgraphs as it counts are paid for.
TEST(DpGnn, PaysForTheSubgraphsThatTheSamplerCounts) {
  const auto affected = [&](const char* unit, std::vector<std::string> options) {
    const std::unique_ptr<Method> with = method_with("dp-gnn", options);
    return number_of(with->plan(request_with(unit, 2), facts_with(5000)), "affected subgraphs");
  };
  EXPECT_EQ(affected("record", {"degree=3", "listeners=4"}), 1 + 4 + 2 * 3);
  EXPECT_EQ(affected("record:add-remove", {"degree=3", "listeners=4"}), 1 + 4 + 3);
  EXPECT_EQ(affected("record", {"degree=2", "layers=2"}), 1 + 2 + 4 + 4 * 3);
  EXPECT_EQ(affected("node:6", {"degree=3"}), 13);
  EXPECT_EQ(affected("node:6:add-remove", {"degree=3"}), 7);
}

// With the noise given, training ends before the step that would exceed the budget.
TEST(DpGnn, StopsBeforeTheBudgetIsExceeded) {
  const auto plan_with = [](double epsilon, const std::string& steps) {
    const std::unique_ptr<Method> method =
        method_with("dp-gnn", quick_with({"noise_multiplier=2", "batch=100", steps}));
    return method->plan(request_with("record", epsilon), facts_with(1000));
  };
  const Plan plan = plan_with(3, "steps=100000");
  const double steps = number_of(plan, "steps");
  EXPECT_GT(steps, 10);
  EXPECT_LT(steps, 100000);
  EXPECT_LE(privacy::epsilon(plan.event, privacy::Delta(1e-6)).upper, 3);
  const Plan more = plan_with(1e6, fmt::format("steps={}", steps + 1));
  EXPECT_EQ(number_of(more, "steps"), steps + 1);
  EXPECT_GT(privacy::epsilon(more.event, privacy::Delta(1e-6)).upper, 3) << "one step more is too many";
  const std::unique_ptr<Method> loud = method_with("dp-gnn", quick_with({"noise_multiplier=0.01"}));
  EXPECT_THROW((void)loud->plan(request_with("record", 1), facts_with(1000)), InvalidArgument);
}

// Daigavane et al. on ogbn-arxiv: K 7, lambda 1, batches of 10,000: their accountant says 30 after 711 steps.
TEST(DpGnn, PaperRigorListsWhatFails) {
  const std::unique_ptr<Method> method =
      method_with("dp-gnn", {"width=100", "degree=7", "batch=10000", "steps=711", "noise_multiplier=1"});
  Request request = request_with("node:100:add-remove", 30.1, privacy::Rigor::kPaper, 1.0 / 909'410);
  const Plan plan = method->plan(request, facts_with(90'941, 128, 40));
  EXPECT_NEAR(*plan.claimed_epsilon, 30.0, 0.06);
  EXPECT_EQ(number_of(plan, "steps"), 711);
  ASSERT_EQ(plan.failed_claims.size(), 3U);
  EXPECT_NE(plan.failed_claims[0].find("Algorithm 2"), std::string::npos);
  EXPECT_NE(plan.failed_claims[1].find("sqrt(3)"), std::string::npos);
  EXPECT_NE(plan.failed_claims[2].find("percentiles"), std::string::npos);
  // An independent implementation: about 65 for three groups.
  EXPECT_NEAR(number_of(plan, "claimed by Theorem 1, noise of each layer counted"), 65, 1);
  EXPECT_LT(number_of(plan, "were Algorithm 2 stable, by the tight accountant"),
            number_of(plan, "claimed by Theorem 1, as published"));
  EXPECT_GT(number_of(plan, "were it stable, each layer counted, by the tight accountant"),
            number_of(plan, "were Algorithm 2 stable, by the tight accountant"));
  request.unit = privacy::Unit::parse("node:100");
  EXPECT_EQ(method->plan(request, facts_with(90'941, 128, 40)).failed_claims.size(), 4U);
}

TEST(DpGnn, PaperRigorPrintsNoGuarantee) {
  const std::unique_ptr<Method> method = method_with("dp-gnn", quick_with({"batch=50"}));
  const RunResult result =
      run_once(*method, small_graph(), run_with(request_with("record", 5, privacy::Rigor::kPaper), 1));
  EXPECT_FALSE(result.certificate.sound);
  EXPECT_FALSE(result.certificate.epsilon.has_value());
  EXPECT_NEAR(*result.certificate.claimed_epsilon, 5, 0.01);
  ASSERT_GE(result.certificate.unaccounted.size(), 2U);
  EXPECT_NE(result.certificate.unaccounted[0].what.find("percentiles"), std::string::npos);
}

TEST(DpGnn, CertificatesSayWhatPredictingSees) {
  for (const char* way : {"visible", "noisy", "disjoint"}) {
    const std::unique_ptr<Method> method =
        method_with("dp-gnn", quick_with({fmt::format("inference={}", way)}));
    const Plan plan = method->plan(request_with("record", 2), facts_with(1000));
    EXPECT_NE(plan.assumptions.back().find(fmt::format("inference {}", way)), std::string::npos);
  }
}

// Behind noisy inference no score depends on the edges but through what was released; visible inference reads
// the graph; disjoint inference reads edges within roles alone.
TEST(DpGnn, DisjointInferenceReadsNoEdgeAcrossRoles) {
  const graph::Dataset data = small_graph();
  const std::unique_ptr<Method> method = method_with("dp-gnn", quick_with({"inference=disjoint"}));
  RunRequest run = run_with(request_with("record", 2), 1);
  run.class_accuracy = true;
  const graph::Split split = draw_split(data, run.request.unit, run.request.rigor, run.split, run.seed);
  graph::Dataset within = data;
  graph::EdgeList edges;
  for (graph::NodeId i = 0; i < data.nodes(); ++i) {
    for (const graph::NodeId j : data.graph.neighbors(i)) {
      if (split.roles[i] == split.roles[j]) edges.add(i, j);
    }
  }
  within.graph = graph::Graph(data.nodes(), std::move(edges), graph::Direction::undirected);
  ASSERT_LT(within.graph.stored_entries(), data.graph.stored_entries());
  const RunResult one = run_once(*method, data, run);
  const RunResult other = run_once(*method, within, run);
  EXPECT_EQ(one.model.tensors, other.model.tensors);
  EXPECT_EQ(one.class_accuracy, other.class_accuracy);
}

// What nodes hear of those who name them, of rows of norm at most 1: sqrt K for a blanked record, twice that
// for a replaced one.
TEST(DpGnn, NoRecordMovesWhatOthersHearFurtherThanStated) {
  constexpr std::uint64_t kMost = 3;
  for (const char* text : {"record:add-remove", "record:replace"}) {
    const privacy::Unit unit = privacy::Unit::parse(text);
    SeededStream stream(7);
    const privacy::testing::Found found = privacy::testing::search_uphill(
        {.nodes = 9, .columns = 2, .rows_change = true, .starts = 4, .steps = 3000}, unit,
        [](const privacy::testing::World& world, std::size_t) {
          return released_sums(privacy::named_by(privacy::capped_lists(world.graph(false), kMost, 5)),
                               world.matrix(), {});
        },
        privacy::testing::Norm::l2, stream);
    const double stated =
        privacy::own_list_sum_sensitivity(
            unit, {.row_bound = 1, .columns = 2, .rows = privacy::RowsOf::their_owners}, kMost, kMost)
            .l2()
            .value();
    EXPECT_GT(found.pairs, 1000U);
    EXPECT_LE(found.largest, stated * (1 + 1e-6)) << text;
    EXPECT_GT(found.largest, 0.95 * stated) << text;
  }
}

TEST(DpGnn, InfersOnAnotherGraphWithABudget) {
  const std::unique_ptr<Method> method = method_with("dp-gnn", quick_with({"inference=noisy"}));
  const Model model = run_once(*method, small_graph(), run_with(request_with("record", 2), 1)).model;
  const graph::Dataset other = small_graph(200, 8);
  const InferenceResult one = infer_once(*method, model, other, run_with(request_with("record", 1), 1));
  EXPECT_TRUE(one.certificate.sound);
  EXPECT_EQ(one.certificate.releases.size(), 1U);
  EXPECT_TRUE(one.scores.is_secret());
  EXPECT_THROW((void)infer_once(*method, model, other, run_with(request_with("record", {}), 1)),
               InvalidArgument);
}

TEST(DpGnn, RefusesWhatItCannotServe) {
  const DpGnn method;
  for (const char* unit : {"none", "edge", "k-neighbor:3"})
    EXPECT_THROW((void)method.plan(request_with(unit, 1), facts_with(100)), InvalidArgument) << unit;
  EXPECT_THROW((void)method.plan(request_with("record", {}), facts_with(100)), InvalidArgument);
  for (const std::vector<std::string>& way :
       std::vector<std::vector<std::string>>{{"inference=noisy", "layers=2"},
                                             {"inference=noisy", "architecture=gat"},
                                             {"architecture=gat", "width=10", "heads=3"}}) {
    EXPECT_THROW((void)method_with("dp-gnn", way)->plan(request_with("record", 1), facts_with(100)),
                 InvalidArgument);
  }
}

TEST(DpGnn, PresetsAreThePapersSettings) {
  for (const Preset& preset : DpGnn().presets()) {
    const std::unique_ptr<Method> method = make_method("dp-gnn");
    method->use_preset(preset.name);
    EXPECT_NO_THROW((void)method->plan(request_with("record", 30, privacy::Rigor::kPaper, 1e-6),
                                       facts_with(90'941, 128, 40)))
        << preset.name;
  }
}

graph::Dataset with_other_features(graph::Dataset data, graph::NodeId node) {
  const auto& sparse = std::get<tensor::SparseMatrix>(data.features);
  tensor::Matrix rows(sparse.rows(), sparse.columns());
  for (std::size_t v = 0; v < sparse.rows(); ++v) {
    for (std::uint64_t k = sparse.offsets()[v]; k < sparse.offsets()[v + 1]; ++k)
      rows(v, sparse.column_indices()[k]) = sparse.value(k);
  }
  for (float& value : rows.row(node)) value = 1 - value;
  data.features = std::move(rows);
  return data;
}

// What reads the neighbours' features without noise is never certified for another graph, and says so of its
// own.
TEST(DpGnn, AnswersFromOthersAreNoGuarantee) {
  for (const char* way : {"visible", "disjoint"}) {
    const std::unique_ptr<Method> method =
        method_with("dp-gnn", quick_with({std::string("inference=") + way}));
    const RunResult result = run_once(*method, small_graph(), run_with(request_with("record", 4), 1));
    EXPECT_TRUE(std::ranges::any_of(result.certificate.unaccounted, [](const privacy::UnaccountedUse& use) {
      return use.what.find("features of those whom a node hears") != std::string::npos;
    })) << way;
    EXPECT_THROW(
        (void)infer_once(*method, result.model, small_graph(200, 8), run_with(request_with("record", 4), 1)),
        Unsound)
        << way;
    EXPECT_EQ(
        shown(infer_once(*method, result.model, small_graph(200, 8), run_with(request_with("none", {}), 1))
                  .scores)
            .rows(),
        200U);
  }
}

// Whoever asks a model of disjoint inference later has no roles at hand; the model has them.
TEST(DpGnn, DisjointStaysDisjointWhenAskedLater) {
  const graph::Dataset data = small_graph();
  const std::unique_ptr<Method> method = method_with("dp-gnn", quick_with({"inference=disjoint"}));
  const Model model = run_once(*method, data, run_with(request_with("record", 4), 1)).model;
  const graph::Split split =
      draw_split(data, privacy::Unit::parse("record"), privacy::Rigor::kStrict, "75/10/15", std::uint64_t{1});
  const graph::NodeId trained = split.nodes(graph::Role::train).front();
  const tensor::Matrix before = shown(method->scores(model, for_prediction(data, "record")));
  const tensor::Matrix after =
      shown(method->scores(model, for_prediction(with_other_features(data, trained), "record")));
  std::size_t moved = 0;
  for (graph::NodeId v = 0; v < data.nodes(); ++v) {
    const bool same = std::ranges::equal(before.row(v), after.row(v));
    moved += same ? 0 : 1;
    EXPECT_TRUE(same || split.roles[v] == graph::Role::train) << v;
  }
  EXPECT_GT(moved, 1U);
}

TEST(DpGnn, RefusesSubgraphsWhoseRoundingIsNotBounded) {
  const std::unique_ptr<Method> method = method_with("dp-gnn", {"layers=2", "degree=500"});
  EXPECT_THROW((void)method->plan(request_with("record", 4), facts_with(5000)), InvalidArgument);
}

}  // namespace
}  // namespace privet::methods::testing
