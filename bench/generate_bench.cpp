// Generating a graph of ten million edges and a million nodes, against reading one of as many from a file:
// each to the finished graph, in one run.
#include <benchmark/benchmark.h>

#include "privet/graph/generate.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "random_pairs.hpp"

namespace {

constexpr std::size_t kNodes = 1'000'000;
constexpr std::size_t kEdges = 10'000'000;

void generate_sbm(benchmark::State& state) {
  const privet::graph::SbmOptions options{
      .nodes = kNodes, .classes = 5, .mean_degree = 2.0 * kEdges / kNodes, .homophily = 0.8};
  for (auto _ : state) benchmark::DoNotOptimize(privet::graph::make_sbm(options, 1));
}
BENCHMARK(generate_sbm)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

void read_as_many(benchmark::State& state) {
  static const privet::RandomPairsFile file(kEdges, kNodes);
  for (auto _ : state) benchmark::DoNotOptimize(privet::graph::read_edge_list(file.path()));
}
BENCHMARK(read_as_many)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace
