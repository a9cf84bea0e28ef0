#include "privet/graph/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/graph/statistics.hpp"

namespace privet::graph {
namespace {

// Seeds are fixed. Each statistical check allows five standard deviations of the model's own law: a right
// generator fails one with probability below 1e-6.
constexpr double kDeviations = 5;

struct Counts {
  double inside = 0;
  double across = 0;
};

Counts edge_counts(const Dataset& d) {
  Counts counts;
  for (NodeId i = 0; i < d.nodes(); ++i) {
    for (const NodeId j : d.graph.neighbors(i)) {
      if (j > i) ++(d.labels[i] == d.labels[j] ? counts.inside : counts.across);
    }
  }
  return counts;
}

void expect_binomial(double count, double trials, double p, const char* what) {
  EXPECT_NEAR(count, trials * p, kDeviations * std::sqrt(trials * p * (1 - p)) + 1e-9) << what;
}

double pairs_inside(const Dataset& d) {
  double pairs = 0;
  for (const std::size_t size : class_counts(d.labels, d.classes)) {
    pairs += static_cast<double>(size) * static_cast<double>(size - 1) / 2;
  }
  return pairs;
}

double all_pairs(const Dataset& d) {
  return static_cast<double>(d.nodes()) * static_cast<double>(d.nodes() - 1) / 2;
}

TEST(Sbm, EdgeCountsInsideAndAcrossAreBinomial) {
  for (const double homophily : {0.9, 0.5, 0.1}) {
    const SbmOptions o{.nodes = 6000, .classes = 3, .mean_degree = 12, .homophily = homophily};
    const Dataset d = make_sbm(o, 1);
    const SbmProbabilities p = sbm_probabilities(o);
    const Counts counts = edge_counts(d);
    expect_binomial(counts.inside, pairs_inside(d), p.inside, "inside");
    expect_binomial(counts.across, all_pairs(d) - pairs_inside(d), p.across, "across");
    EXPECT_NEAR(edge_homophily(d.graph, d.labels), homophily, 0.01);
    EXPECT_NEAR(degree_summary(d.graph).mean, 12, 0.25);
  }
}

// Degrees are Binomial, nearly Poisson(12): chi-square over 10 bins (9 degrees of freedom); 45.1 is exceeded
// with probability 1e-6.
TEST(Sbm, DegreesFollowTheBinomialLaw) {
  const Dataset d = make_sbm({.nodes = 20000, .classes = 2, .mean_degree = 12, .homophily = 0.7}, 2);
  std::vector<double> observed(10);
  for (NodeId i = 0; i < d.nodes(); ++i) {
    observed[std::clamp<std::size_t>(d.graph.degree(i), 8, 17) - 8] += 1;
  }
  double log_p = -12;
  std::vector<double> expected(10);
  for (std::size_t k = 0; k < 60; ++k) {
    if (k > 0) log_p += std::log(12.0 / static_cast<double>(k));
    expected[std::clamp<std::size_t>(k, 8, 17) - 8] += 20000 * std::exp(log_p);
  }
  double chi_square = 0;
  for (std::size_t b = 0; b < 10; ++b) chi_square += std::pow(observed[b] - expected[b], 2) / expected[b];
  EXPECT_LT(chi_square, 45.1);
}

TEST(Sbm, EveryPairHasItsChance) {
  // Ten nodes, many seeds: each of the 45 pairs appears as often as its probability says.
  const SbmOptions o{.nodes = 10, .classes = 2, .mean_degree = 4, .homophily = 0.7};
  const SbmProbabilities p = sbm_probabilities(o);
  std::vector<double> inside(100), across(100);
  constexpr int kGraphs = 4000;
  std::vector<double> seen_inside(100), seen_across(100);
  for (int seed = 0; seed < kGraphs; ++seed) {
    const Dataset d = make_sbm(o, static_cast<std::uint64_t>(seed));
    for (NodeId i = 0; i < 10; ++i) {
      for (NodeId j = i + 1; j < 10; ++j) {
        auto& trials = d.labels[i] == d.labels[j] ? inside : across;
        auto& seen = d.labels[i] == d.labels[j] ? seen_inside : seen_across;
        ++trials[i * 10 + j];
        seen[i * 10 + j] += d.graph.has_entry(i, j);
      }
    }
  }
  for (std::size_t k = 0; k < 100; ++k) {
    if (inside[k] > 0) expect_binomial(seen_inside[k], inside[k], p.inside, "inside pair");
    if (across[k] > 0) expect_binomial(seen_across[k], across[k], p.across, "pair across");
  }
}

TEST(Sbm, RefusesWhatNoGraphCanHave) {
  EXPECT_THROW(make_sbm({.nodes = 10, .classes = 2, .mean_degree = 9, .homophily = 1}, 1), InvalidArgument);
  EXPECT_THROW(make_sbm({.nodes = 2, .classes = 3, .mean_degree = 1, .homophily = 1}, 1), InvalidArgument);
}

TEST(Csbm, EdgesAndFeaturesCarryTheSignalThatPhiSays) {
  for (const double phi : {-0.75, 0.0, 0.5}) {
    const CsbmOptions o{.nodes = 4000, .features = 50, .mean_degree = 10, .phi = phi, .arc = 3.25};
    const Dataset d = make_csbm(o, 3);
    const double lambda = std::sqrt(4.25) * std::sin(phi * std::acos(-1.0) / 2);
    const Counts counts = edge_counts(d);
    expect_binomial(counts.inside, pairs_inside(d), (10 + lambda * std::sqrt(10.0)) / 4000, "inside");
    expect_binomial(counts.across, all_pairs(d) - pairs_inside(d), (10 - lambda * std::sqrt(10.0)) / 4000,
                    "across");

    // The difference of the class means is 2 sqrt(mu/n) u, |u|^2 = 1 on average (chi-square with 50 degrees
    // of freedom / 50), plus noise of variance 4/n in total.
    const auto& x = std::get<tensor::Matrix>(d.features);
    double squared = 0;
    for (std::size_t j = 0; j < 50; ++j) {
      double difference = 0;
      for (std::size_t i = 0; i < 4000; ++i) difference += (d.labels[i] == 1 ? 1 : -1) * x(i, j);
      squared += std::pow(difference / 2000, 2);
    }
    const double mu = std::sqrt(4.25 * 4000 / 50) * std::cos(phi * std::acos(-1.0) / 2);
    const double expected = 4 * mu / 4000 + 4.0 / 4000;
    EXPECT_NEAR(squared, expected, kDeviations * expected * std::sqrt(2.0 / 50)) << phi;
  }
}

TEST(Csbm, RowsHaveUnitNoise) {
  const Dataset d = make_csbm({.nodes = 2000, .features = 100, .mean_degree = 5, .phi = 1, .arc = 3.25}, 4);
  const auto& x = std::get<tensor::Matrix>(d.features);
  double squares = 0;
  for (const float value : x.values()) squares += static_cast<double>(value) * value;
  EXPECT_NEAR(squares / 2000, 1, kDeviations * std::sqrt(2.0 / (2000 * 100)));
}

TEST(Dcsbm, MeetingsHomophilyAndTailAreTheModels) {
  const DcsbmOptions o{.nodes = 20000,
                       .classes = 4,
                       .imbalance = 2,
                       .mean_degree = 10,
                       .homophily = 0.7,
                       .exponent = 2.5,
                       .max_weight = 100,
                       .features = 100,
                       .mean_words = 10,
                       .signal = 0.3,
                       .topic_words = 20};
  const Dataset d = make_dcsbm(o, 5);
  // Repeats and loops cost a little of the 100,000 meetings; at this size under 3%.
  EXPECT_LT(static_cast<double>(d.graph.edges()), 100'000 + kDeviations * std::sqrt(100'000));
  EXPECT_GT(static_cast<double>(d.graph.edges()), 97'000 - kDeviations * std::sqrt(100'000));
  EXPECT_NEAR(edge_homophily(d.graph, d.labels), 0.7, 0.01);

