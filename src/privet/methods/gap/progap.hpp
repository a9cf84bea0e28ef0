#pragma once

#include <optional>

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/learn/method.hpp"

namespace privet::methods {

/// ProGAP: GAP in stages. A stage learns rows of norm 1 from the noisy sums of the stage before, together
/// with a head on the rows of all stages so far; its rows are then summed over neighbours with noise, once,
/// for the next stage. Stages that are done stay as they are.
///
/// Rows are made from public features, released sums and weights learnt from those: they are nobody's under
/// the edge units. strict takes sqrt 2 for an undirected edge and hop, paper 1 as published.
class ProGap final : public Method {
 public:
  ProGap();
  [[nodiscard]] std::string name() const override { return "progap"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override { return {"none", "edge", "directed-edge"}; }
  [[nodiscard]] std::vector<std::string> rigors() const override { return {"strict", "paper"}; }
  [[nodiscard]] std::vector<Preset> presets() const override;
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Fit fit(const Request& request, const privacy::ProtectedDataset& data,
                        Run& run) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> scores(const Model& model,
                                                        const privacy::ProtectedDataset& data) const override;
  [[nodiscard]] bool infers_as_published() const override { return true; }
  [[nodiscard]] Plan inference_plan(const Request& request, const Model& model,
                                    const privacy::PublicFacts& facts) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> infer(const Request& request, const Model& model,
                                                       const privacy::ProtectedDataset& data,
                                                       Run& run) const override;

 private:
  /// Empty under the unit none; the request must have a budget otherwise.
  [[nodiscard]] std::optional<privacy::GaussianMechanism> mechanism(const Request& request) const;
  /// From features to rows of norm 1: the beginning of the network of stage 0.
  [[nodiscard]] nn::Network trunk(std::size_t inputs) const;
  /// Stage 0: from features to classes. Later ones: from the rows of all stages before, and the sums over
  /// those of the last, to classes.
  [[nodiscard]] nn::Network network(std::uint64_t stage, std::size_t inputs, std::size_t outputs) const;
  void add_head(nn::Network& network, std::size_t columns, std::size_t outputs, std::uint64_t place) const;
  /// The rows of a stage, from features or from its sums.
  [[nodiscard]] tensor::Matrix first_rows(const Model& model, const graph::Features& features) const;
  [[nodiscard]] tensor::Matrix later_rows(const Model& model, std::uint64_t stage,
                                          const tensor::Matrix& sums) const;

  FeatureGate gate_;
  std::uint64_t width_ = 64;
  std::uint64_t hops_ = 1;
  std::uint64_t base_layers_ = 2;
  std::string activation_ = "selu";
  double dropout_ = 0.5;
  bool batch_norm_ = true;
  TrainingOptions training_;
};

}  // namespace privet::methods
