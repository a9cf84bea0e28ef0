#include "privet/methods/lists/solitude.hpp"

#include <utility>

namespace privet::methods {

std::string Solitude::summary() const {
  return "locally private lists, weights of their edges learnt with a network, then a network";
}
std::string Solitude::reference() const { return "Lin et al. 2022 (Solitude); baseline of Zhu et al. 2023"; }

std::vector<Preset> Solitude::presets() const {
  std::vector<Preset> all = Rr::presets();
  all.front().assignments.insert(all.front().assignments.end(), {"weight_epochs=200", "weight_rate=0.01",
                                                                 "closeness=1e-5", "sparsity=1e-5"});
  return all;
}

void Solitude::declare(OptionTable& table) {
  table.add("weight_epochs", learning_.epochs, "steps of network and weights, in turn", 2, 1000000);
  table.add("weight_rate", learning_.rate, "size of a step of the weights", 1e-9, 10.0);
  table.add("closeness", learning_.closeness, "pull of the weights towards the graph that was told", 0.0,
            10.0);
  table.add("sparsity", learning_.sparsity, "pull of the weights towards 0", 0.0, 10.0);
}

Reconstruction Solitude::refined(const Request& request, Reconstruction reconstruction,
                                 const privacy::ProtectedDataset& data, Run& run) const {
  if (!request.wants_privacy()) return reconstruction;
  Backbone learner = backbone_;
  if (learner.kind == "gat") learner.kind = "gcn";
  WeightLearning learning = learning_;
  learning.bounded = request.rigor == privacy::Rigor::kStrict;
  const std::unique_ptr<RandomStream> stream = run.stream.fork("weights of edges", 0);
  tensor::SparseMatrix weights =
      learn_weights(*reconstruction.graph, data.features.visible(), data.facts.classes, training_labels(data),
                    learner, training_, learning, *stream);
  if (backbone_.kind != "gat") return {.weights = std::move(weights)};
  graph::EdgeList edges;
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    for (std::uint64_t e = weights.offsets()[i]; e < weights.offsets()[i + 1]; ++e) {
      if (weights.value(e) > 0.5F) edges.add(static_cast<graph::NodeId>(i), weights.column_indices()[e]);
    }
  }
  return {.graph = graph::Graph(weights.rows(), std::move(edges), reconstruction.graph->direction(),
                                "edges with learnt weights")};
}

}  // namespace privet::methods
