#pragma once

#include <cstdint>
#include <string>

#include "privet/base/options.hpp"
#include "privet/nn/network.hpp"

namespace privet::methods {

/// The network of DP-GNN: an encoder of every node's features, message passing over stars, a decoder. All
/// parameters are in linear layers, so the norm of one root's gradient is known from Gram matrices.
struct DpGnnShape {
  std::string architecture = "gcn";
  std::uint64_t layers = 1;  ///< of message passing
  std::uint64_t width = 64;
  std::uint64_t encoder_layers = 1;
  std::uint64_t decoder_layers = 1;
  std::uint64_t heads = 4;
  std::string activation = "tanh";
  std::string initialization = "lecun-normal";

  void declare(OptionTable& table);
};

/// InvalidArgument where heads do not divide the width.
nn::Network dp_gnn_network(const DpGnnShape& shape, std::size_t features, std::size_t classes);

/// Its first part, up to the rows that message passing adds up.
nn::Network dp_gnn_encoder(const DpGnnShape& shape, std::size_t features);
/// Its last part, from the aggregated row on.
nn::Network dp_gnn_decoder(const DpGnnShape& shape, std::size_t classes);

}  // namespace privet::methods
