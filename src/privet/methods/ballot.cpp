#include "privet/methods/ballot.hpp"

#include "privet/base/random.hpp"

namespace privet::methods {

Ballot::Ballot() {
  edges_.prior.shape.layers = 2;
  edges_.prior.shape.width = 64;
  edges_.prior.shape.dropout = 0.5;
  edges_.prior.shape.batch_norm = true;
}

std::string Ballot::summary() const {
  return "neighbours vote with their labels, once, with noise; recommended";
}
std::string Ballot::reference() const { return "docs/methods/ballot.md"; }
std::vector<std::string> Ballot::units() const { return {"none", "edge", "directed-edge"}; }

OptionTable Ballot::options() {
  OptionTable table(name());
  table.add("sharing", edges_.sharing,
            "who hears an edge: shared between its ends by roles, one end, both, or by the labeled share",
            {"auto", "shared", "one-end", "both-ends"});
  table.add("heard", edges_.heard, "weight with which an unlabeled end hears a labeled one, where shared", 0.0,
            1.0);
  table.add("hops", edges_.hops, "rounds of votes; 2 for graphs in which unlike nodes are joined", 1, 2);
  table.add("folds", edges_.prior.folds, "of the training nodes, each judged by a network that has not seen it",
            2, 100);
  edges_.prior.shape.declare(table);
  edges_.prior.training.declare(table);
  table.add("tuning", edges_.tuning, "dropout by a rule on the numbers of features and training nodes, or as given",
            {"auto", "given"});
  table.add("expected_degree", edges_.expected_degree,
            "your guess of the mean degree, to judge usefulness before spending; 0 is no guess", 0.0, 1e9);
  table.add("expected_homophily", edges_.expected_homophily,
            "your guess of the share of edges within a class; 0 is no guess", 0.0, 1.0);
  return table;
}

Plan Ballot::plan(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  SeededStream any(0);  // what it draws changes nothing that a plan says
  return describe_edges(edges_, plan_edges(edges_, request, facts, any), request, facts);
}

Fit Ballot::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  return fit_edges(edges_, request, data, run);
}

privacy::Guarded<tensor::Matrix> Ballot::scores(const Model& model,
                                                const privacy::ProtectedDataset& data) const {
  return privacy::Guarded<tensor::Matrix>::public_value(edge_scores(edges_, model, data));
}

}  // namespace privet::methods
