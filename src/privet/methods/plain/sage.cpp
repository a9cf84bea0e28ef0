#include "privet/methods/plain/sage.hpp"

#include "privet/graph/normalize.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/sage.hpp"

namespace privet::methods {

Sage::Sage() {
  training_.epochs = 100;
  training_.learning_rate = 0.01;
}

std::vector<Preset> Sage::presets() const {
  return {
      {"dpdgc",
       "2 linear layers, 2 of GraphSAGE (sum, rows of norm 1), 1 linear, width 64, dropout 0.5, Adam 0.001",
       {"base_layers=2", "layers=2", "width=64", "aggregation=sum", "normalize=yes", "batch_norm=yes",
        "dropout=0.5", "epochs=100", "optimizer=adam", "learning_rate=0.001", "weight_decay=0"}}};
}

void Sage::declare(OptionTable& table) {
  table.add("base_layers", base_layers_, "linear layers before message passing", 0, 64);
  table.add("layers", layers_, "layers of message passing", 1, 64);
  table.add("width", width_, "numbers between the layers", 1, 65536);
  table.add("aggregation", aggregation_, "of the neighbours", {"sum", "mean"});
  table.add("normalize", normalize_, "scale rows behind message passing to norm 1");
  table.add("batch_norm", batch_norm_, "batch norm between the layers");
  table.add("dropout", dropout_, "share of the numbers set to 0 while training", 0.0, 0.99);
}

nn::Network Sage::network(std::size_t inputs, std::size_t outputs) const {
  nn::Network net;
  std::size_t width = inputs;
  std::uint64_t place = 0;
  const auto between = [&] {
    width = width_;
    if (batch_norm_) net.add<nn::BatchNorm>(width_);
    if (dropout_ > 0) net.add<nn::Dropout>(width_, dropout_, place++);
    net.add<nn::Activate>(width_, tensor::Activation::selu);
  };
  for (std::uint64_t i = 0; i < base_layers_; ++i) {
    net.add<nn::Linear>(width, width_);
    between();
  }
  for (std::uint64_t i = 0; i < layers_; ++i) {
    net.add<nn::SageConv>(width, width_, nn::SageOptions{.root_weight = true, .normalize = normalize_});
    between();
  }
  net.add<nn::Linear>(width, outputs);
  return net;
}

tensor::SparseMatrix Sage::adjacency(const graph::Graph& graph) const {
  return aggregation_ == "mean" ? graph::row_mean(graph) : graph::plain_adjacency(graph);
}

}  // namespace privet::methods
