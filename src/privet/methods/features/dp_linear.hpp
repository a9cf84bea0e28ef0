#pragma once

#include "privet/learn/method.hpp"
#include "privet/learn/private_regression.hpp"

namespace privet::methods {

/// Softmax regression on the features, by private gradient descent over everybody at every step: no secret
/// batches, no subsampling theorem, Gaussian accounting that is exact. Opens no edge.
class DpLinear final : public Method {
 public:
  [[nodiscard]] std::string name() const override { return "dp-linear"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override;
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Fit fit(const Request& request, const privacy::ProtectedDataset& data,
                        Run& run) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> scores(const Model& model,
                                                        const privacy::ProtectedDataset& data) const override;

 private:
  [[nodiscard]] nn::PrivateTraining training(const Request& request, const privacy::PublicFacts& facts) const;
  [[nodiscard]] RowTuning tuning(const Request& request, const privacy::PublicFacts& facts) const;

  RegressionOptions options_;
};

}  // namespace privet::methods
