#pragma once

#include "privet/learn/dense_network.hpp"
#include "privet/learn/method.hpp"

namespace privet::methods {

/// A multi-layer perceptron on the features alone. It opens no edge, so under the units that protect edges
/// and nothing else it is private at no cost: the line that every method on the graph has to beat.
class Mlp final : public Method {
 public:
  Mlp();
  [[nodiscard]] std::string name() const override { return "mlp"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override;
  [[nodiscard]] std::vector<Preset> presets() const override;
  [[nodiscard]] bool is_yardstick() const override { return true; }
  [[nodiscard]] bool spends_budget() const override { return false; }
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Fit fit(const Request& request, const privacy::ProtectedDataset& data,
                        Run& run) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> scores(const Model& model,
                                                        const privacy::ProtectedDataset& data) const override;

 private:
  DenseShape shape_;
  TrainingOptions training_;
};

}  // namespace privet::methods
