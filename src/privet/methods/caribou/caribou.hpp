#pragma once

#include "privet/learn/method.hpp"
#include "privet/methods/caribou/caribou_plan.hpp"

namespace privet::methods {

/// CARIBOU: many contractive hops over the graph with noise in each, of which only the last state leaves, so
/// that depth costs less than its number of releases.
///
/// none, edge, directed-edge  features and labels are public: X0 from them, one release, a combiner that
///                            takes the state only where it helps
/// node                       everything is protected: private encoder, one release without own rows,
///                            private classifier
///
/// strict  degrees are floored by a public number (edge) or bounded by the unit's promise (node), noise comes
///         after every product, projection before it, and hops, contraction and floor are chosen before the
///         graph is opened
/// paper   Algorithm 1 with Theorems 4 to 6 as printed, the smallest degree read off the data. The
///         certificate lists what fails.
///
/// docs/methods/caribou.md has the argument, and when depth pays.
class Caribou final : public Method {
 public:
  Caribou();
  [[nodiscard]] std::string name() const override { return "caribou"; }
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
  [[nodiscard]] std::optional<AuditSampler> audit_sampler(const Request& request,
                                                          const privacy::PublicFacts& facts,
                                                          const AuditPair& pair) const override;
  /// One last state of the other graph, through the layer of training: under the units that leave features
  /// and labels public, and for rows=probabilities and features. Else refused.
  [[nodiscard]] Plan inference_plan(const Request& request, const Model& model,
                                    const privacy::PublicFacts& facts) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> infer(const Request& request, const Model& model,
                                                       const privacy::ProtectedDataset& data,
                                                       Run& run) const override;

  /// Layer, hops and noise of everything that is released.
  [[nodiscard]] CaribouPlan private_plan(const Request& request, const privacy::PublicFacts& facts) const;

 private:
  CaribouOptions options_;
};

}  // namespace privet::methods
