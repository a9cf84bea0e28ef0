#pragma once

#include <optional>

#include "privet/learn/dense_network.hpp"
#include "privet/learn/method.hpp"
#include "privet/learn/private_rows.hpp"
#include "privet/learn/published_accounting.hpp"
#include "privet/nn/private_optimizer.hpp"

namespace privet::methods {

/// A perceptron trained by private SGD: protects whole people (features, label, and their edges, which it
/// never opens). By default a softmax regression on rows of bounded norm, full batch, averaged over its last
/// steps, which beats the deeper networks of the papers at every budget we measured.
///
/// strict  one person is one training example, replaced or taken out as the unit says; sampler and accountant
///         read the same plan; no validation label is looked at, the last steps are averaged instead
/// paper   GAP's calibration (Poisson sampling, one example added or removed, Renyi accountant), or with
///         sampling=fixed-size DPDGC's (one example another, noise of twice sigma); and a checkpoint chosen
///         on validation labels
class DpMlp final : public Method {
 public:
  DpMlp();
  [[nodiscard]] std::string name() const override { return "dp-mlp"; }
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

  /// The plan of the optimiser, calibrated: the one source of noise, steps and rates.
  [[nodiscard]] nn::PrivateTraining training_plan(const Request& request,
                                                  const privacy::PublicFacts& facts) const;

 private:
  [[nodiscard]] RowTuning tuning(const Request& request, const privacy::PublicFacts& facts) const;
  [[nodiscard]] PublishedPlan published_plan(const nn::PrivateTraining& training) const;
  [[nodiscard]] nn::PrivateTraining uncalibrated(const Request& request,
                                                 const privacy::PublicFacts& facts) const;

  DenseShape shape_;
  TrainingOptions training_;
  std::string tuning_ = "auto";
  std::uint64_t steps_ = 150;
  std::string sampling_ = "poisson";
  std::string clipping_ = "flat";
  double clip_norm_ = 1;
  double feature_norm_ = 5;
  double average_ = 0.5;
};

}  // namespace privet::methods
