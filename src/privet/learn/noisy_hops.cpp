#include "privet/learn/noisy_hops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/calibration.hpp"
#include "privet/base/error.hpp"
#include "privet/core/mechanisms/fixed_point.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/nn/plain_values.hpp"
#include "privet/tensor/rows.hpp"
#include "privet/tensor/sparse_product.hpp"

namespace privet::methods {
namespace {

privacy::FixedPointMatrix unit_sums(const graph::Graph& graph, const tensor::Matrix& rows, double grid) {
  return privacy::neighbor_sums(graph, rows, {.grid = grid, .row_bound = 1});
}

graph::Features joined(const tensor::Matrix& first, const std::vector<tensor::Matrix>& others) {
  std::size_t columns = first.columns();
  for (const tensor::Matrix& other : others) columns += other.columns();
  tensor::Matrix all(first.rows(), columns);
  for (std::size_t i = 0; i < all.rows(); ++i) {
    auto at = std::ranges::copy(first.row(i), all.row(i).begin()).out;
    for (const tensor::Matrix& other : others) at = std::ranges::copy(other.row(i), at).out;
  }
  return all;
}

}  // namespace

privacy::Sensitivity hop_sensitivity(const privacy::Unit& unit, std::size_t columns) {
  if (unit.bounds_changed_entries()) {
    throw Unsound(
        {.what = "every neighbour of a node hears its row, and the unit has no bound on their number",
         .where = unit.text(),
         .remedy = "use node:D with a degree bound that you know to hold, or an edge unit"});
  }
  return privacy::neighbor_sum_sensitivity(
      unit, {.row_bound = 1, .columns = columns, .rows = privacy::RowsOf::their_owners});
}

privacy::Sensitivity published_hop_sensitivity(const privacy::Unit& unit, std::size_t columns,
                                               std::uint64_t max_degree) {
  const bool people = unit.protects_features();
  const bool adds = unit.bounds_degree() && unit.blanks_person();
  const double root = std::sqrt(static_cast<double>(max_degree));
  return privacy::Sensitivity::stated(
      unit, {.l2 = !people ? 1
                   : adds  ? root
                           : 2 * root,
             .coordinates = columns * (people ? 2 * max_degree : 1),
             .value = "sum of neighbours' rows, as published",
             .argument = people && !adds ? "DPDGC, Theorem 5.1" : "GAP, Lemmas 1 and 3"});
}

tensor::Matrix noisy_sums(const privacy::Guarded<graph::Graph>& graph,
                          const privacy::Guarded<tensor::Matrix>& rows, std::size_t columns,
                          std::size_t nodes, const std::optional<privacy::GaussianMechanism>& mechanism,
                          const std::string& what, Run& run) {
  tensor::Matrix sums;
  if (mechanism) {
    const double grid = mechanism->grid();
    const privacy::Secret<privacy::FixedPointMatrix> secret =
        rows.is_secret() ? graph.secret().map(&unit_sums, rows.secret(), grid)
                         : graph.secret().map(&unit_sums, rows.visible(), grid);
    sums = mechanism->release(secret, nodes, columns, what, run.log, run.noise);
  } else {
    const tensor::SparseMatrix adjacency = graph::plain_adjacency(graph.visible());
    sums = tensor::Matrix(nodes, columns);
    tensor::multiply(adjacency, rows.visible(), sums);
  }
  return sums;
}

tensor::Matrix hop(const privacy::Guarded<graph::Graph>& graph, const privacy::Guarded<tensor::Matrix>& rows,
                   std::size_t columns, std::size_t nodes,
                   const std::optional<privacy::GaussianMechanism>& mechanism, const std::string& what,
                   Run& run) {
  tensor::Matrix sums = noisy_sums(graph, rows, columns, nodes, mechanism, what, run);
  tensor::normalize_rows_l2(sums, sums);
  return sums;
}

Plan noisy_sums_plan(const Request& request, const Model& model) {
  if (!request.wants_privacy()) {
    throw InvalidArgument({.what = "no budget for the edges of another graph",
                           .where = fmt::format("model of {}", model.method),
                           .expected = "a finite epsilon",
                           .remedy = "name one with --epsilon"});
  }
  const double noise = privacy::calibrate(
      [](double multiplier) { return privacy::GaussianEvent{multiplier}; }, *request.epsilon, request.delta);
  return {
      .event = privacy::GaussianEvent{noise},
      .assumptions = {"the certificate is for this graph; that of the model's own graph is with the model",
                      "the scores of a node are for its own eyes"},
      .numbers = {{"noise multiplier of the sums", fmt::format("{:.4f}", noise)}}};
}

graph::Graph sampled_listeners(const graph::Graph& graph, std::uint64_t most, std::uint64_t seed) {
  const graph::Graph listeners = graph.transposed();
  const SeededStream parent(seed);
  graph::EdgeList kept;
  for (graph::NodeId speaker = 0; speaker < graph.nodes(); ++speaker) {
    const auto all = listeners.neighbors(speaker);
    std::vector<graph::NodeId> chosen(all.begin(), all.end());
    if (chosen.size() > most) {
      const std::unique_ptr<RandomStream> stream = parent.fork("listeners", speaker);
      for (std::uint64_t i = 0; i < most; ++i)
        std::swap(chosen[i], chosen[i + stream->below(chosen.size() - i)]);
      chosen.resize(most);
    }
    for (const graph::NodeId listener : chosen) kept.add(listener, speaker);
  }
  return {graph.nodes(), std::move(kept), graph::Direction::directed};
}

privacy::Guarded<graph::Features> side_by_side(const privacy::Guarded<tensor::Matrix>& first,
                                               const std::vector<tensor::Matrix>& others) {
  if (first.is_secret())
    return privacy::Guarded<graph::Features>::hidden(first.secret().map(&joined, others));
  return privacy::Guarded<graph::Features>::public_value(joined(first.visible(), others));
}

privacy::Guarded<nn::Examples> examples_in_role(const privacy::Guarded<graph::Features>& features,
                                                const privacy::ProtectedDataset& data, graph::Role role) {
  using Result = privacy::Guarded<nn::Examples>;
  const auto examples = [](const graph::Features& rows, const std::vector<std::int32_t>& labels,
                           const std::vector<graph::NodeId>& nodes) {
    nn::Examples chosen = nn::examples_of(rows, labels, nodes);
    nn::know_norms(chosen);
    return chosen;
  };
  const std::vector<graph::NodeId> nodes = data.facts.split.nodes(role);
  if (features.is_secret())
    return Result::hidden(features.secret().map(examples, data.labels.secret(), nodes));
  return Result::public_value(examples(features.visible(), data.labels.visible(), nodes));
}

}  // namespace privet::methods
