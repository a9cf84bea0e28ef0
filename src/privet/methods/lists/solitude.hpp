#pragma once

#include "privet/methods/lists/learnt_weights.hpp"
#include "privet/methods/lists/rr.hpp"

namespace privet::methods {

/// Solitude (Lin et al. 2022), the part for links as Blink (Zhu et al. 2023) compares with it: lists by
/// randomised response, then a weight for every edge that was told, learnt together with a network so that
/// training labels are met by few edges that are not far from those told. The network is then trained anew on
/// the weights.
///
/// Features and training labels are public: the weights are post-processing. Attention reads no weights: for
/// gat they are learnt with convolutions, and edges above 1/2 stay. A graph that the model is asked about
/// later has no labels to learn weights from, and is taken as it was told.
class Solitude final : public Rr {
 public:
  [[nodiscard]] std::string name() const override { return "solitude"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<Preset> presets() const override;

 protected:
  void declare(OptionTable& table) override;
  [[nodiscard]] std::vector<std::string> options_of_query() const override {
    return {"weight_epochs", "weight_rate", "closeness", "sparsity"};
  }
  [[nodiscard]] Reconstruction refined(const Request& request, Reconstruction reconstruction,
                                       const privacy::ProtectedDataset& data, Run& run) const override;

 private:
  WeightLearning learning_;
};

}  // namespace privet::methods
