#pragma once

#include <optional>

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/mechanisms/subgraph_sampler.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/learn/method.hpp"
#include "privet/methods/subgraphs/dp_gnn_network.hpp"
#include "privet/nn/private_optimizer.hpp"

namespace privet::methods {

/// DP-GNN: message-passing networks trained by private SGD or Adam on bounded subgraphs (Daigavane et al.).
///
/// A training node is the root of a star of at most `degree` others (with two layers, of a tree); the
/// gradient of its loss is clipped as one, summed over a batch and released with noise. One person is in
/// several subgraphs: how many the sampler says (core/mechanisms/subgraph_sampler.hpp), and the same
/// number is in the plan.
///
/// strict  the sampler above; one clip norm, public or chosen by a noisy quantile; Poisson batches; the tight
///         accountant of sums in which several examples change
/// paper   Algorithm 2, a clip norm and noise for each layer, from the private gradients, Theorem 1; the
///         certificate lists what fails
class DpGnn final : public Method {
 public:
  DpGnn();
  [[nodiscard]] std::string name() const override { return "dp-gnn"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override { return {"record", "node"}; }
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

  [[nodiscard]] bool answers_read_others() const override { return inference_ != "noisy"; }

  struct Parts {
    privacy::SubgraphSampler sampler;
    nn::PrivateTraining training;
    std::optional<privacy::Epsilon> clip_epsilon = {};    ///< of all noisy quantiles together
    std::optional<privacy::GaussianMechanism> sums = {};  ///< of noisy inference
    double lambda = 0;  ///< noise over what all affected subgraphs move the sum by
    std::optional<double> claimed_epsilon = {};

    [[nodiscard]] privacy::Event event() const;
  };
  [[nodiscard]] Parts parts(const Request& request, const privacy::PublicFacts& facts) const;

 private:
  [[nodiscard]] Parts uncalibrated(const Request& request, const privacy::PublicFacts& facts) const;
  [[nodiscard]] Parts calibrated(const Request& request, const Parts& parts) const;
  [[nodiscard]] Parts affordable(const Request& request, const Parts& parts) const;
  [[nodiscard]] Parts published(const Request& request, Parts parts) const;
  [[nodiscard]] privacy::Secret<nn::StarExamples> examples(const Parts& parts,
                                                           const privacy::ProtectedDataset& data, bool greedy,
                                                           std::uint64_t key) const;
  [[nodiscard]] std::vector<double> clip_norms(const Request& request, const Parts& parts,
                                               const privacy::Secret<nn::StarExamples>& examples,
                                               const nn::Network& network, const nn::Parameters& initial,
                                               Run& run) const;
  [[nodiscard]] std::uint64_t listeners() const { return listeners_ == 0 ? degree_ : listeners_; }
  [[nodiscard]] privacy::Sensitivity sums_sensitivity(const privacy::Unit& unit) const;
  /// What the model must hold to answer later: released sums, or the public roles.
  void keep_for_predicting(const Parts& parts, const privacy::ProtectedDataset& data, Run& run,
                           Model& model) const;
  /// What everybody hears of others, for predicting: released.
  [[nodiscard]] tensor::Matrix heard_sums(const Model& model, const privacy::ProtectedDataset& data,
                                          const privacy::GaussianMechanism& mechanism, Run& run) const;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> finished(const Model& model, const tensor::Matrix& sums,
                                                          const privacy::ProtectedDataset& data) const;
  [[nodiscard]] Plan published_plan(const Request& request, const Parts& parts, Plan plan) const;

  DpGnnShape shape_;
  TrainingOptions training_;
  std::uint64_t degree_ = 1;
  std::uint64_t listeners_ = 0;
  std::uint64_t steps_ = 50;
  double noise_multiplier_ = 0;
  std::string sampling_ = "poisson";
  std::string clip_ = "given";
  double clip_norm_ = 1;
  double clip_quantile_ = 0.75;
  double clip_share_ = 0.05;
  std::string clipping_ = "flat";
  double feature_norm_ = 8;
  double average_ = 0.5;
  std::string inference_ = "visible";
  double inference_noise_ = 1;
};

}  // namespace privet::methods
