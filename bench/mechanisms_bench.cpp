#include <benchmark/benchmark.h>

#include <ctime>

#include "privet/base/parallel.hpp"
#include "privet/core/mechanisms/clipped_sum.hpp"
#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/mechanisms/laplace.hpp"
#include "privet/core/mechanisms/randomized_response.hpp"

/// Everything on one thread, so that the ratios compare methods and not machines.
namespace privet::privacy {
namespace {

constexpr std::size_t kNodes = 22470;
constexpr std::size_t kEntries = 341646;
constexpr double kEpsilon = 4;

// Processor time, so that other work on the machine does not count.
double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
}

graph::Graph random_graph() {
  SeededStream stream(1);
  graph::EdgeList edges;
  while (edges.size() < kEntries / 2) {
    const auto a = static_cast<graph::NodeId>(stream.below(kNodes));
    const auto b = static_cast<graph::NodeId>(stream.below(kNodes));
    if (a != b) edges.add(a, b);
  }
  return {kNodes, std::move(edges), graph::Direction::undirected};
}

/// Seconds for flipping all kNodes^2 bits one by one, from a sample of the rows. The loop is the obvious one:
/// a uniform number for every bit, compared with the probability, ones kept in a list.
double seconds_of_all_bits(const graph::Graph& graph, double flip_probability) {
  constexpr std::size_t kRows = 400;
  SeededStream stream(2);
  std::vector<graph::NodeId> ones;
  ones.reserve(kRows * kNodes / 20);
  const auto start = std::clock();
  for (graph::NodeId i = 0; i < kRows; ++i) {
    const auto neighbors = graph.neighbors(i);
    std::size_t next = 0;
    for (graph::NodeId j = 0; j < kNodes; ++j) {
      const bool truth = next < neighbors.size() && neighbors[next] == j;
      next += truth;
      if (truth != (stream.uniform() < flip_probability)) ones.push_back(j);
    }
  }
  const double seconds = seconds_since(start);
  benchmark::DoNotOptimize(ones.data());
  return seconds * kNodes / kRows;
}

template <bool pairs>
void randomized_response(benchmark::State& state) {
  set_thread_count(1);
  const graph::Graph graph = random_graph();
  const Secret<graph::Graph> secret(graph);
  const RandomizedResponse mechanism(Unit::edge(), Epsilon(kEpsilon));
  SeededStream stream(3);
  double spent = 0;
  std::size_t ones = 0;
  for (auto _ : state) {
    ReleaseLog log;
    const auto start = std::clock();
    const BitRows told = pairs ? mechanism.release_pairs(secret, kNodes, "pairs", log, stream)
                               : mechanism.release_entries(secret, kNodes, "entries", log, stream);
    spent += seconds_since(start);
    ones = told.columns.size();
  }
  const double one_by_one = seconds_of_all_bits(graph, mechanism.flip_probability());
  state.counters["ones"] = static_cast<double>(ones);
  state.counters["all_bits_one_by_one_s (scaled from 400 rows)"] = one_by_one;
  state.counters["percent_of_one_by_one"] =
      100 * spent / static_cast<double>(state.iterations()) / one_by_one;
}
BENCHMARK(randomized_response<true>)->Name("randomized_response_pairs")->Unit(benchmark::kMillisecond);
BENCHMARK(randomized_response<false>)->Name("randomized_response_entries")->Unit(benchmark::kMillisecond);

void gaussian_in_place(benchmark::State& state) {
  set_thread_count(1);
  const auto mechanism = GaussianMechanism::with_multiplier(
      neighbor_sum_sensitivity(Unit::edge(), {.row_bound = 1, .columns = 64}), 4);
  SeededStream stream(4);
  tensor::Matrix values(kNodes, 64);
  for (auto _ : state) {
    ReleaseLog log;
    values = mechanism.release(Secret<tensor::Matrix>(std::move(values)), kNodes, 64, "sums", log, stream);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kNodes * 64));
}
BENCHMARK(gaussian_in_place)->Unit(benchmark::kMillisecond);

void laplace(benchmark::State& state) {
  const auto mechanism = LaplaceMechanism::with_epsilon(degrees_sensitivity(Unit::edge()), Epsilon(1));
  SeededStream stream(5);
  const Secret<std::vector<double>> values(std::vector<double>(kNodes, 3.0));
  for (auto _ : state) {
    ReleaseLog log;
    benchmark::DoNotOptimize(mechanism.release(values, kNodes, "degrees", log, stream));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kNodes));
}
BENCHMARK(laplace)->Unit(benchmark::kMillisecond);

void neighbor_sums_in_fixed_point(benchmark::State& state) {
  set_thread_count(1);
  const graph::Graph graph = random_graph();
  tensor::Matrix x(kNodes, 64);
  for (float& value : x.values()) value = 0.1F;
  for (auto _ : state) {
    benchmark::DoNotOptimize(neighbor_sums(graph, x, {.grid = 0x1p-20, .row_bound = 1}));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * graph.stored_entries() * 64));
}
BENCHMARK(neighbor_sums_in_fixed_point)->Unit(benchmark::kMillisecond);

void clipped_sum(benchmark::State& state) {
  set_thread_count(1);
  constexpr std::size_t kColumns = 10000;
  const ClippedSum sum({.unit = Unit::record(Adjacency::replace),
                        .affected = {.added = 0, .replaced = 1},
                        .clip_norm = ClipNorm(1),
                        .noise_multiplier = 1,
                        .sampling = FixedSizeSampling{kNodes, 256},
                        .population = kNodes,
                        .columns = kColumns});
  tensor::Matrix rows(256, kColumns);
  for (float& value : rows.values()) value = 0.1F;
  const Secret<tensor::Matrix> secret(rows);
  SeededStream stream(6);
  for (auto _ : state) {
    ReleaseLog log;
    benchmark::DoNotOptimize(sum.release(secret, sum.draw(stream), "step", log, stream));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rows.size()));
}
BENCHMARK(clipped_sum)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace privet::privacy
