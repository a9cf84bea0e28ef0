#pragma once

#include "privet/learn/graph_method.hpp"

namespace privet::methods {

/// GraphSAGE on the full neighbourhood, without privacy; with linear layers before and behind, as GAP and
/// DPDGC use it for comparison.
class Sage final : public GraphMethod {
 public:
  Sage();
  [[nodiscard]] std::string name() const override { return "sage"; }
  [[nodiscard]] std::string summary() const override { return "GraphSAGE; no privacy"; }
  [[nodiscard]] std::string reference() const override {
    return "Hamilton, Ying and Leskovec 2017; settings of Chien et al. 2023 (DPDGC)";
  }
  [[nodiscard]] std::vector<Preset> presets() const override;

 protected:
  [[nodiscard]] nn::Network network(std::size_t inputs, std::size_t outputs) const override;
  [[nodiscard]] tensor::SparseMatrix adjacency(const graph::Graph& graph) const override;
  void declare(OptionTable& table) override;

 private:
  std::uint64_t base_layers_ = 2;
  std::uint64_t layers_ = 2;
  std::uint64_t width_ = 64;
  std::string aggregation_ = "sum";
  bool normalize_ = true;
  bool batch_norm_ = true;
  double dropout_ = 0.5;
};

}  // namespace privet::methods
