#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "privet/audit/attacks/linkteller.hpp"
#include "privet/cli/data_root.hpp"
#include "privet/graph/generate.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/nn/graph_conv.hpp"
#include "privet/nn/pointwise.hpp"

namespace privet::audit {
namespace {

// facebook_page where PRIVET_DATA has it, otherwise a graph of its shape.
graph::Dataset large_graph() {
  const std::optional<std::filesystem::path> root = cli::data_root({});
  if (root && std::filesystem::exists(*root / "facebook_page" / "graph.npz"))
    return cli::load_dataset("facebook_page", {});
  return graph::make_dcsbm({.nodes = 22470, .classes = 4, .mean_degree = 15.2, .features = 4714}, 1);
}

// The influence of 500 nodes on everybody, through two convolutions of width 256.
void influence_of_500_nodes(benchmark::State& state) {
  const graph::Dataset dataset = large_graph();
  nn::Network network;
  network.add<nn::GraphConv>(graph::feature_columns(dataset.features), 256U);
  network.add<nn::Activate>(256U, tensor::Activation::relu);
  network.add<nn::GraphConv>(256U, dataset.classes);
  SeededStream stream(1);
  nn::Parameters parameters = network.initial_parameters(stream);
  const methods::MessagePassing model{std::move(network), std::move(parameters),
                                      graph::symmetric_with_loops(dataset.graph)};
  std::vector<graph::NodeId> sources;
  for (std::size_t i = 0; i < 500; ++i)
    sources.push_back(static_cast<graph::NodeId>(stream.below(dataset.nodes())));
  for (auto _ : state) {
    const InfluenceMap map(model, dataset.features);
    benchmark::DoNotOptimize(map.of(sources));
  }
}
BENCHMARK(influence_of_500_nodes)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace privet::audit
