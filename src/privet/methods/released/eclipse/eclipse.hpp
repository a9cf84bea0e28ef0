#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/mechanisms/top_entries.hpp"
#include "privet/methods/released/eclipse/eclipse_published.hpp"
#include "privet/methods/released/released_graph.hpp"

namespace privet::methods {

/// Eclipse: learning on a graph of low rank.
///
/// paper   the published algorithm, which protects nobody: noisy singular values on exact singular vectors
///         (eclipse_published.hpp)
/// strict  what is left of the idea with a guarantee. The graph is multiplied with a basis that is public or
///         already released, and the product has noise: A Q + N, n times r numbers, of which an edge moves
///         two rows by a row of Q each.
///
///     basis=features       Q: training labels where they are known, elsewhere the class probabilities of a
///                          perceptron on the features. One product.
///     basis=iterated       the same, then the noisy product is the next basis, its rows scaled to norm 1:
///                          noisy subspace iteration
///     basis=noisy-matrix   LapGraph's noisy matrix, of which eigenpairs are taken as post-processing
///
/// readout=rows lets the network read the product beside the features; readout=graph lets it send along the
/// largest entries of the matrix of low rank, (A Q + N) Q^T made symmetric; readout=both does both.
class Eclipse final : public ReleasedGraph {
 public:
  [[nodiscard]] std::string name() const override { return "eclipse"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override { return {"none", "edge"}; }
  [[nodiscard]] std::vector<Preset> presets() const override;
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  /// Unsound for a model that was learnt as published: there is no basis in it to multiply another graph
  /// with.
  [[nodiscard]] Plan inference_plan(const Request& request, const Model& model,
                                    const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Released release(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                                 const Model* model) const override;
  [[nodiscard]] std::optional<AuditSampler> audit_sampler(const Request& request,
                                                          const privacy::PublicFacts& facts,
                                                          const AuditPair& pair) const override;

 private:
  [[nodiscard]] bool counts_edges() const { return readout_ != "rows" || basis_ == "noisy-matrix"; }
  [[nodiscard]] std::uint64_t products() const { return basis_ == "iterated" ? iterations_ : 1; }
  [[nodiscard]] double count_epsilon(const Request& request) const;
  /// Of one product of the graph with a basis, calibrated beside the count.
  [[nodiscard]] privacy::GaussianMechanism product_noise(const Request& request, std::size_t columns) const;
  /// Of basis=noisy-matrix, with what the count leaves.
  [[nodiscard]] privacy::TopEntries matrix_noise(const Request& request) const;
  [[nodiscard]] Plan published_plan(const Request& request) const;
  [[nodiscard]] Released released_products(const Request& request, const privacy::ProtectedDataset& data,
                                           Run& run, const Model* model) const;
  [[nodiscard]] Released released_eigenpairs(const Request& request, const privacy::ProtectedDataset& data,
                                             Run& run) const;

  PublishedEclipse published_;
  std::string basis_ = "features";
  std::string readout_ = "rows";
  std::uint64_t iterations_ = 2;
};

/// A public basis, rows of norm at most 1: the class probabilities of a perceptron learnt on features and
/// training labels, and the label itself where it is known. `model` has the perceptron where one was learnt
/// before; else it is learnt, and put into `tensors`.
tensor::Matrix class_basis(const privacy::ProtectedDataset& data, Run& run, const Model* model,
                           std::vector<tensor::NamedMatrix>& tensors);

}  // namespace privet::methods
