#include "privet/methods/plain/gcn.hpp"

#include "privet/graph/normalize.hpp"
#include "privet/nn/graph_conv.hpp"
#include "privet/nn/pointwise.hpp"

namespace privet::methods {

Gcn::Gcn() {
  training_.epochs = 200;
  training_.weight_decay = 5e-4;
}

std::vector<Preset> Gcn::presets() const {
  return {{"planetoid",
           "2 layers of 64, ReLU, dropout 0.5, Adam 0.01, weight decay 0.0005, 200 epochs",
           {"layers=2", "width=64", "dropout=0.5", "epochs=200", "optimizer=adam", "learning_rate=0.01",
            "weight_decay=0.0005"}}};
}

void Gcn::declare(OptionTable& table) {
  table.add("layers", layers_, "convolutions", 1, 64);
  table.add("width", width_, "numbers between the layers", 1, 65536);
  table.add("dropout", dropout_, "share of the inputs of every layer set to 0 while training", 0.0, 0.99);
}

nn::Network Gcn::network(std::size_t inputs, std::size_t outputs) const {
  nn::Network net;
  std::size_t width = inputs;
  for (std::uint64_t i = 0; i + 1 < layers_; ++i) {
    net.add<nn::GraphConv>(width, width_);
    net.add<nn::Activate>(width_, tensor::Activation::relu);
    if (dropout_ > 0) net.add<nn::Dropout>(width_, dropout_, i);
    width = width_;
  }
  net.add<nn::GraphConv>(width, outputs);
  net.set_input_dropout(dropout_);
  return net;
}

tensor::SparseMatrix Gcn::adjacency(const graph::Graph& graph) const {
  return graph::symmetric_with_loops(graph);
}

}  // namespace privet::methods
