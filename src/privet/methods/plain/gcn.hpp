#pragma once

#include "privet/learn/graph_method.hpp"

namespace privet::methods {

/// Graph convolutional network, without privacy.
class Gcn final : public GraphMethod {
 public:
  Gcn();
  [[nodiscard]] std::string name() const override { return "gcn"; }
  [[nodiscard]] std::string summary() const override { return "graph convolutional network; no privacy"; }
  [[nodiscard]] std::string reference() const override { return "Kipf and Welling 2017"; }
  [[nodiscard]] std::vector<Preset> presets() const override;

 protected:
  [[nodiscard]] nn::Network network(std::size_t inputs, std::size_t outputs) const override;
  [[nodiscard]] tensor::SparseMatrix adjacency(const graph::Graph& graph) const override;
  void declare(OptionTable& table) override;

 private:
  std::uint64_t layers_ = 2;
  std::uint64_t width_ = 64;
  double dropout_ = 0.5;
};

}  // namespace privet::methods
