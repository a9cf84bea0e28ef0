#include "privet/methods/plain/gin.hpp"

#include "privet/graph/normalize.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/isomorphism.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"

namespace privet::methods {

Gin::Gin() { training_.epochs = 200; }

void Gin::declare(OptionTable& table) {
  table.add("layers", layers_, "layers of message passing", 1, 16);
  table.add("width", width_, "numbers between the layers", 1, 65536);
  table.add("learn_epsilon", learn_epsilon_, "learn how much a node's own row counts");
  table.add("batch_norm", batch_norm_, "batch norm between the layers");
  table.add("dropout", dropout_, "share of the numbers set to 0 while training", 0.0, 0.99);
}

// A linear layer comes first: features are wide and sparse, their sums over neighbours would not be.
nn::Network Gin::network(std::size_t inputs, std::size_t outputs) const {
  nn::Network net;
  net.add<nn::Linear>(inputs, width_);
  for (std::uint64_t i = 0; i < layers_; ++i) {
    net.add<nn::IsomorphismSum>(width_, 0.0, learn_epsilon_);
    net.add<nn::Linear>(width_, width_);
    if (batch_norm_) net.add<nn::BatchNorm>(width_);
    net.add<nn::Activate>(width_, tensor::Activation::relu);
    net.add<nn::Linear>(width_, width_);
    net.add<nn::Activate>(width_, tensor::Activation::relu);
    if (dropout_ > 0) net.add<nn::Dropout>(width_, dropout_, i);
  }
  net.add<nn::Linear>(width_, outputs);
  return net;
}

tensor::SparseMatrix Gin::adjacency(const graph::Graph& graph) const { return graph::plain_adjacency(graph); }

}  // namespace privet::methods
