#include "privet/methods/gap/gap.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/simulation.hpp"
#include "learn/method_cases.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

const std::vector<std::string> kQuick = {"width=8", "hops=2", "encoder_epochs=10", "classifier_epochs=10"};

TEST(Gap, LearnsFromTheGraph) {
  const std::unique_ptr<Method> method = make_method("gap");
  const RunResult result = run_once(*method, small_graph(500), run_with(request_with("none", {}), 1));
  EXPECT_GT(*result.test_accuracy, 0.6);
  EXPECT_FALSE(result.certificate.sound);
  EXPECT_TRUE(result.certificate.releases.empty());
}

TEST(Gap, CertifiesEveryUnit) {
  const graph::Dataset data = small_graph();
  const std::uint64_t degree = largest_degree(data.graph);
  for (const std::string& unit :
       {std::string("edge"), std::string("directed-edge"), fmt::format("node:{}", degree),
        fmt::format("node:{}:add-remove", degree)}) {
    SCOPED_TRACE(unit);
    const std::unique_ptr<Method> method = method_with("gap", kQuick);
    const RunResult result = run_once(*method, data, run_with(request_with(unit, 2), 1));
    expect_sound(result, 2);
    const bool people = privacy::Unit::parse(unit).protects_features();
    EXPECT_EQ(result.certificate.releases.size(), people ? 4U : 2U);
    for (const privacy::UnaccountedUse& use : result.certificate.unaccounted)
      EXPECT_EQ(use.what.find("validation"), std::string::npos);
  }
}

TEST(Gap, EdgesAreASet) { expect_edges_are_a_set("gap", kQuick, "edge"); }

TEST(Gap, TheModelIsEnough) {
  expect_model_is_enough("gap", kQuick, "edge", 2);
  expect_model_is_enough("gap", kQuick, "none", {});
  expect_model_is_enough("gap", kQuick, fmt::format("node:{}", largest_degree(small_graph().graph)), 2);
}

TEST(Gap, EveryReleaseHasNoiseOfItsOwn) {
  // Without edges hops are nothing but noise, scaled to norm 1.
  graph::Dataset data = small_graph();
  data.graph = graph::Graph(data.nodes(), graph::EdgeList(), graph::Direction::undirected);
  const std::unique_ptr<Method> method = method_with("gap", kQuick);
  const auto hop = [](const RunResult& result, const std::string& name) {
    return result.model.tensor(name, 300, 8);
  };
  const RunResult first = run_once(*method, data, run_with(request_with("edge", 2), 1));
  EXPECT_NE(hop(first, "hop.1"), hop(first, "hop.2"));
  const RunResult again = run_once(*method, data, run_with(request_with("edge", 2), 1));
  EXPECT_EQ(hop(first, "hop.1"), hop(again, "hop.1")) << "a seed repeats a run";
  for (const RunRequest& other :
       {run_with(request_with("edge", 2), 2), run_with(request_with("edge", 2.5), 1),
        run_with(request_with("edge", 2), std::nullopt)}) {
    EXPECT_NE(hop(first, "hop.1"), hop(run_once(*method, data, other), "hop.1"));
  }
}

TEST(Gap, InfersOnAnotherGraphWithABudget) {
  const std::unique_ptr<Method> method = method_with("gap", kQuick);
  method->options().set("gate", "no");
  const Model model = run_once(*method, small_graph(), run_with(request_with("edge", 2), 1)).model;
  const graph::Dataset other = small_graph(200, 8);
  const InferenceResult one = infer_once(*method, model, other, run_with(request_with("edge", 1), 1));
  EXPECT_TRUE(one.certificate.sound);
  EXPECT_LE(*one.certificate.epsilon, 1);
  EXPECT_EQ(one.certificate.releases.size(), 2U);
  EXPECT_EQ(shown(one.scores).rows(), 200U);
  const InferenceResult fresh = infer_once(*method, model, other, run_with(request_with("edge", 1), {}));
  EXPECT_NE(shown(one.scores), shown(fresh.scores));
  // The unit belongs to the graph: people of the new one may be protected though the model's were not.
  const std::string people = fmt::format("node:{}", largest_degree(other.graph));
  const InferenceResult hidden = infer_once(*method, model, other, run_with(request_with(people, 1), 1));
  EXPECT_TRUE(hidden.scores.is_secret());
  EXPECT_TRUE(hidden.certificate.sound);
  EXPECT_THROW((void)infer_once(*method, model, other, run_with(request_with("edge", {}), 1)),
               InvalidArgument);
  EXPECT_TRUE(
      infer_once(*method, model, other, run_with(request_with("none", {}), 1)).certificate.releases.empty());
  // The model's own releases are not for another graph.
  EXPECT_THROW((void)method->scores(model, for_prediction(other, "edge")), DataError);
}

TEST(Gap, RefusesWhatItCannotServe) {
  const Gap method;
  const privacy::PublicFacts facts = facts_with(100, 10, 3);
  EXPECT_THROW((void)method.plan(request_with("k-neighbor:3", 1), facts), Unsound);
  EXPECT_THROW((void)method.plan(request_with("edge", {}), facts), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("record", 1), facts), InvalidArgument);
  EXPECT_THROW((void)method.plan(request_with("local-edge", 1), facts), InvalidArgument);
}

TEST(Gap, WeightsShiftTheBudget) {
  Gap method;
  const privacy::PublicFacts facts = facts_with(1000, 10, 3);
  const Request request = request_with("node:10", 2);
  const Gap::Parts even = method.parts(request, facts);
  EXPECT_NEAR(even.encoder->noise_multiplier, 2 / privacy::gaussian_dp_mu(even.hop->event()), 1e-9)
      << "one multiplier; a replaced example moves the sum by two clip norms";
  method.options().set("hops_noise", "0.25");
  const Gap::Parts shifted = method.parts(request, facts);
  EXPECT_LT(shifted.hop->stddev().value(), even.hop->stddev().value());
  EXPECT_GT(shifted.encoder->noise_multiplier, even.encoder->noise_multiplier);
  EXPECT_LE(privacy::epsilon(shifted.event(1), request.delta).upper, 2);
}

