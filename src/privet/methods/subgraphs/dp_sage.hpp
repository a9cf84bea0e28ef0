#pragma once

#include <optional>

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/learn/method.hpp"
#include "privet/nn/private_optimizer.hpp"

namespace privet::methods {

/// DP-SAGE: one layer of message passing trained by private SGD, and a noisy sum over neighbours for
/// predicting; the baseline at node level of GAP and DPDGC.
///
/// The layer reads a node's own features and the sum of its neighbours': an example is the star of a training
/// node. A person is in the stars of those it is joined with, before or after: 2D + 1 examples change, or for
/// add-remove one goes and D change. For predicting, the sums behind the learnt weights are released once,
/// with noise, and kept in the model.
///
/// strict  those counts; 2 sqrt D (sqrt D) for the sums; D is the unit's promise; one calibrated plan
/// paper   D + 1 examples by Theorem 1 of Daigavane et al., sqrt D, degrees cut down by a greedy sampler; the
///         certificate lists what fails
class DpSage final : public Method {
 public:
  DpSage();
  [[nodiscard]] std::string name() const override { return "dp-sage"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override { return {"node"}; }
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

  struct Parts {
    nn::PrivateTraining training;
    privacy::GaussianMechanism sums;
    std::uint64_t sampled_degree = 0;  ///< paper rigor; 0: nothing is cut down
    double share = 1;                  ///< with which neighbours count, in training and predicting
    std::optional<double> claimed_epsilon = {};
  };
  [[nodiscard]] Parts parts(const Request& request, const privacy::PublicFacts& facts) const;

 private:
  [[nodiscard]] nn::Network network(std::size_t features, std::size_t classes) const;
  [[nodiscard]] nn::Network tail(std::size_t classes) const;
  [[nodiscard]] Parts published_parts(const Request& request, const privacy::PublicFacts& facts) const;
  [[nodiscard]] nn::PrivateTraining training(const Request& request, const privacy::PublicFacts& facts) const;
  /// What the neighbours add to the first layer, for every node: released.
  [[nodiscard]] tensor::Matrix neighbors(const Model& model, const privacy::Guarded<graph::Graph>& graph,
                                         const privacy::ProtectedDataset& data,
                                         const std::optional<privacy::GaussianMechanism>& noise,
                                         Run& run) const;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> finished(const Model& model, const tensor::Matrix& neighbors,
                                                          const privacy::ProtectedDataset& data) const;

  std::uint64_t width_ = 64;
  std::string activation_ = "selu";
  TrainingOptions training_;
  double clip_norm_ = 1;
  double average_ = 0.5;
  double training_noise_ = 1;
  double sums_noise_ = 1;
  std::uint64_t max_degree_ = 0;
};

/// The features of every node, scaled to norm 1, and beside them `share` x the sum of its neighbours'.
graph::Features star_rows(const graph::Graph& graph, const graph::Features& features, double share);

/// Edges in random order, each kept while both its ends have fewer than `most`: the published sampler. One
/// edge can decide over many later ones (tests/methods/subgraphs/dp_sage_test.cpp). Paper rigor only.
graph::Graph greedily_sampled(const graph::Graph& graph, std::uint64_t most, std::uint64_t seed);

}  // namespace privet::methods