  // The weight law: P(w > x) = (x^-1.5 - 100^-1.5) / (1 - 100^-1.5). A node of weight w has Poisson degree
  // with mean about 10 w / E[w], so far out the share of nodes above a degree is that of the weights above
  // degree E[w]/10.
  const double cut = std::pow(100, -1.5);
  const auto above = [&](double x) { return (std::pow(x, -1.5) - cut) / (1 - cut); };
  const double mean_weight = 3 * (1 - std::pow(100, -0.5)) / (1 - cut);
  for (const double degree : {60.0, 120.0}) {
    const double expected = 20000 * above(degree * mean_weight / 10);
    double observed = 0;
    for (NodeId i = 0; i < d.nodes(); ++i) observed += static_cast<double>(d.graph.degree(i)) > degree;
    // Repeats thin the hubs, and classes differ a little in their volume: allow 12% beside the sampling
    // error.
    EXPECT_NEAR(observed, expected, kDeviations * std::sqrt(expected) + 0.12 * expected) << degree;
  }
}

TEST(Dcsbm, ClassesHaveTheirSizesAndTopics) {
  const DcsbmOptions o{.nodes = 3000,
                       .classes = 3,
                       .imbalance = 4,
                       .mean_degree = 5,
                       .homophily = 0.5,
                       .exponent = 3,
                       .max_weight = 20,
                       .features = 90,
                       .mean_words = 12,
                       .signal = 0.5,
                       .topic_words = 30};
  const Dataset d = make_dcsbm(o, 6);
  const auto sizes = class_counts(d.labels, 3);
  EXPECT_NEAR(static_cast<double>(sizes[0]) / static_cast<double>(sizes[2]), 4, 0.05);
  // Within a class half the words and a third of the rest come from its 30 topic words: 2/3 of the draws.
  const auto& words = std::get<tensor::SparseMatrix>(d.features);
  for (std::int32_t c = 0; c < 3; ++c) {
    std::vector<double> count(90);
    for (std::size_t i = 0; i < 3000; ++i) {
      if (d.labels[i] != c) continue;
      for (const auto word : words.row_columns(i)) ++count[word];
    }
    std::sort(count.rbegin(), count.rend());
    // The 30 commonest words are the topic; each is met in 1-exp(-12*(2/3)/30) of the rows, the others in
    // 1-exp(-12*(1/3)/60).
    const double topic = std::accumulate(count.begin(), count.begin() + 30, 0.0);
    const double rest = std::accumulate(count.begin() + 30, count.end(), 0.0);
    const double n = static_cast<double>(sizes[static_cast<std::size_t>(c)]);
    expect_binomial(topic, 30 * n, 1 - std::exp(-12 * (2.0 / 3) / 30), "topic");
    expect_binomial(rest, 60 * n, 1 - std::exp(-12 * (1.0 / 3) / 60), "rest");
  }
}

