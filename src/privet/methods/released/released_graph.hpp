#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "privet/learn/dense_network.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/learn/graph_method.hpp"

namespace privet::methods {

/// What leaves of the edges: a graph, and where the method has them numbers for every node, which the network
/// reads beside the features. `tensors` go into the model.
struct Released {
  graph::Graph graph;
  std::optional<tensor::Matrix> rows = {};
  std::vector<tensor::NamedMatrix> tensors = {};
};

/// What the methods share that release a graph once and learn an ordinary graph convolutional network on it,
/// as post-processing: LapGraph, Eclipse. Features and labels are public under the edge units. The model
/// keeps its scores for its own graph; another one is released anew, with a budget of its own.
///
/// The network is that of Eclipse's experiments: P (X W + b), started uniformly on +- 1/sqrt(fan in), ReLU
/// and dropout behind the hidden layers only, Adam with weight decay, the learning rate going down to 0 in a
/// line. `select`: its epoch is that of the best validation accuracy, or (as published) of the lowest
/// validation loss.
class ReleasedGraph : public Method {
 public:
  ReleasedGraph();
  [[nodiscard]] std::vector<std::string> rigors() const override { return {"strict", "paper"}; }
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
  /// None where rows are released beside the graph: the network reads what only the owner of the data has.
  [[nodiscard]] std::optional<graph::Graph> released_graph(const Request& request,
                                                           const privacy::ProtectedDataset& data,
                                                           Run& run) const override;

  /// What is released of the edges for the request. Of a public graph, under the unit none, what the same
  /// steps give without noise. `model` is that which is applied to another graph; none while one is learnt.
  [[nodiscard]] virtual Released release(const Request& request, const privacy::ProtectedDataset& data,
                                         Run& run, const Model* model) const = 0;

 protected:
  /// The options of the network, its training and the gate.
  void declare_network(OptionTable& table);

  /// For plans: InvalidArgument for a unit that is not served, or without a budget. False for the unit none.
  [[nodiscard]] bool requires_privacy(const Request& request) const;

  [[nodiscard]] std::unique_ptr<GraphMethod> network() const;

  FeatureGate gate_;
  TrainingOptions training_;

 private:
  std::uint64_t layers_ = 2;
  std::uint64_t width_ = 64;
  double dropout_ = 0.5;
  std::string normalization_ = "loops";
};

/// The data with this graph, and these rows beside the features, of which nothing is protected any more:
/// behind a release under the edge units, where features and labels are public.
privacy::ProtectedDataset behind_release(const privacy::ProtectedDataset& data, const Released& released);

/// Both side by side; sparse where the features are.
graph::Features beside_features(const graph::Features& features, const tensor::Matrix& rows);

/// How many edges there are (entries, under directed-edge), with discrete Laplace noise of this epsilon, not
/// below 0 or above the number of places; of a public graph, how many there are.
std::uint64_t released_edge_count(const privacy::ProtectedDataset& data, const privacy::Unit& unit,
                                  std::optional<double> epsilon, Run& run);
privacy::Event edge_count_event(const privacy::Unit& unit, double epsilon);

}  // namespace privet::methods
