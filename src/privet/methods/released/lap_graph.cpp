#include "privet/methods/released/lap_graph.hpp"

#include <fmt/format.h>

#include "privet/methods/released/top_entries_sampler.hpp"

namespace privet::methods {
namespace {

privacy::TopEntries entries(const Request& request, double count_share) {
  return {request.unit, privacy::Epsilon((1 - count_share) * request.epsilon->value())};
}

}  // namespace

std::string LapGraph::summary() const {
  return "Laplace noise on the edges, the largest kept, then a network";
}
std::string LapGraph::reference() const {
  return "Wu et al. 2022 (LapGraph); DPGCN of Kolluri et al. 2022 and Tang et al. 2024 (Eclipse)";
}

std::vector<Preset> LapGraph::presets() const {
  return {{"eclipse",
           "2 layers of 64, dropout 0.5, Adam 0.01 going down to 0 in 500 epochs, the one of the lowest "
           "validation loss, 1 % for the count",
           {"count_share=0.01", "layers=2", "width=64", "dropout=0.5", "epochs=500", "learning_rate=0.01",
            "weight_decay=0.0005", "final_rate=0", "select=loss", "normalization=loops"}}};
}

OptionTable LapGraph::options() {
  OptionTable table(name());
  table.add("count_share", count_share_, "share of epsilon for the count of the edges", 0.001, 0.5);
  declare_network(table);
  return table;
}

Plan LapGraph::plan(const Request& request, const privacy::PublicFacts&) const {
  if (!requires_privacy(request)) return {};
  const privacy::TopEntries mechanism = entries(request, count_share_);
  Plan plan{.event =
                privacy::composed({edge_count_event(request.unit, count_share_ * request.epsilon->value()),
                                   mechanism.event()})};
  plan.assumptions = {"features and labels are public"};
  plan.numbers = {{"scale of the noise", fmt::format("{:.6f}", mechanism.scale())}};
  return plan;
}

Released LapGraph::release(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                           const Model*) const {
  if (!request.unit.protects_anything()) return {.graph = data.graph.visible()};
  const std::uint64_t count =
      released_edge_count(data, request.unit, count_share_ * request.epsilon->value(), run);
  const bool pairs = request.unit.changes_pairs();
  const privacy::BitRows told = entries(request, count_share_)
                                    .release(data.graph.secret(), data.facts.nodes, count,
                                             pairs ? "pairs of nodes with the largest noisy entries"
                                                   : "places of the largest noisy entries",
                                             run.log, run.noise);
  if (pairs) return {.graph = privacy::graph_of_pairs(told)};
  return {.graph = graph::Graph::from_rows(told.offsets, told.columns, graph::Direction::directed,
                                           "largest entries")};
}

std::optional<AuditSampler> LapGraph::audit_sampler(const Request& request, const privacy::PublicFacts&,
                                                    const AuditPair&) const {
  if (!request.wants_privacy()) return std::nullopt;
  return top_entries_sampler(entries(request, count_share_));
}

}  // namespace privet::methods
