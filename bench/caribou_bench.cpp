#include <benchmark/benchmark.h>

#include "privet/base/parallel.hpp"
#include "privet/core/mechanisms/contractive_pass.hpp"
#include "times.hpp"

namespace privet::privacy {
namespace {

constexpr std::size_t kNodes = 1'000'000;
constexpr std::size_t kEdges = 10'000'000;  // twenty million entries

const graph::Graph& large_graph() {
  static const graph::Graph graph = [] {
    SeededStream stream(1);
    graph::EdgeList edges;
    for (std::size_t e = 0; e < kEdges; ++e)
      edges.add(static_cast<graph::NodeId>(stream.below(kNodes)),
                static_cast<graph::NodeId>(stream.below(kNodes)));
    return graph::Graph(kNodes, std::move(edges), graph::Direction::undirected);
  }();
  return graph;
}

constexpr std::uint64_t kAhead = 32;  // 16 is slower, 64 hardly faster

/// The bytes of one hop and nothing else: every entry's row is gathered, every row is written.
void gather(const graph::Graph& graph, const tensor::Matrix& rows, tensor::Matrix& out) {
  const std::size_t width = rows.columns();
  const graph::NodeId* const columns = graph.columns().data();
  const std::uint64_t entries = graph.stored_entries();
  parallel_for(graph.nodes(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      float* const to = out.row(i).data();
      for (std::size_t j = 0; j < width; ++j) to[j] = 0;
      for (std::uint64_t k = graph.offsets()[i]; k < graph.offsets()[i + 1]; ++k) {
        if (k + kAhead < entries) {
          for (std::size_t j = 0; j < width; j += 16)
            __builtin_prefetch(rows.row(columns[k + kAhead]).data() + j);
        }
        const float* const from = rows.row(columns[k]).data();
        for (std::size_t j = 0; j < width; ++j) to[j] += from[j];
      }
    }
  });
}

/// Hops over ten million edges, noise and projection included, beside gathering the same rows; and whether a
/// hundred hops take ten times as long as ten.
void hops(benchmark::State& state, std::size_t width, std::size_t threads, std::uint64_t many) {
  set_thread_count(threads);
  const graph::Graph& graph = large_graph();
  tensor::Matrix rows(kNodes, width);
  SeededStream stream(2);
  for (float& value : rows.values()) value = static_cast<float>(stream.uniform() - 0.5) / 4;
  const ContractiveLayer layer{.bound = 20};
  const auto run = [&](std::uint64_t count) {
    benchmark::DoNotOptimize(
        contractive_states(graph, layer, count, rows, {.stddev = 0.1, .grid = 0x1p-26}, stream));
  };
  tensor::Matrix out(kNodes, width);
  for (auto _ : state) run(1);
  const auto [gathered, one, three] = bench::times_of(
      7, [&] { gather(graph, rows, out); }, [&] { run(1); }, [&] { run(3); });
  const double hop = (three.best - one.best) / 2;
  state.counters["gather_ms"] = 1e3 * gathered.best;
  state.counters["hop_ms"] = 1e3 * hop;
  state.counters["share_of_gather"] = gathered.best / hop;
  if (many == 0) return;
  const double ten = bench::seconds([&] { run(many / 10); });
  const double all = bench::seconds([&] { run(many); });
  state.counters["many_over_tenth"] = all / ten;
  state.counters["many_s"] = all;
}

BENCHMARK_CAPTURE(hops, width_16_1_thread, 16, 1, 0)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(hops, width_16_2_threads, 16, 2, 0)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(hops, width_8_1_thread_100_hops, 8, 1, 100)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace privet::privacy
