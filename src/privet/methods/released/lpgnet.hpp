#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "privet/core/mechanisms/geometric.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/learn/method.hpp"

namespace privet::methods {

/// LPGNet: a perceptron on the features predicts every node's class; how many neighbours of each class a node
/// has is released with discrete Laplace noise; the next perceptron reads these counts and the scores of the
/// one before, and so on for one or two stages, each reading all scores and counts of those before it.
///
/// An undirected edge moves two counts by 1, whatever the predictions, which depend on released numbers
/// alone: L1 2 per stage. Every count has noise of its own. (The published code copies one generator into
/// every worker process, so that nodes far apart share their noise, and stages too: its claim fails there,
/// the paper's does not.)
///
/// strict and paper release the same, which is sound. In strict rigor the features alone answer where the
/// graph is no better (FeatureGate).
class LpgNet final : public Method {
 public:
  LpgNet();
  [[nodiscard]] std::string name() const override { return "lpgnet"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override { return {"none", "edge", "directed-edge"}; }
  [[nodiscard]] bool needs_delta() const override { return false; }
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
  [[nodiscard]] nn::Network network(std::size_t inputs, std::size_t outputs) const;
  [[nodiscard]] std::optional<privacy::GeometricMechanism> mechanism(const Request& request) const;
  /// What the perceptron of a stage reads: what the one before read if that was no feature, its scores and
  /// noisy counts of their classes.
  [[nodiscard]] tensor::Matrix stage_rows(const Request& request, const privacy::ProtectedDataset& data,
                                          const tensor::Matrix& before, const tensor::Matrix& scores,
                                          std::uint64_t stage, Run& run) const;

  FeatureGate gate_;
  std::uint64_t stages_ = 2;
  std::uint64_t layers_ = 2;
  std::uint64_t width_ = 64;
  double dropout_ = 0.5;
  TrainingOptions training_;
};

/// How many neighbours of every node (entries of its row) have each class: rows of `classes` counts.
std::vector<std::int64_t> class_counts(const graph::Graph& graph, const std::vector<std::int32_t>& classes,
                                       std::uint64_t kinds);

/// L1: an edge moves the counts of its two ends by 1 each, a directed entry those of one.
privacy::Sensitivity class_counts_sensitivity(const privacy::Unit& unit);

}  // namespace privet::methods
