#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dpdgc_worlds.hpp"
#include "privet/base/binomial.hpp"
#include "privet/graph/generate.hpp"
#include "privet/graph/io/open.hpp"
#include "privet/graph/split.hpp"
#include "privet/methods/dpdgc/dpdgc.hpp"
#include "privet/run/runner.hpp"
#include "support/data.hpp"
#include "support/effort.hpp"

namespace privet::methods {
namespace {

// Every graph on six nodes, and every neighbour of it.
TEST(DpdgcSensitivity, NoPairOfGraphsOnSixNodesMovesTheSumsFurtherThanCharged) {
  for (const char* text : {"edge", "k-neighbor:2", "node:2", "node:5", "node:3:add-remove"}) {
    const privacy::Unit unit = privacy::Unit::parse(text);
    const privacy::testing::Found found = privacy::testing::search_all(
        6, unit, {.rows = {{1.0}}}, testing::sums_query(unit), privacy::testing::Norm::l2);
    EXPECT_GT(found.pairs, 1000U) << text;
    EXPECT_LE(found.largest, testing::charged_for_sums(unit)) << text;
    EXPECT_NEAR(found.largest, std::min(testing::charged_for_sums(unit), std::sqrt(5.0)), 1e-5) << text;
  }
}

/// One edge is there or not, all others are known: what does a released model say?
struct TwoWorlds {
  graph::Dataset with;
  graph::Dataset without;
  graph::NodeId u;
  graph::NodeId v;
};

TwoWorlds without_one_edge(const graph::Dataset& dataset) {
  TwoWorlds worlds{dataset, dataset, 0, 0};
  while (dataset.graph.degree(worlds.u) != 2) ++worlds.u;
  worlds.v = dataset.graph.neighbors(worlds.u)[0];
  graph::EdgeList edges;
  for (graph::NodeId i = 0; i < dataset.nodes(); ++i) {
    for (const graph::NodeId j : dataset.graph.neighbors(i)) {
      const bool is_it = (i == worlds.u && j == worlds.v) || (i == worlds.v && j == worlds.u);
      if (!is_it) edges.add(i, j);
    }
  }
  worlds.without.graph = graph::Graph(dataset.nodes(), std::move(edges), graph::Direction::undirected);
  return worlds;
}

// How far the released sums lean towards the edge: (A W)_u less what the known edges make of it, along W_v,
// and the same for v. W, b and the sums are what the model holds.
double lean(const Model& model, const TwoWorlds& worlds, std::size_t width) {
  const std::size_t nodes = worlds.without.nodes();
  const tensor::Matrix& weight = model.tensor("embedding.weight", nodes, width);
  const tensor::Matrix& bias = model.tensor("embedding.bias", 1, width);
  const tensor::Matrix& rows = model.tensor("embedding", nodes, width);
  const auto part = [&](graph::NodeId at, graph::NodeId other) {
    double sum = 0;
    double scale = 1e-30;
    for (std::size_t j = 0; j < width; ++j) {
      double left = static_cast<double>(rows(at, j)) - static_cast<double>(bias(0, j));
      for (const graph::NodeId known : worlds.without.graph.neighbors(at))
        left -= static_cast<double>(weight(known, j));
      sum += left * static_cast<double>(weight(other, j));
      scale += std::pow(static_cast<double>(weight(other, j)), 2);
    }
    return sum / scale;
  };
  return part(worlds.u, worlds.v) + part(worlds.v, worlds.u);
}

// A lower bound on epsilon, right with probability 95 %, from runs in both worlds: of one threshold, fixed
// beforehand, the shares above it by Clopper and Pearson (each wrong with probability 2.5 %).
double epsilon_lower_bound(const std::vector<double>& with, const std::vector<double>& without,
                           double threshold, double delta) {
  const auto above = [&](const std::vector<double>& values) {
    return static_cast<std::uint64_t>(std::ranges::count_if(values, [&](double x) { return x > threshold; }));
  };
  const auto share = [&](const std::vector<double>& likely, std::uint64_t hits,
                         const std::vector<double>& unlikely, std::uint64_t others) {
    return std::log((probability_at_least(hits, likely.size(), 0.025) - delta) /
                    probability_at_most(others, unlikely.size(), 0.025));
  };
  const double one = share(with, above(with), without, above(without));
  const double other = share(without, without.size() - above(without), with, with.size() - above(with));
  return std::max({0.0, std::isnan(one) ? 0 : one, std::isnan(other) ? 0 : other});
}

std::vector<double> leans(const Dpdgc& method, const Request& request, const TwoWorlds& worlds, bool edge,
                          std::size_t width, int runs) {
  std::vector<double> all;
  const graph::Dataset& dataset = edge ? worlds.with : worlds.without;
  for (int run = 0; run < runs; ++run) {
    SeededStream stream(1000 + static_cast<std::uint64_t>(2 * run + (edge ? 1 : 0)));
    const std::unique_ptr<RandomStream> split = stream.fork("split", 0);
    const privacy::ProtectedDataset data =
        privacy::protect(dataset, graph::make_split(dataset, "75/10/15", *split), request.unit);
    const std::unique_ptr<RandomStream> noise = stream.fork("noise", 0);
    privacy::ReleaseLog log;
    Run context{stream, *noise, log};
    all.push_back(lean(method.fit(request, data, context).model, worlds, width));
  }
  return all;
}

// In strict rigor what is seen of one edge never passes what is stated. The statistic is nearly the best one
// can do with the sums, so the bound is not empty: at epsilon 4 it stands well above 0.
TEST(DpdgcTwoWorlds, StrictShowsNoMoreThanItStates) {
  graph::DcsbmOptions options;
  options.nodes = 120;
  options.mean_degree = 4;
  options.features = 10;
  const TwoWorlds worlds = without_one_edge(graph::make_dcsbm(options, 2));
  constexpr std::size_t kWidth = 4;
  Dpdgc method;
  for (const char* option : {"width=4", "embedding_norm=0", "gate=no", "epochs=1", "embedding_share=0.1",
                             "embedding_steps=3", "embedding_rate=1"})
    method.options().set_assignment(option);
  const int runs = 2000 / privet::testing::kFewerRuns;
  for (const double epsilon : {1.0, 4.0}) {
    const Request request{.unit = privacy::Unit::edge(),
                          .rigor = privacy::Rigor::kStrict,
                          .epsilon = privacy::Epsilon(epsilon),
                          .delta = privacy::Delta(1e-5)};
    const auto with = leans(method, request, worlds, true, kWidth, runs);
    const auto without = leans(method, request, worlds, false, kWidth, runs);
    const double lower = epsilon_lower_bound(with, without, 1, 1e-5);
    RecordProperty("epsilon_lower_bound", std::to_string(lower));
    EXPECT_LE(lower, epsilon);
    if (epsilon == 4.0 && privet::testing::kFewerRuns == 1) {
      EXPECT_GT(lower, 0.5);
    }
  }
}

// With the published defect every run shows the edge: twenty runs of each world refute the claimed epsilon.
TEST(DpdgcTwoWorlds, PublishedDefectsShowAnEdgeOfCoraWithinAMinute) {
  PRIVET_NEEDS_DATA();
  const auto start = std::chrono::steady_clock::now();
  const TwoWorlds worlds = without_one_edge(graph::open_dataset(privet::testing::data_folder() / "cora"));
  Dpdgc method;
  method.use_preset("published-64");
  for (const char* option : {"width=16", "epochs=1"}) method.options().set_assignment(option);
  Request request{.unit = privacy::Unit::edge(),
                  .rigor = privacy::Rigor::kPaper,
                  .epsilon = privacy::Epsilon(1),
                  .delta = privacy::Delta(1e-4)};
  request.published_defects = true;
  const auto with = leans(method, request, worlds, true, 16, 20);
  const auto without = leans(method, request, worlds, false, 16, 20);
  EXPECT_GT(epsilon_lower_bound(with, without, 1, 1e-4), 1) << "claimed: 1";
  // Not only on average: both rows of the sums say the whole edge in every single run.
  for (const double value : with) EXPECT_NEAR(value, 2, 1e-2);
  for (const double value : without) EXPECT_NEAR(value, 0, 1e-2);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (privet::testing::kFewerRuns == 1) {
    EXPECT_LT(seconds, 60);
  }
}

}  // namespace
}  // namespace privet::methods
