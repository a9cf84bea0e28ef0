#include "privet/methods/plain/gat.hpp"

#include "privet/graph/normalize.hpp"
#include "privet/nn/attention.hpp"
#include "privet/nn/pointwise.hpp"

namespace privet::methods {

Gat::Gat() {
  training_.epochs = 300;
  training_.learning_rate = 0.005;
  training_.weight_decay = 5e-4;
}

std::vector<Preset> Gat::presets() const {
  return {{"planetoid",
           "8 heads of 8, then one, dropout 0.6, Adam 0.005, weight decay 0.0005",
           {"layers=2", "width=8", "heads=8", "attention=additive", "dropout=0.6", "epochs=300",
            "optimizer=adam", "learning_rate=0.005", "weight_decay=0.0005"}},
          {"dpgnn",
           "10 heads, dot product, as Daigavane et al. compare",
           {"layers=2", "width=10", "heads=10", "attention=dot-product"}}};
}

void Gat::declare(OptionTable& table) {
  table.add("layers", layers_, "layers of attention", 1, 16);
  table.add("width", width_, "numbers of each head", 1, 4096);
  table.add("heads", heads_, "of every layer but the last", 1, 64);
  table.add("attention", attention_, "how neighbours are scored", {"additive", "dot-product"});
  table.add("dropout", dropout_, "share of inputs and coefficients set to 0 while training", 0.0, 0.99);
}

nn::Network Gat::network(std::size_t inputs, std::size_t outputs) const {
  nn::Network net;
  nn::AttentionOptions options;
  options.score = attention_ == "additive" ? nn::AttentionOptions::Score::additive
                                           : nn::AttentionOptions::Score::dot_product;
  options.dropout = dropout_;
  std::size_t width = inputs;
  for (std::uint64_t i = 0; i + 1 < layers_; ++i) {
    options.width = width_;
    options.heads = heads_;
    options.place = 2 * i;
    net.add<nn::AttentionConv>(width, options);
    width = width_ * heads_;
    net.add<nn::Activate>(width, tensor::Activation::selu);
    if (dropout_ > 0) net.add<nn::Dropout>(width, dropout_, 2 * i + 1);
  }
  options.width = outputs;
  options.heads = 1;
  options.place = 2 * layers_;
  net.add<nn::AttentionConv>(width, options);
  net.set_input_dropout(dropout_);
  return net;
}

tensor::SparseMatrix Gat::adjacency(const graph::Graph& graph) const {
  return graph::symmetric_with_loops(graph);
}

}  // namespace privet::methods
