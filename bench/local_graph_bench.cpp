#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "peak_memory.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"
#include "privet/graph/generate.hpp"
#include "privet/methods/lists/beta_model.hpp"
#include "privet/methods/lists/block_model.hpp"
#include "privet/methods/lists/link_posterior.hpp"
#include "privet/methods/lists/soft_aggregation.hpp"
#include "privet/reports/collection.hpp"
#include "privet/tensor/dense_product.hpp"
#include "times.hpp"

/// Graphs from local reports: collecting them, reconstruction, soft aggregation. Facebook page has 22,470
/// nodes, 171,002 edges and 4 classes.
namespace privet::methods {
namespace {

constexpr std::size_t kClasses = 4;

graph::Dataset page_like(std::size_t nodes) {
  graph::DcsbmOptions options;
  options.nodes = nodes;
  options.classes = kClasses;
  options.features = 100;
  options.mean_words = 2;
  options.topic_words = 10;
  options.mean_degree = 15.2;
  return graph::make_dcsbm(options, 1);
}

privacy::LocalQuestion question_for(const graph::Dataset& data, double epsilon) {
  return privacy::LocalQuestion({.nodes = data.nodes(),
                                 .bits_epsilon = 0.9 * epsilon,
                                 .degrees_epsilon = 0.1 * epsilon,
                                 .asked = privacy::PairReports::one_end,
                                 .pair_key = 1,
                                 .clusters = data.classes,
                                 .memberships = privacy::hard_memberships(data.labels, data.classes)});
}

Reports reports_for(const graph::Dataset& data, const privacy::LocalQuestion& question) {
  privacy::ReleaseLog log;
  SeededStream stream(1);
  return reports_of(question.query(), question.query_digest(),
                    privacy::collect(privacy::Secret<graph::Graph>(data.graph), question, log, stream));
}

LinkPosterior posterior_of(const Reports& reports, const privacy::LocalQuestion& question) {
  LinkStatistics statistics = link_statistics(reports, question.query(), Fusion::by_variance);
  statistics.degrees = smoothed_degrees(reports, question.query(), question.flip_probability());
  const BlockModel model = block_model(statistics, question.query(), 100);
  return {std::make_shared<LowRankPrior>(model),
          std::make_shared<Evidence>(reports, question.query().asked, question.flip_probability()),
          {.least = 1e-5, .most = 1}};
}

// From the graph to the hard graph: every client's report, its bytes, the statistics, 252 million pairs.
void hard_reconstruction(benchmark::State& state) {
  const graph::Dataset data = page_like(static_cast<std::size_t>(state.range(0)));
  const double epsilon = static_cast<double>(state.range(1));
  const privacy::LocalQuestion question = question_for(data, epsilon);
  const bench::PeakMemory memory;  // beside the data and the question
  double kept = 0;
  double right = 0;
  for (auto _ : state) {
    const graph::Graph graph = posterior_of(reports_for(data, question), question).hard();
    kept = static_cast<double>(graph.edges());
    right = 0;
    for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
      for (const graph::NodeId j : graph.neighbors(i)) right += i < j && data.graph.has_entry(i, j) ? 1 : 0;
    }
  }
  state.counters["pairs/s"] =
      benchmark::Counter(static_cast<double>(data.nodes()) * (static_cast<double>(data.nodes()) - 1) / 2,
                         benchmark::Counter::kIsIterationInvariantRate);
  state.counters["kept"] = kept;
  state.counters["true"] = right;
  state.counters["MiB"] = memory.mebibytes();
}
BENCHMARK(hard_reconstruction)->Args({22470, 4})->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

// The passes over all pairs alone, of a graph whose reports have 40 ones a node whatever its size: time goes
// with the square of the nodes, memory with the nodes.
void passes(benchmark::State& state) {
  const graph::Dataset data = page_like(static_cast<std::size_t>(state.range(0)));
  const double bits = std::log(static_cast<double>(data.nodes()) / 40);
  const privacy::LocalQuestion question = question_for(data, bits / 0.9);
  const bench::PeakMemory memory;  // of reports, statistics and passes
  const LinkPosterior links = posterior_of(reports_for(data, question), question);
  for (auto _ : state) benchmark::DoNotOptimize(links.hard());
  const auto n = static_cast<double>(data.nodes());
  state.counters["pairs/s"] =
      benchmark::Counter(n * (n - 1) / 2, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["MiB"] = memory.mebibytes();
  state.counters["KiB/node"] = memory.mebibytes() * 1024 / n;
}
BENCHMARK(passes)
    ->Arg(5000)
    ->Arg(10000)
    ->Arg(20000)
    ->Arg(40000)
    ->Arg(80000)
    ->Unit(benchmark::kSecond)
    ->UseRealTime();

// Tiles as dense products multiply them, already made and in the cache: the peak that soft aggregation is
// measured by. On one thread and in processor time, as other work on the machine must not count.
double peak_flops(std::size_t width) {
  tensor::Matrix tile(128, 512);
  tensor::Matrix across(512, width);
  tensor::Matrix down(128, width);
  for (float& one : tile.values()) one = 0.5F;
  constexpr int kTimes = 2000;
  const double seconds = bench::seconds([&] {
    for (int i = 0; i < kTimes; ++i) {
      tensor::product(tile, across, down, 0);
      tensor::transposed_product(tile, down, across, 0);
    }
  });
  return kTimes * 4.0 * 128 * 512 * static_cast<double>(width) / seconds;
}

void soft_aggregation(benchmark::State& state) {
  const graph::Dataset data = page_like(static_cast<std::size_t>(state.range(0)));
  const auto width = static_cast<std::size_t>(state.range(1));
  const privacy::LocalQuestion question = question_for(data, 4);
  // Nothing kept: every tile is made anew, as for graphs of any size.
  const SoftAggregation links = SoftAggregation::by_tiles(
      std::make_shared<LinkPosterior>(posterior_of(reports_for(data, question), question)), 0);
  tensor::Matrix x(data.nodes(), width);
  for (float& one : x.values()) one = 0.25F;
  tensor::Matrix out(data.nodes(), width);
  const std::size_t threads = thread_count();
  set_thread_count(1);
  double seconds = 0;
  for (auto _ : state) {
    const double one = bench::seconds([&] { links.multiply(x, out); });
    seconds += one;
    state.SetIterationTime(one);
  }
  const double peak = peak_flops(width);
  set_thread_count(threads);
  const auto n = static_cast<double>(data.nodes());
  // Per pair i < j: both products, the factors of the prior, and Bayes' rule (7 operations).
  const double work = n * n / 2 * (4 * static_cast<double>(width) + 2 * kClasses + 7);
  const double speed = work * static_cast<double>(state.iterations()) / seconds;
  state.counters["GFLOP/s"] = speed / 1e9;
  state.counters["of the tiles' peak"] = speed / peak;
}
BENCHMARK(soft_aggregation)->Args({22470, 16})->Args({22470, 64})->Unit(benchmark::kSecond)->UseManualTime();

// Products with tiles that were kept against products that make them anew, at two budgets: small ones leave
// many bits that are told as 1. Amazon's Computers have 13,752 nodes.
void kept_tiles(benchmark::State& state) {
  const graph::Dataset data = page_like(static_cast<std::size_t>(state.range(0)));
  const privacy::LocalQuestion question = question_for(data, static_cast<double>(state.range(1)));
  const auto links = std::make_shared<LinkPosterior>(posterior_of(reports_for(data, question), question));
  const SoftAggregation anew = SoftAggregation::by_tiles(links, 0);
  const SoftAggregation kept = SoftAggregation::by_tiles(links);
  tensor::Matrix x(data.nodes(), 16);
  for (float& one : x.values()) one = 0.25F;
  tensor::Matrix out(data.nodes(), 16);
  const std::size_t threads = thread_count();
  set_thread_count(1);
  double making = 0;
  double keeping = 0;
  for (auto _ : state) {
    making += bench::seconds([&] { anew.multiply(x, out); });
    const double one = bench::seconds([&] { kept.multiply(x, out); });
    keeping += one;
    state.SetIterationTime(one);
  }
  set_thread_count(threads);
  state.counters["times faster"] = making / keeping;
}
BENCHMARK(kept_tiles)
    ->Args({2708, 4})
    ->Args({13752, 1})
    ->Args({13752, 4})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(5)
    ->UseManualTime();

// Products with a matrix of low rank and the pairs that it misses, against tiles that were kept.
void listed_pairs(benchmark::State& state) {
  const graph::Dataset data = page_like(static_cast<std::size_t>(state.range(0)));
  const privacy::LocalQuestion question = question_for(data, static_cast<double>(state.range(1)));
  const auto links = std::make_shared<LinkPosterior>(posterior_of(reports_for(data, question), question));
  const SoftAggregation tiles = SoftAggregation::by_tiles(links);
  const SoftAggregation listed(links);
  tensor::Matrix x(data.nodes(), 16);
  for (float& one : x.values()) one = 0.25F;
  tensor::Matrix exact(data.nodes(), 16);
  tensor::Matrix out(data.nodes(), 16);
  const std::size_t threads = thread_count();
  set_thread_count(1);
  double tiling = 0;
  double listing = 0;
  for (auto _ : state) {
    tiling += bench::seconds([&] { tiles.multiply(x, exact); });
    const double one = bench::seconds([&] { listed.multiply(x, out); });
    listing += one;
    state.SetIterationTime(one);
  }
  set_thread_count(threads);
  float apart = 0;
  for (std::size_t i = 0; i < out.size(); ++i)
    apart = std::max(apart, std::abs(out.values()[i] - exact.values()[i]) / exact.values()[i]);
  state.counters["times faster"] = tiling / listing;
  state.counters["pairs listed %"] = 200 * static_cast<double>(listed.listed().value_or(0)) /
                                     (static_cast<double>(data.nodes()) * static_cast<double>(data.nodes()));
  state.counters["largest relative error"] = static_cast<double>(apart);
}
BENCHMARK(listed_pairs)
    ->Args({13752, 3})
    ->Args({13752, 4})
    ->Args({13752, 6})
    ->Args({22470, 4})
    ->Args({22470, 6})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10)
    ->UseManualTime();

void beta_iterations(benchmark::State& state) {
  const graph::Dataset data = page_like(static_cast<std::size_t>(state.range(0)));
  std::vector<double> degrees;
  for (graph::NodeId i = 0; i < data.nodes(); ++i)
    degrees.push_back(static_cast<double>(data.graph.degree(i)));
  for (auto _ : state) benchmark::DoNotOptimize(beta_model(degrees, 200));
}
BENCHMARK(beta_iterations)->Arg(22470)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace privet::methods
