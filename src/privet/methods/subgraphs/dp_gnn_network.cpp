#include "privet/methods/subgraphs/dp_gnn_network.hpp"

#include "privet/learn/dense_network.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/star.hpp"

namespace privet::methods {
namespace {

void add_activated(const DpGnnShape& shape, std::size_t inputs, nn::Network& network) {
  network.add<nn::Linear>(inputs, shape.width, true, parse_initialization(shape.initialization));
  network.add<nn::Activate>(shape.width, parse_activation(shape.activation));
}

void add_encoder(const DpGnnShape& shape, std::size_t features, nn::Network& network) {
  for (std::uint64_t i = 0; i < shape.encoder_layers; ++i)
    add_activated(shape, i == 0 ? features : shape.width, network);
}

void add_decoder(const DpGnnShape& shape, std::size_t classes, nn::Network& network) {
  for (std::uint64_t i = 1; i < shape.decoder_layers; ++i) add_activated(shape, shape.width, network);
  network.add<nn::Linear>(shape.width, classes, true, parse_initialization(shape.initialization));
}

}  // namespace

void DpGnnShape::declare(OptionTable& table) {
  table.add("architecture", architecture,
            "mean over a star, sum over it, or dot-product attention in it, and a linear layer",
            {"gcn", "gin", "gat"});
  table.add("layers", layers, "of message passing", 1, 2);
  table.add("width", width, "of hidden layers", 1, 65536);
  table.add("encoder_layers", encoder_layers, "before message passing", 1, 10);
  table.add("decoder_layers", decoder_layers, "behind it", 1, 10);
  table.add("heads", heads, "of gat, which divide the width", 1, 1000);
  table.add("activation", activation, "behind every layer but the last", {"tanh", "relu", "selu"});
  table.add("initialization", initialization, "how initial weights are drawn",
            {"lecun-normal", "uniform", "orthogonal"});
}

nn::Network dp_gnn_network(const DpGnnShape& shape, std::size_t features, std::size_t classes) {
  nn::Network network;
  add_encoder(shape, features, network);
  for (std::uint64_t i = 0; i < shape.layers; ++i) {
    if (shape.architecture == "gat") {
      network.add<nn::Linear>(shape.width, shape.width, true, parse_initialization(shape.initialization));
      network.add<nn::StarAttention>(shape.width, shape.heads);
      network.add<nn::Activate>(shape.width, parse_activation(shape.activation));
      continue;
    }
    if (shape.architecture == "gcn") network.add<nn::StarMean>(shape.width);
    if (shape.architecture == "gin") network.add<nn::StarSum>(shape.width);
    add_activated(shape, shape.width, network);
  }
  add_decoder(shape, classes, network);
  return network;
}

nn::Network dp_gnn_encoder(const DpGnnShape& shape, std::size_t features) {
  nn::Network network;
  add_encoder(shape, features, network);
  return network;
}

nn::Network dp_gnn_decoder(const DpGnnShape& shape, std::size_t classes) {
  nn::Network network;
  add_activated(shape, shape.width, network);
  add_decoder(shape, classes, network);
  return network;
}

}  // namespace privet::methods
