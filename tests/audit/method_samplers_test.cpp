// The samplers that methods offer of their mechanisms (Method::audit_sampler): sound ones are consistent with
// what is claimed, and an excess is seen. Every bound below holds with confidence 0.999, so that a sound
// mechanism is accused with probability 1e-3 per audit; seeds are fixed.

#include <gtest/gtest.h>

#include "privet/accounting/calibration.hpp"
#include "privet/audit/mechanism_trials.hpp"
#include "privet/graph/generate.hpp"
#include "privet/learn/clipped_sums_sampler.hpp"
#include "privet/learn/report_sampler.hpp"
#include "privet/methods/caribou/caribou_sampler.hpp"
#include "privet/methods/registry.hpp"
#include "privet/methods/released/top_entries_sampler.hpp"
#include "privet/methods/subgraphs/dp_gnn.hpp"
#include "privet/run/runner.hpp"

namespace privet::audit {
namespace {

using methods::AuditSampler;
using privacy::Rigor;

constexpr double kDelta = 1e-5;

methods::Request request_of(const std::string& unit, double epsilon, Rigor rigor) {
  return {.unit = privacy::Unit::parse(unit),
          .rigor = rigor,
          .epsilon = privacy::Epsilon(epsilon),
          .delta = privacy::Delta(kDelta)};
}

privacy::PublicFacts facts_of(const graph::Dataset& data, const methods::Request& request) {
  const graph::Split split = methods::draw_split(data, request.unit, request.rigor, "75/10/15", 1);
  return privacy::protect(data, split, request.unit).facts;
}

std::optional<AuditSampler> sampler_of(const std::string& name, const std::vector<std::string>& options,
                                       const methods::Request& request, const graph::Dataset& data,
                                       const methods::AuditPair& pair) {
  const std::unique_ptr<methods::Method> method = methods::make_method(name);
  OptionTable table = method->options();
  for (const std::string& option : options) table.set_assignment(option);
  return method->audit_sampler(request, facts_of(data, request), pair);
}

double bound(const AuditSampler& sampler, std::uint64_t draws, double delta = kDelta) {
  return audit_mechanism(sampler, draws, delta, 0.999, SeededStream(3)).epsilon;
}

// A ring of n nodes, and that without the edge {0, 1}.
struct Rings {
  graph::Graph whole;
  graph::Graph cut;

