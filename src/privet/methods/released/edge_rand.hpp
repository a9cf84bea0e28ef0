#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "privet/core/mechanisms/randomized_response.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/learn/graph_method.hpp"

namespace privet::methods {

/// EdgeRand: randomised response on the adjacency matrix, once; an ordinary network on the noisy graph, as
/// post-processing. The baseline that GAP and DPDGC measure themselves against.
///
/// plain       every bit is flipped with probability 1 / (1 + e^epsilon): a dense graph for small epsilon
/// asymmetric  a noisy count of the edges first; then of the response's ones just so many are kept, at
/// random,
///             that about that count remains
///
/// strict  each pair of nodes is told once (`edge`), each entry once (`directed-edge`); one count of the
/// whole
///         matrix
/// paper   GAP's code: both entries of an edge, densities of 500 rows at a time with the noise of the whole
class EdgeRand final : public Method {
 public:
  EdgeRand();
  [[nodiscard]] std::string name() const override { return "edge-rand"; }
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
  [[nodiscard]] std::optional<MessagePassing> message_passing(const Model& model,
                                                              const graph::Graph& graph) const override;
  [[nodiscard]] std::optional<graph::Graph> released_graph(const Request& request,
                                                           const privacy::ProtectedDataset& data,
                                                           Run& run) const override;

  /// The noisy graph of the request: what is released, and all that is.
  [[nodiscard]] graph::Graph noisy_graph(const Request& request, const privacy::ProtectedDataset& data,
                                         Run& run) const;

 private:
  /// The network on the noisy graph, with this method's options.
  [[nodiscard]] std::unique_ptr<GraphMethod> network() const;
  [[nodiscard]] graph::Graph published_graph(const Request& request, const privacy::ProtectedDataset& data,
                                             Run& run) const;
  struct Budget {
    double bits;
    std::optional<double> count;  ///< of the edges; asymmetric only
  };
  [[nodiscard]] Budget budget(const Request& request) const;
  void require_size(const Request& request, std::size_t nodes) const;

  FeatureGate gate_;
  std::string kind_ = "asymmetric";
  std::string network_ = "sage";
  double count_share_ = 0.1;
  double most_edges_ = 3e7;
  std::uint64_t layers_ = 1;
  std::uint64_t width_ = 64;
  std::string aggregation_ = "sum";
  double dropout_ = 0.5;
  TrainingOptions training_;
};

/// The densities of 500 rows each, as GAP's code takes them: one entry moves one of them by 1 / (500 n),
/// which is noised as if it were 1 / n^2. Paper rigor only.
std::vector<double> published_densities(const graph::Graph& graph);

}  // namespace privet::methods
