#include <benchmark/benchmark.h>

#include <numeric>

#include "privet/graph/generate.hpp"
#include "privet/methods/subgraphs/dp_gnn_network.hpp"
#include "privet/nn/clipped_gradient.hpp"

namespace privet {
namespace {

// Clipped gradients of one batch on a graph like ogbn-arxiv, a tenth of its size: time goes with batch x (K +
// 1) rows. Items are rows.
void clipped_batch(benchmark::State& state, const char* architecture, std::uint64_t layers) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  const auto degree = static_cast<std::uint64_t>(state.range(1));
  graph::DcsbmOptions options = graph::dcsbm_like("ogbn-arxiv");
  options.nodes /= 10;
  options.train = options.validation = 0;
  const graph::Dataset data = graph::make_dcsbm(options, 1);
  const privacy::SubgraphSampler sampler(privacy::Unit::parse("record"),
                                         {.heard = degree, .listeners = degree, .layers = layers});
  nn::StarExamples examples{
      .features = data.features,
      .heard = sampler.sample(data.graph, std::vector<std::uint8_t>(data.nodes(), 1), 1),
      .labels = data.labels,
      .layers = layers};
  examples.roots.resize(data.nodes());
  std::iota(examples.roots.begin(), examples.roots.end(), 0U);
  methods::DpGnnShape shape;
  shape.architecture = architecture;
  shape.layers = layers;
  shape.width = 100;
  shape.heads = 10;
  const nn::Network network = methods::dp_gnn_network(shape, options.features, options.classes);
  SeededStream stream(1);
  const nn::Parameters parameters = network.initial_parameters(stream);
  std::vector<std::uint32_t> members(batch);
  std::iota(members.begin(), members.end(), 0U);
  const nn::SumPlan plan =
      nn::SumPlan::for_batches_of(batch, nn::SumIn::stars, nn::most_rows(degree, layers));
  nn::GradientRoom room;
  for (auto _ : state) {
    nn::clipped_gradient_sum(network, parameters, examples, members, {{1.0}}, plan, 1, room);
    benchmark::DoNotOptimize(room.sum.data());
  }
  nn::BatchRoom rows;
  nn::StarRoom stars;
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(nn::gather(examples, members, rows, stars).rows()));
}

BENCHMARK_CAPTURE(clipped_batch, gcn, "gcn", 1)
    ->Args({1000, 7})
    ->Args({2000, 7})
    ->Args({5000, 7})
    ->Args({10000, 7})
    ->Args({10000, 1})
    ->Args({10000, 3})
    ->Args({10000, 15})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(clipped_batch, gin, "gin", 1)
    ->Args({10000, 7})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(clipped_batch, gat, "gat", 1)
    ->Args({10000, 7})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(clipped_batch, two_layers, "gcn", 2)
    ->Args({2000, 3})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace privet
