#pragma once

#include "privet/learn/dense_network.hpp"
#include "privet/learn/method.hpp"
#include "privet/nn/layer.hpp"

namespace privet::methods {

/// What the message passing networks without privacy share: full-batch training on the whole graph, the epoch
/// with the best validation accuracy. The lines that private methods are measured against; they protect
/// nothing and serve the unit `none` only.
class GraphMethod : public Method {
 public:
  [[nodiscard]] std::vector<std::string> units() const override { return {"none"}; }
  [[nodiscard]] bool is_yardstick() const override { return true; }
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Fit fit(const Request& request, const privacy::ProtectedDataset& data,
                        Run& run) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> scores(const Model& model,
                                                        const privacy::ProtectedDataset& data) const override;
  [[nodiscard]] std::optional<MessagePassing> message_passing(const Model& model,
                                                              const graph::Graph& graph) const override;

 protected:
  /// The network from features to classes.
  [[nodiscard]] virtual nn::Network network(std::size_t inputs, std::size_t outputs) const = 0;
  /// The weighted adjacency it sends along.
  [[nodiscard]] virtual tensor::SparseMatrix adjacency(const graph::Graph& graph) const = 0;
  /// Options of its own, beside those of the training.
  virtual void declare(OptionTable& table) = 0;

  TrainingOptions training_;
};

}  // namespace privet::methods
