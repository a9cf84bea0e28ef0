#pragma once

#include "privet/learn/graph_method.hpp"

namespace privet::methods {

/// Graph attention network, without privacy.
class Gat final : public GraphMethod {
 public:
  Gat();
  [[nodiscard]] std::string name() const override { return "gat"; }
  [[nodiscard]] std::string summary() const override { return "graph attention network; no privacy"; }
  [[nodiscard]] std::string reference() const override { return "Velickovic et al. 2018"; }
  [[nodiscard]] std::vector<Preset> presets() const override;

 protected:
  [[nodiscard]] nn::Network network(std::size_t inputs, std::size_t outputs) const override;
  [[nodiscard]] tensor::SparseMatrix adjacency(const graph::Graph& graph) const override;
  void declare(OptionTable& table) override;

 private:
  std::uint64_t layers_ = 2;
  std::uint64_t width_ = 8;
  std::uint64_t heads_ = 8;
  std::string attention_ = "additive";
  double dropout_ = 0.6;
};

}  // namespace privet::methods
