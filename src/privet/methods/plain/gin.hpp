#pragma once

#include "privet/learn/graph_method.hpp"

namespace privet::methods {

/// Graph isomorphism network, without privacy.
class Gin final : public GraphMethod {
 public:
  Gin();
  [[nodiscard]] std::string name() const override { return "gin"; }
  [[nodiscard]] std::string summary() const override { return "graph isomorphism network; no privacy"; }
  [[nodiscard]] std::string reference() const override { return "Xu, Hu, Leskovec and Jegelka 2019"; }

 protected:
  [[nodiscard]] nn::Network network(std::size_t inputs, std::size_t outputs) const override;
  [[nodiscard]] tensor::SparseMatrix adjacency(const graph::Graph& graph) const override;
  void declare(OptionTable& table) override;

 private:
  std::uint64_t layers_ = 2;
  std::uint64_t width_ = 64;
  bool learn_epsilon_ = true;
  bool batch_norm_ = true;
  double dropout_ = 0.5;
};

}  // namespace privet::methods