TEST(Chains, OnlyTheFirstNodeOfAChainCarriesItsClass) {
  const Dataset d = find_generator("chain-s").make({}, 1);
  check(d, "chain-s");
  EXPECT_EQ(d.nodes(), 48u);
  EXPECT_EQ(d.graph.edges(), 42u);
  ASSERT_TRUE(d.directed_graph.has_value());
  EXPECT_EQ(d.directed_graph->stored_entries(), 42u);
  const auto& x = std::get<tensor::SparseMatrix>(d.features);
  for (std::size_t i = 0; i < 48; ++i) {
    ASSERT_EQ(x.row_columns(i).size(), i % 8 == 0 ? 1u : 0u);
    if (i % 8 == 0) {
      EXPECT_EQ(x.row_columns(i)[0], static_cast<std::uint32_t>(d.labels[i]));
    }
  }
  // CARIBOU's table 5: 8/8/32 nodes, and 25/25/100 for the largest.
  EXPECT_EQ(d.splits[0].count(Role::train), 8u);
  EXPECT_EQ(d.splits[0].count(Role::validation), 8u);
  EXPECT_EQ(d.splits[0].count(Role::test), 32u);
  const Dataset x150 = find_generator("chain-x").make({}, 1);
  EXPECT_EQ(x150.nodes(), 150u);
  EXPECT_EQ(x150.splits[0].count(Role::test), 100u);
}

