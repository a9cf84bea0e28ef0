#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "privet/learn/collector.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/learn/method.hpp"
#include "privet/methods/lists/backbone.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/reports/client.hpp"

namespace privet::methods {

/// What the methods share that learn from graphs whose lists of neighbours never leave their owners: a query
/// to all clients, their reports, a graph made from them, an ordinary network on it. Everything behind the
/// reports is post-processing. Features and labels are public under `local-edge`.
///
/// strict  each pair is asked about at one of its ends: a relationship costs what one bit does
/// paper   every client tells its whole list: a relationship costs twice the epsilon of the request, which is
///         that of one bit; the certificate says so
///
/// In strict rigor validation labels choose between the network on the graph and the features alone
/// (feature_gate.hpp). The graph has to be better by a standard error than the gate's perceptron and than the
/// same network, from the same weights, on a graph without edges; the better of those two answers otherwise.
///
/// The model keeps its scores for its own graph; another graph is asked anew, with a budget of its own.
class LocalMethod : public Method {
 public:
  LocalMethod();
  [[nodiscard]] std::vector<std::string> units() const override { return {"none", "local-edge"}; }
  [[nodiscard]] bool needs_delta() const override { return false; }
  [[nodiscard]] std::vector<std::string> rigors() const override { return {"strict", "paper"}; }
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> unread_options(
      const Request& request) const override;
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
  [[nodiscard]] std::optional<graph::Graph> released_graph(const Request& request,
                                                           const privacy::ProtectedDataset& data,
                                                           Run& run) const override;
  [[nodiscard]] std::optional<AuditSampler> audit_sampler(const Request& request,
                                                          const privacy::PublicFacts& facts,
                                                          const AuditPair& pair) const override;

 protected:
  /// How epsilon is divided; together at most epsilon.
  struct Budget {
    double bits = 0;
    double degrees = 0;
  };
  /// What of a query is known before anybody answers.
  struct Shape {
    std::size_t nodes = 0;
    std::size_t clusters = 0;  ///< by which degrees are counted, where they are counted by clusters
  };
  [[nodiscard]] virtual Budget budget(double epsilon, const Shape& shape) const = 0;

  /// What degrees are counted by.
  enum class Groups { none, everybody, clusters };
  [[nodiscard]] virtual Groups groups() const = 0;
  /// Of soft clusters; 0 for hard ones.
  [[nodiscard]] virtual double temperature() const { return 0; }
  /// Whether one end of a pair is asked in every rigor.
  [[nodiscard]] virtual bool always_one_end() const { return false; }
  /// Whether what both ends of a pair tell stays two directed entries; else it is two reports of one edge.
  [[nodiscard]] virtual bool keeps_directions() const { return false; }
  /// Options of its own.
  virtual void declare(OptionTable& table) = 0;
  /// Those of them that say what is asked, or what is made of the answers: nobody reads them where the edges
  /// are public.
  [[nodiscard]] virtual std::vector<std::string> options_of_query() const { return {}; }

  [[nodiscard]] virtual Reconstruction reconstruct(const Request& request,
                                                   const privacy::LocalQuestion& question,
                                                   const Reports& reports, RandomStream& stream) const = 0;

  /// What is made of a graph with the help of the data that are public, before the network that is kept is
  /// trained on it.
  [[nodiscard]] virtual Reconstruction refined(const Request& request, Reconstruction reconstruction,
                                               const privacy::ProtectedDataset& data, Run& run) const;
  /// Of the training nodes; -1 elsewhere.
  [[nodiscard]] static std::vector<std::int32_t> training_labels(const privacy::ProtectedDataset& data);

  /// For methods with a probability for every pair: the options `graph` and `softmax`, and the graph that is
  /// asked for.
  void declare_graph(OptionTable& table);
  [[nodiscard]] Reconstruction graph_of(LinkPosterior links, const RandomStream& stream) const;

  std::string graph_ = "hard";
  std::string softmax_ = "classes";
  std::string asked_ = "auto";
  Backbone backbone_;
  TrainingOptions training_;
  FeatureGate gate_;

 private:
  [[nodiscard]] bool compares_nodes() const;
  [[nodiscard]] nn::Network network(std::size_t features, std::size_t classes) const;
  [[nodiscard]] privacy::PairReports asked(privacy::Rigor rigor) const;
  [[nodiscard]] nn::TrainingResult learn(const privacy::ProtectedDataset& data, Run& run,
                                         const nn::Network& network,
                                         const nn::Propagation& propagation) const;
  [[nodiscard]] nn::Propagation without_edges(std::size_t nodes) const;
  [[nodiscard]] std::shared_ptr<const nn::TrainingResult> learn_without_edges(
      const privacy::ProtectedDataset& data, Run& run, const nn::Network& network) const;
  [[nodiscard]] nn::Propagation propagation_of_release(const Request& request, const Model& model,
                                                       const privacy::ProtectedDataset& data, Run& run) const;
  // Who tells the clusters of nodes: as many as it has outputs.
  struct Labeller {
    nn::Network network;
    nn::Parameters parameters;
  };
  [[nodiscard]] bool needs_labeller(const Request& request) const;
  [[nodiscard]] nn::Network labeller_network(std::size_t features, std::size_t classes) const;
  [[nodiscard]] Labeller learn_labeller(const privacy::ProtectedDataset& data, Run& run) const;
  [[nodiscard]] Labeller labeller_of(const Model& model) const;
  [[nodiscard]] std::vector<std::uint32_t> memberships(const privacy::ProtectedDataset& data,
                                                       const Labeller& labeller, privacy::Rigor rigor) const;
  [[nodiscard]] Plan plan_for(const Request& request, const Shape& shape) const;
  void require_directions(const Request& request, const privacy::PublicFacts& facts) const;
  /// `labeller`: none where none is needed.
  [[nodiscard]] Reconstruction release(const Request& request, const privacy::ProtectedDataset& data,
                                       Run& run, const Labeller* labeller) const;
};

}  // namespace privet::methods
