#pragma once

#include "privet/methods/released/released_graph.hpp"

namespace privet::methods {

/// LapGraph, the baseline DPGCN of LPGNet and Eclipse: a noisy count of the edges, Laplace noise on every
/// entry of the adjacency matrix, as many of the largest kept as were counted; a graph convolutional network
/// on them.
///
/// strict and paper release the same, which is sound: an edge is one entry above the diagonal and one in the
/// count. In strict rigor the features alone answer where the graph is no better (FeatureGate).
class LapGraph final : public ReleasedGraph {
 public:
  [[nodiscard]] std::string name() const override { return "lap-graph"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override { return {"none", "edge", "directed-edge"}; }
  [[nodiscard]] bool needs_delta() const override { return false; }
  [[nodiscard]] std::vector<Preset> presets() const override;
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Released release(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                                 const Model* model) const override;
  [[nodiscard]] std::optional<AuditSampler> audit_sampler(const Request& request,
                                                          const privacy::PublicFacts& facts,
                                                          const AuditPair& pair) const override;

 private:
  double count_share_ = 0.01;
};

}  // namespace privet::methods