// The share of the larger class among the published test nodes, as CARIBOU's logs have it.
TEST(Chains, HaveThePublishedSplit) {
  for (const auto& [name, percent] : std::vector<std::pair<std::string, double>>{
           {"chain-s", 56.25}, {"chain-m", 55.0}, {"chain-l", 51.67}, {"chain-x", 51.0}}) {
    const Dataset d = find_generator(name).make({}, 1);
    ASSERT_EQ(d.splits.size(), 2u) << name;
    const Split& split = d.splits[1];
    EXPECT_EQ(split.name, "published");
    ASSERT_EQ(split.roles.size(), d.nodes()) << name;
    for (const Role role : {Role::train, Role::validation, Role::test})
      EXPECT_EQ(split.count(role), d.splits[0].count(role)) << name;
    double ones = 0;
    for (const NodeId node : split.nodes(Role::test)) ones += d.labels[node];
    const double share = ones / static_cast<double>(split.count(Role::test));
    EXPECT_NEAR(100 * std::max(share, 1 - share), percent, 0.01) << name;
  }
  EXPECT_EQ(find_generator("chains").make({}, 1).splits.size(), 1u);
}

TEST(Generators, SameSeedSameBytesOnAnyNumberOfThreads) {
  const std::size_t before = thread_count();
  for (const Generator& generator : generators()) {
    std::vector<std::string> small;
    if (generator.name == "csbm") small = {"nodes=2000", "features=20"};
    if (generator.name == "sbm") small = {"nodes=40000", "mean_degree=20"};
    if (generator.name == "dcsbm") small = {"nodes=20000"};
    set_thread_count(1);
    const std::string one = fingerprint(generator.make(small, 9));
    set_thread_count(2);
    EXPECT_EQ(fingerprint(generator.make(small, 9)), one) << generator.name;
    EXPECT_NE(fingerprint(generator.make(small, 10)), one) << generator.name;
  }
  set_thread_count(before);
}

TEST(Dcsbm, LooksLikeAGraphOfTheBenchmark) {
  const DcsbmOptions arxiv = dcsbm_like("ogbn-arxiv");
  EXPECT_EQ(arxiv.nodes, 169'343U);
  EXPECT_EQ(arxiv.train, 90'941U);
  EXPECT_NEAR(arxiv.mean_degree, 2 * 1'166'243.0 / 169'343, 1e-9);
  EXPECT_EQ(dcsbm_like("ogbn-products").classes, 47U);
  EXPECT_EQ(dcsbm_like("ogbn-mag").classes, 349U);
  EXPECT_THROW(dcsbm_like("ogbn-proteins"), InvalidArgument);
  // Others change what it sets, wherever they stand.
  const std::vector<std::string> small = {"nodes=3000", "train=1000", "like=ogbn-arxiv", "validation=500"};
  const Dataset data = find_generator("dcsbm").make(small, 1);
  EXPECT_EQ(data.nodes(), 3000U);
  EXPECT_EQ(data.classes, 40U);
  const auto& features = std::get<tensor::Matrix>(data.features);
  EXPECT_EQ(features.columns(), 128U);
  ASSERT_EQ(data.splits.size(), 1U);
  EXPECT_EQ(data.splits[0].count(Role::train), 1000U);
  EXPECT_EQ(data.splits[0].count(Role::validation), 500U);
  EXPECT_EQ(data.splits[0].count(Role::test), 1500U);
  double squares = 0;
  for (const float value : features.values())
    squares += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_NEAR(squares / static_cast<double>(features.size()), 1 + 0.2 * 0.2, 0.02);
  const std::vector<std::string> too_many = {"nodes=100", "train=90", "validation=20"};
  EXPECT_THROW(find_generator("dcsbm").make(too_many, 1), InvalidArgument);
}

TEST(Generators, UnknownNamesAndOptionsGetTheNearest) {
  const auto fault = [](const auto& act) {
    try {
      act();
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(fault([] { find_generator("dcsmb"); }), "data make: no generator 'dcsmb'; did you mean 'dcsbm'?");
  const std::vector<std::string> typo = {"mean_degre=3"};
  EXPECT_EQ(fault([&] { find_generator("sbm").make(typo, 1); }),
            "sbm: no option 'mean_degre'; did you mean 'mean_degree'?");
}

}  // namespace
}  // namespace privet::graph
