#include <benchmark/benchmark.h>

#include "privet/graph/generate.hpp"

namespace {

// Ten million edges, a million nodes; compare with bench_read's reading of as many from a file.
void generate_sbm(benchmark::State& state) {
  const privet::graph::SbmOptions options{
      .nodes = 1'000'000, .classes = 5, .mean_degree = 20, .homophily = 0.8};
  for (auto _ : state) benchmark::DoNotOptimize(privet::graph::make_sbm(options, 1));
}
BENCHMARK(generate_sbm)->Unit(benchmark::kMillisecond);

}  // namespace