// gap.md, section 3: Facebook at edge level, K = 2, delta 1e-7, epsilon 4: 1.835; GAP-NDP, epsilon 8, delta
// 1e-5: 1.004, noise 10 times that. DPDGC's fork, Cora, K = 9: 38.3566, in units of two clip norms.
TEST(Gap, PaperRigorHasThePublishedNoise) {
  Gap method;
  method.use_preset("gap");
  const Gap::Parts edge =
      method.parts(request_with("edge", 4, privacy::Rigor::kPaper, 1e-7), facts_with(19'805));
  EXPECT_NEAR(edge.hop->stddev().value(), 1.835, 6e-4);
  method.use_preset("gap-node");
  const Gap::Parts node =
      method.parts(request_with("node:500:add-remove", 8, privacy::Rigor::kPaper, 1e-5), facts_with(19'805));
  EXPECT_NEAR(node.hop->stddev().value(), 10.04, 6e-3);
  EXPECT_NEAR(node.encoder->noise_multiplier, 1.004, 6e-4);
  EXPECT_EQ(node.sampled_degree, 100U);
  method.use_preset("dpdgc-node-256");
  method.options().set("hops", "9");
  const Gap::Parts fork =
      method.parts(request_with("node:100", 1, privacy::Rigor::kPaper, 1e-4), facts_with(1'895, 1433, 7));
  EXPECT_NEAR(fork.encoder->noise_multiplier, 2 * 38.3566, 2e-3);
  EXPECT_NEAR(fork.hop->stddev().value(), 20 * 38.3566, 2e-2);
  EXPECT_EQ(fork.sampled_degree, 0U) << "nothing to cut down";
}

TEST(Gap, PaperRigorSaysWhatFails) {
  const graph::Dataset data = small_graph();
  const std::uint64_t degree = largest_degree(data.graph);
  const auto certificate = [&](const std::string& unit, std::vector<std::string> options) {
    const std::unique_ptr<Method> method = method_with("gap", options);
    return run_once(*method, data, run_with(request_with(unit, 4, privacy::Rigor::kPaper), 1)).certificate;
  };
  const privacy::Certificate edge = certificate("edge", kQuick);
  EXPECT_FALSE(edge.sound);
  EXPECT_EQ(edge.failed_claims.size(), 1U);
  EXPECT_NEAR(*edge.claimed_epsilon, 4, 1e-6);
  EXPECT_TRUE(certificate("directed-edge", kQuick).sound) << "one entry is what the paper counts";
  std::vector<std::string> sampling = kQuick;
  sampling.insert(sampling.end(), {"max_degree=3", "batch=64"});
  const privacy::Certificate node = certificate(fmt::format("node:{}", degree), sampling);
  EXPECT_FALSE(node.sound);
  EXPECT_EQ(node.failed_claims.size(), 3U);
  EXPECT_EQ(certificate("k-neighbor:2", sampling).failed_claims.size(), 3U);
}

// The release on a pair of neighbours, distinguished by the most powerful test: the part of the sums in the
// direction of the difference. Twice 50,000 draws; each bound is wrong with probability 1e-6.
TEST(Gap, TheReleaseKeepsItsPromiseOnTwoWorlds) {
  constexpr double kEpsilon = 1;
  constexpr double kDelta = 0.01;
  constexpr std::size_t kNodes = 4;
  graph::EdgeList edges;
  edges.add(0, 2);
  edges.add(1, 3);
  graph::EdgeList more = edges;
  more.add(0, 1);
  const graph::Graph without(kNodes, std::move(edges), graph::Direction::undirected);
  const graph::Graph with(kNodes, std::move(more), graph::Direction::undirected);
  tensor::Matrix rows(kNodes, 1);
  std::ranges::fill(rows.values(), 1.0F);
  const auto measured = [&](privacy::Rigor rigor) {
    Gap method;
    method.options().set("width", "1");
    const Gap::Parts parts =
        method.parts(request_with("edge", kEpsilon, rigor, kDelta), facts_with(kNodes, 3, 2));
    const double grid = parts.hop->grid();
    SeededStream stream(21);
    privacy::ReleaseLog log;
    privacy::testing::TwoWorlds seen{.draws = 50'000};
    // Where the likelihood ratio is e^epsilon for the strict noise.
    const auto hits = [&](const graph::Graph& graph) {
      const privacy::Secret<privacy::FixedPointMatrix> sums(
          privacy::neighbor_sums(graph, rows, {.grid = grid, .row_bound = 1}));
      std::uint64_t count = 0;
      for (std::uint64_t draw = 0; draw < seen.draws; ++draw) {
        const tensor::Matrix out = parts.hop->release(sums, kNodes, 1, "sums", log, stream);
        count += (out(0, 0) - 1) + (out(1, 0) - 1) > 6.0F;
      }
      return count;
    };
    seen.likely = hits(with);
    seen.unlikely = hits(without);
    return privacy::testing::measured_epsilon(seen, kDelta);
  };
  const double strict = measured(privacy::Rigor::kStrict);
  EXPECT_LE(strict, kEpsilon);
  EXPECT_GT(strict, 0.6 * kEpsilon) << "the test can see a leak of this size";
  EXPECT_GT(measured(privacy::Rigor::kPaper), kEpsilon) << "the published noise is too small";
}

}  // namespace
}  // namespace privet::methods::testing
