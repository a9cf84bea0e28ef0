#pragma once

#include <optional>

#include "privet/learn/dense_network.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/learn/method.hpp"
#include "privet/methods/dpdgc/dpdgc_network.hpp"
#include "privet/methods/dpdgc/dpdgc_plan.hpp"
#include "privet/nn/examples.hpp"

namespace privet::methods {

/// Decoupled graph convolution (Chien et al. 2023): rows of A learn an embedding W by themselves (DP-Emb),
/// A W is released once with noise, and a classifier reads features and that release.
///
/// strict  affected rows counted for the unit, rows of W truly bounded, noise on A W, the bias added after
///         it; no un-noised private row chooses anything. Under the edge units features and labels are
///         public, so the classifier is post-processing, and validation labels choose between it and a
///         perceptron on the features alone
/// paper   the published noise and accountant; the certificate lists which claims fail
///
/// The published code releases A W without noise in effect: Request::published_defects replays that.
class Dpdgc final : public Method {
 public:
  Dpdgc();
  [[nodiscard]] std::string name() const override { return "dpdgc"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override;
  [[nodiscard]] std::vector<std::string> rigors() const override { return {"strict", "paper"}; }
  [[nodiscard]] std::vector<Preset> presets() const override;
  [[nodiscard]] bool replays_published_defects() const override { return true; }
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Fit fit(const Request& request, const privacy::ProtectedDataset& data,
                        Run& run) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> scores(const Model& model,
                                                        const privacy::ProtectedDataset& data) const override;

  /// For the same nodes with other edges (appendix I): A W is released anew. W has one row for every node of
  /// the graph that it was learnt on, so other nodes are a DataError.
  [[nodiscard]] Plan inference_plan(const Request& request, const Model& model,
                                    const privacy::PublicFacts& facts) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> infer(const Request& request, const Model& model,
                                                       const privacy::ProtectedDataset& data,
                                                       Run& run) const override;
  [[nodiscard]] std::optional<AuditSampler> audit_sampler(const Request& request,
                                                          const privacy::PublicFacts& facts,
                                                          const AuditPair& pair) const override;

  /// Noise, steps and rates of everything that is released.
  [[nodiscard]] DpdgcPlan private_plan(const Request& request, const privacy::PublicFacts& facts) const {
    return dpdgc_plan(costs(), request, facts);
  }

 private:
  /// InvalidArgument where the noise of a training could not be drawn.
  void require_trainable(const DpdgcPlan& parts, const privacy::PublicFacts& facts) const;

  // The arrays of a model.
  static constexpr const char* kWeight = "embedding.weight";
  static constexpr const char* kBias = "embedding.bias";
  static constexpr const char* kEmbedding = "embedding";

  [[nodiscard]] DpdgcPrivacy costs() const;
  struct Embedding;  // W, b and what was made of them

  [[nodiscard]] nn::Network classifier(bool is_private, std::size_t features, std::size_t classes) const;
  [[nodiscard]] double feature_norm(bool is_private) const;
  [[nodiscard]] tensor::Matrix finished(tensor::Matrix sums, std::span<const float> bias) const;
  [[nodiscard]] Embedding plain_embedding(const privacy::ProtectedDataset& data, Run& run) const;
  [[nodiscard]] Embedding private_embedding(const Request& request, const DpdgcPlan& parts,
                                            const privacy::ProtectedDataset& data, Run& run) const;
  void fit_plain_classifier(const Request& request, const privacy::ProtectedDataset& data,
                            const tensor::Matrix& embedding, Run& run, Fit& fit) const;
  void fit_private_classifier(const Request& request, const nn::PrivateTraining& training,
                              const privacy::ProtectedDataset& data, const tensor::Matrix& embedding,
                              Run& run, Fit& fit) const;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> scores_with(const Model& model,
                                                             const privacy::ProtectedDataset& data,
                                                             const tensor::Matrix& embedding) const;

  DpdgcPrivacy privacy_;
  TrainingOptions plain_;
  std::string classifier_ = "auto";
  std::uint64_t feature_layers_ = 2;
  double dropout_ = 0.5;
  bool batch_norm_ = true;
  double embedding_norm_ = 2;
  FeatureGate gate_;
  double embedding_rate_ = 0.05;
  double embedding_decay_ = 0;
  double classifier_rate_ = 0.02;
  double feature_norm_ = 3;
  double average_ = 0.5;
};

}  // namespace privet::methods
