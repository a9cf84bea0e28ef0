#pragma once

#include <optional>

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/learn/method.hpp"
#include "privet/learn/published_accounting.hpp"
#include "privet/nn/private_optimizer.hpp"

namespace privet::methods {

/// GAP: an encoder learnt from features alone, K hops of noisy sums over neighbours of its rows of norm 1, a
/// classifier on all of them side by side. The hops are released once, kept in the model and never drawn
/// again: predictions for the same graph cost nothing.
///
/// strict  an undirected edge moves a hop by sqrt 2; under node:D, D is the unit's promise, every hop costs
///         2 sqrt D (sqrt D for add-remove), encoder and classifier are trained by private SGD, and all of it
///         is calibrated as one plan. No validation label is looked at where labels are protected.
/// paper   the published calibration: 1 for an edge, degree sampling and one multiplier for all parts of a
///         node's budget. The certificate lists what fails.
///
/// docs/methods/gap.md has the argument.
class Gap final : public Method {
 public:
  Gap();
  [[nodiscard]] std::string name() const override { return "gap"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override;
  [[nodiscard]] std::vector<std::string> rigors() const override { return {"strict", "paper"}; }
  [[nodiscard]] std::vector<Preset> presets() const override;
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Fit fit(const Request& request, const privacy::ProtectedDataset& data,
                        Run& run) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> scores(const Model& model,
                                                        const privacy::ProtectedDataset& data) const override;
  [[nodiscard]] Plan inference_plan(const Request& request, const Model& model,
                                    const privacy::PublicFacts& facts) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> infer(const Request& request, const Model& model,
                                                       const privacy::ProtectedDataset& data,
                                                       Run& run) const override;
  [[nodiscard]] std::optional<AuditSampler> audit_sampler(const Request& request,
                                                          const privacy::PublicFacts& facts,
                                                          const AuditPair& pair) const override;

  /// The calibrated parts: empty where the part costs nothing.
  struct Parts {
    std::optional<nn::PrivateTraining> encoder = {};
    std::optional<privacy::GaussianMechanism> hop = {};
    std::optional<nn::PrivateTraining> classifier = {};
    std::uint64_t sampled_degree = 0;  ///< what the graph is cut down to in paper rigor; 0: not at all
    std::optional<double> claimed_epsilon = {};  ///< by the published accountant

    [[nodiscard]] privacy::Event event(std::uint64_t hops) const;
  };
  [[nodiscard]] Parts parts(const Request& request, const privacy::PublicFacts& facts) const;

 private:
  [[nodiscard]] nn::Network encoder(std::size_t inputs, std::size_t outputs, bool people) const;
  [[nodiscard]] nn::Network trunk(std::size_t inputs, bool people) const;
  [[nodiscard]] nn::Network classifier(std::size_t outputs, bool people) const;
  [[nodiscard]] nn::PrivateTraining private_training(const Request& request,
                                                     const privacy::PublicFacts& facts,
                                                     std::uint64_t epochs) const;
  [[nodiscard]] Parts strict_parts(const Request& request, const privacy::PublicFacts& facts) const;
  [[nodiscard]] Parts published_parts(const Request& request, const privacy::PublicFacts& facts) const;
  [[nodiscard]] privacy::GaussianMechanism inference_mechanism(const Request& request) const;
  /// Rows of norm 1 from the features: secret where those are.
  [[nodiscard]] privacy::Guarded<tensor::Matrix> embeddings(const Model& model,
                                                            const privacy::ProtectedDataset& data) const;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> classified(const Model& model,
                                                            const privacy::Guarded<tensor::Matrix>& rows,
                                                            const std::vector<tensor::Matrix>& hops) const;
  [[nodiscard]] std::vector<tensor::Matrix> all_hops(const privacy::Guarded<graph::Graph>& graph,
                                                     const privacy::Guarded<tensor::Matrix>& rows,
                                                     std::size_t nodes,
                                                     const std::optional<privacy::GaussianMechanism>& noise,
                                                     Run& run) const;

  FeatureGate gate_;
  std::uint64_t width_ = 64;
  std::uint64_t hops_ = 1;
  std::uint64_t encoder_layers_ = 2;
  std::string activation_ = "selu";
  double encoder_dropout_ = 0.5;
  double dropout_ = 0.5;
  bool batch_norm_ = true;
  std::uint64_t encoder_epochs_ = 100;
  std::uint64_t classifier_epochs_ = 100;
  TrainingOptions training_;
  double clip_norm_ = 1;
  double average_ = 0.5;
  std::uint64_t max_degree_ = 0;
  double encoder_noise_ = 1;
  double hops_noise_ = 1;
  double classifier_noise_ = 1;
};

}  // namespace privet::methods