  [[nodiscard]] methods::AuditPair pair() const { return {whole, cut}; }
};

Rings rings(std::size_t nodes) {
  graph::EdgeList all;
  graph::EdgeList fewer;
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto u = static_cast<graph::NodeId>(i);
    const auto v = static_cast<graph::NodeId>((i + 1) % nodes);
    all.add(u, v);
    if (i > 0) fewer.add(u, v);
  }
  return {graph::Graph(nodes, all, graph::Direction::undirected),
          graph::Graph(nodes, fewer, graph::Direction::undirected)};
}

graph::Dataset ring_data() {
  graph::DcsbmOptions options;
  options.nodes = 60;
  options.features = 10;
  graph::Dataset data = graph::make_dcsbm(options, 2);
  data.graph = rings(data.nodes()).whole;
  return data;
}

TEST(MethodSamplers, OneClientsAnswersComeNearTheirClaim) {
  const graph::Dataset data = ring_data();
  const Rings worlds = rings(data.nodes());
  for (const std::string name : {"hpgr", "blink", "rr", "sym-rr", "dprr", "hagei"}) {
    for (const Rigor rigor : {Rigor::kStrict, Rigor::kPaper}) {
      const auto sampler = sampler_of(name, {}, request_of("local-edge", 2, rigor), data, worlds.pair());
      ASSERT_TRUE(sampler) << name;
      const double seen = bound(*sampler, 10000, 0);
      EXPECT_LE(seen, 2) << name;
      EXPECT_GT(seen, 1.6) << name;
    }
  }
}

TEST(MethodSamplers, AClientThatTellsTwiceAsMuchIsSeen) {
  EXPECT_GT(bound(methods::local_report_sampler(2, 0), 20000, 0), 1);
  EXPECT_GT(bound(methods::local_report_sampler(0, 2), 20000, 0), 1);
  EXPECT_GT(bound(methods::local_report_sampler(1, 1), 20000, 0), 1);
}

// Every way in which strict eclipse asks the graph, and lap-graph.
TEST(MethodSamplers, NoisyProductsAndMatricesComeNearTheirClaim) {
  const graph::Dataset data = ring_data();
  const Rings worlds = rings(data.nodes());
  const methods::Request request = request_of("edge", 1, Rigor::kStrict);
  for (const std::string basis : {"features", "iterated", "noisy-matrix"}) {
    const auto sampler = sampler_of("eclipse", {"basis=" + basis}, request, data, worlds.pair());
    ASSERT_TRUE(sampler) << basis;
    const double seen = bound(*sampler, 200000);
    EXPECT_LE(seen, 1) << basis;
    EXPECT_GT(seen, 0.8) << basis;
  }
  for (const std::string unit : {"edge", "directed-edge"}) {
    const auto sampler =
        sampler_of("lap-graph", {}, request_of(unit, 3, Rigor::kStrict), data, worlds.pair());
    ASSERT_TRUE(sampler) << unit;
    const double seen = bound(*sampler, 100000, 0);
    EXPECT_LE(seen, 3) << unit;
    EXPECT_GT(seen, 2.4) << unit;
  }
}

TEST(MethodSamplers, AQuarterOfTheNoiseOfProductsAndMatricesIsSeen) {
  const Rings worlds = rings(60);
  const privacy::Unit edge = privacy::Unit::parse("edge");
  const privacy::NeighborSum sum{.row_bound = 1, .columns = 5};
  const privacy::Sensitivity sensitivity = privacy::neighbor_sum_sensitivity(edge, sum);
  const double planned =
      privacy::calibrate([](double noise) { return privacy::Event(privacy::GaussianEvent{noise}); },
                         privacy::Epsilon(1), privacy::Delta(kDelta));
  const auto sums = [&](double share) {
    const auto noise = privacy::GaussianMechanism::with_multiplier(sensitivity, share * planned);
    return bound(methods::neighbor_sums_sampler(noise, sum, 1, worlds.pair()), 20000);
  };
  EXPECT_LE(sums(1), 1);
  EXPECT_GT(sums(0.25), 1);
  EXPECT_LE(bound(methods::top_entries_sampler({edge, privacy::Epsilon(1)}), 20000, 0), 1);
  EXPECT_GT(bound(methods::top_entries_sampler({edge, privacy::Epsilon(4)}), 20000, 0), 1);
}

TEST(MethodSamplers, TheLastStateIsWithinItsClaim) {
  const graph::Dataset data = ring_data();
  const Rings worlds = rings(data.nodes());
  for (const std::string hops : {"hops=1", "hops=3"}) {
    const auto sampler = sampler_of("caribou", {"floor=2", "contraction=0.8", hops},
                                    request_of("edge", 2, Rigor::kStrict), data, worlds.pair());
    ASSERT_TRUE(sampler);
    const double seen = bound(*sampler, 6000);
    EXPECT_LE(seen, 2) << hops;
    // Of more hops a straight line sees little.
    if (hops == "hops=1") {
      EXPECT_GT(seen, 1);
    }
  }
}

TEST(MethodSamplers, ThePersonsOwnRowIsNotLookedAt) {
  const graph::Dataset data = ring_data();
  // Person 0 of a ring is gone: its neighbours are the ends of a chain.
  graph::EdgeList chain;
  for (graph::NodeId i = 1; i + 1 < data.nodes(); ++i) chain.add(i, i + 1);
  const graph::Graph without(data.nodes(), chain, graph::Direction::undirected);
  const Rings worlds = rings(data.nodes());
  for (const std::string unit : {"node:2", "node:2:add-remove"}) {
    const auto sampler = sampler_of("caribou", {"hops=1"}, request_of(unit, 4, Rigor::kStrict), data,
                                    {worlds.whole, without, 0});
    ASSERT_TRUE(sampler);
    const double seen = bound(*sampler, 10000);
    EXPECT_LE(seen, 4) << unit;
    EXPECT_GT(seen, 0.1) << unit;
  }
}

// The ring's smallest degree is 2 with the edge and 1 without, and the published noise is sized by it.
TEST(MethodSamplers, NoiseSizedByTheGraphsOwnDegreesIsSeen) {
  const graph::Dataset data = ring_data();
  const Rings worlds = rings(data.nodes());
  const auto sampler = sampler_of("caribou", {}, request_of("edge", 1, Rigor::kPaper), data, worlds.pair());
  ASSERT_TRUE(sampler);
  EXPECT_GT(bound(*sampler, 1000), 3);
}

TEST(MethodSamplers, TooLittleNoiseOfTheHopsIsSeen) {
  const graph::Dataset data = ring_data();
  const Rings worlds = rings(data.nodes());
  const methods::Request request = request_of("edge", 1, Rigor::kStrict);
  const privacy::PublicFacts facts = facts_of(data, request);
  for (const auto& [hops, too_little] : {std::pair("1", 2.0), std::pair("3", 20.0)}) {
    methods::CaribouOptions options;
    options.hops = hops;
    options.floor = "2";
    methods::CaribouPlan plan = methods::caribou_plan(options, request, facts);
    plan.iteration = privacy::ContractiveHops::with_stddev(
        plan.iteration->plan(), privacy::NoiseStddev(plan.iteration->stddev().value() / too_little));
    EXPECT_GT(bound(methods::caribou_sampler(plan, request, facts, worlds.pair()), 6000), 1) << hops;
  }
}

TEST(MethodSamplers, NoisySumsAreWithinTheirClaim) {
  const graph::Dataset data = ring_data();
  const Rings worlds = rings(data.nodes());
  for (const std::string unit : {"record", "record:add-remove", "node:2"}) {
    for (const std::string sampling : {"sampling=poisson", "sampling=fixed-size"}) {
      const auto sampler = sampler_of("dp-gnn", {"steps=4", "degree=2", "batch=20", sampling},
                                      request_of(unit, 2, Rigor::kStrict), data, worlds.pair());
      ASSERT_TRUE(sampler);
      const double seen = bound(*sampler, 4000);
      EXPECT_LE(seen, 2) << unit << sampling;
      EXPECT_GT(seen, 0) << unit << sampling;
    }
  }
}

TEST(MethodSamplers, SumsOfFullBatchesComeNearTheirClaim) {
  const graph::Dataset data = ring_data();
  const auto sampler = sampler_of("dp-gnn", {"steps=2", "batch=0"}, request_of("record", 2, Rigor::kStrict),
                                  data, rings(data.nodes()).pair());
  ASSERT_TRUE(sampler);
  const double seen = bound(*sampler, 40000);
  EXPECT_LE(seen, 2);
  EXPECT_GT(seen, 1.5);
}

TEST(MethodSamplers, TooLittleNoiseOfTheSumsIsSeen) {
  const graph::Dataset data = ring_data();
  const methods::Request request = request_of("record", 2, Rigor::kStrict);
  const methods::DpGnn method;
  const nn::PrivateTraining planned = method.parts(request, facts_of(data, request)).training;
  const auto sampler = methods::clipped_sums_sampler(planned.with_noise(planned.noise_multiplier / 3));
  ASSERT_TRUE(sampler);
  EXPECT_GT(bound(*sampler, 4000), 2);
}

// Batches of fixed size are drawn from everybody: of so many that whole runs are no slower.
TEST(MethodSamplers, SumsThatTakeTooLongAreLeftToWholeRuns) {
  const graph::Dataset data = ring_data();
  const methods::Request request = request_of("record", 2, Rigor::kStrict);
  nn::PrivateTraining training = methods::DpGnn().parts(request, facts_of(data, request)).training;
  training.steps = 1000;
  training.population = 100000;
  training.sampling = privacy::FixedSizeSampling{100000, 10000};
  EXPECT_FALSE(methods::clipped_sums_sampler(training));
  training.sampling = privacy::PoissonSampling{0.1};
  EXPECT_TRUE(methods::clipped_sums_sampler(training));
}

}  // namespace
}  // namespace privet::audit
