#include "privet/methods/ballot/ballot.hpp"

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::methods {

Ballot::Ballot() {
  edges_.prior.shape.layers = 2;
  edges_.prior.shape.width = 64;
  edges_.prior.shape.dropout = 0.5;
  edges_.prior.shape.batch_norm = true;
}

std::string Ballot::summary() const { return "neighbours vote with their labels, with noise; recommended"; }
std::string Ballot::reference() const { return "docs/methods/ballot.md"; }
std::vector<std::string> Ballot::units() const {
  return {"none", "edge", "directed-edge", "local-edge", "record", "node"};
}

OptionTable Ballot::options() {
  OptionTable table(name());
  table.add("sharing", edges_.sharing,
            "who hears an edge: shared between its ends by roles, one end, both, or by the labeled share",
            {"auto", "shared", "one-end", "both-ends"});
  table.add("heard", edges_.heard, "weight with which an unlabeled end hears a labeled one, where shared",
            0.0, 1.0);
  table.add("noise", edges_.noise,
            "of the votes, unit edge and directed-edge; auto: Laplace, which is a third of the Gaussian for "
            "votes, but for 2 hops",
            {"auto", "laplace", "gaussian"});
  table.add("hops", edges_.hops, "of votes; 2 for graphs in which unlike nodes are joined", 1, 2);
  table.add("rounds", edges_.rounds,
            "of votes, each with what nodes answer after those before; 0 takes 2 (6 with Gaussian noise) "
            "where less than half of the nodes are labeled, else 1",
            0, 16);
  table.add("folds", edges_.prior.folds,
            "of the training nodes, each judged by a network that has not seen it", 2, 100);
  edges_.prior.shape.declare(table);
  edges_.prior.training.declare(table);
  table.add("tuning", edges_.tuning,
            "dropout by a rule on the numbers of features and training nodes, or as given",
            {"auto", "given"});
  table.add("list_bound", records_.list_bound, "unit record: squared weights of one person's list, at most",
            1e-3, 1e6);
  table.add("combiner_share", records_.combiner_share,
            "units record and node: share of the training nodes that hear votes and teach the combiner", 0.0,
            1.0);
  table.add("least_usefulness", records_.least_usefulness,
            "units record and node: signal over noise of the votes below which they are not bought", -1e9,
            1e9);
  table.add("regression_steps", records_.regression.steps,
            "units record and node: private steps of the regression on the features", 1, 100000000);
  table.add("combiner_steps", records_.combiner_steps, "units record and node: private steps of the combiner",
            1, 100000000);
  table.add("combiner_rate", records_.combiner_rate, "units record and node: size of the combiner's steps",
            1e-9, 1e3);
  table.add("expected_degree", edges_.expected_degree,
            "your guess of the mean degree, to judge usefulness before spending; 0 is no guess", 0.0, 1e9);
  table.add("expected_homophily", edges_.expected_homophily,
            "your guess of the share of edges within a class; 0 is no guess", 0.0, 1.0);
  return table;
}

Plan Ballot::plan(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  if (request.unit.protects_labels()) {
    const RecordBallotPlan parts = plan_records(records_, request, facts);
    require_drawable(parts, facts);
    return describe_records(parts, request.unit);
  }
  SeededStream any(0);  // what it draws changes nothing that a plan says
  return describe_edges(edges_, plan_edges(edges_, request, facts, any), facts);
}

Fit Ballot::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  return data.unit.protects_labels() ? fit_records(records_, request, data, run)
                                     : fit_edges(edges_, request, data, run);
}

Plan Ballot::inference_plan(const Request&, const Model&, const privacy::PublicFacts& facts) const {
  throw InvalidArgument(
      {.what = "votes can't be carried over to another graph",
       .where = facts.data,
       .expected = "the graph that the model was trained on",
       .remedy = "train on this one: with its labels it costs one release, as predicting would"});
}

privacy::Guarded<tensor::Matrix> Ballot::scores(const Model& model,
                                                const privacy::ProtectedDataset& data) const {
  if (data.unit.protects_labels()) return record_scores(model, data);
  return privacy::Guarded<tensor::Matrix>::public_value(edge_scores(edges_, model, data));
}

std::optional<AuditSampler> Ballot::audit_sampler(const Request& request, const privacy::PublicFacts& facts,
                                                  const AuditPair& pair) const {
  if (!request.wants_privacy() || request.unit.protects_features()) return {};
  SeededStream stream(1);  // of the key that says who hears whom, which may be any and known
  return edge_votes_sampler(plan_edges(edges_, request, facts, stream), pair);
}

}  // namespace privet::methods
