#include <benchmark/benchmark.h>

#include "privet/base/parallel.hpp"
#include "privet/core/noise/add_rounded.hpp"
#include "privet/core/noise/gaussian.hpp"
#include "privet/methods/dpdgc/dpdgc_network.hpp"
#include "privet/nn/private_optimizer.hpp"
#include "times.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kNodes = 26000;
constexpr std::size_t kEdges = 1000000;  // two million entries
constexpr std::size_t kWidth = 64;
constexpr std::size_t kClasses = 6;

graph::Graph random_graph() {
  SeededStream stream(1);
  graph::EdgeList edges;
  for (std::size_t e = 0; e < kEdges; ++e)
    edges.add(static_cast<graph::NodeId>(stream.below(kNodes)),
              static_cast<graph::NodeId>(stream.below(kNodes)));
  return {kNodes, std::move(edges), graph::Direction::undirected};
}

/// A private step of DP-Emb, projection of W included, beside drawing its noise and adding it: 26,000 x 64
/// numbers and the bias.
void embedding_step(benchmark::State& state, std::size_t batch, std::size_t threads) {
  set_thread_count(threads);
  SeededStream stream(2);
  const nn::Network network = embedding_network(kNodes, kWidth, kClasses, false, stream);
  std::vector<std::int32_t> labels(kNodes);
  for (std::int32_t& label : labels) label = static_cast<std::int32_t>(stream.below(kClasses));
  const privacy::Secret<nn::Examples> examples(list_examples(random_graph(), labels, everybody(kNodes)));
  nn::Parameters parameters = network.initial_parameters(stream);
  nn::PrivateOptimizer optimizer(
      network,
      {.unit = privacy::Unit::k_neighbor(1),
       .affected = privacy::examples_with_one_hop(privacy::Unit::k_neighbor(1), kNodes),
       .clipping = {{1.0}},
       .noise_multiplier = 10,
       .sampling = privacy::PoissonSampling{static_cast<double>(batch) / static_cast<double>(kNodes)},
       .population = kNodes,
       .steps = 1000000,
       .sums = nn::SumIn::doubles},
      {.ball = {.rows = kNodes, .columns = kWidth, .radius = 1}});
  privacy::ReleaseLog log;
  const auto step = [&] { optimizer.step(examples, parameters, "step", log, stream); };
  std::vector<std::int32_t> noise(network.parameters());
  std::vector<float> sum(network.parameters());
  const auto noise_alone = [&] {
    privacy::fill_rounded_gaussian(stream, 0x1p20, noise);
    privacy::add_rounded(sum, noise, 0x1p-20, sum);
  };
  for (auto _ : state) step();
  // Several in a row, as training has them: each finds in the caches what the one before left there.
  static constexpr int kInARow = 8;
  const auto in_a_row = [](const auto& one) {
    return [&one] {
      for (int i = 0; i < kInARow; ++i) one();
    };
  };
  const auto [alone, whole] = bench::times_of(10, in_a_row(noise_alone), in_a_row(step));
  state.counters["noise_ms"] = 1e3 * alone.median / kInARow;
  state.counters["step_ms"] = 1e3 * whole.median / kInARow;
  state.counters["step_over_noise"] = whole.best / alone.best;
  state.counters["step_over_noise_median"] = whole.median / alone.median;
}

BENCHMARK_CAPTURE(embedding_step, batch_256_1_thread, 256, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(embedding_step, batch_256_2_threads, 256, 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(embedding_step, full_batch_1_thread, kNodes, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(embedding_step, full_batch_2_threads, kNodes, 2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace privet::methods
