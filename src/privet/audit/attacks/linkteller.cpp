#include "privet/audit/attacks/linkteller.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "privet/base/parallel.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;

constexpr const char* kNoPath =
    "no path from the features of one node to the scores of another at inference: AUC 0.5 says nothing";
constexpr std::size_t kProbes = 8;
// Of the features in a difference quotient: float32 scores are known to about 1e-7, so the quotient to 1e-5.
constexpr float kStep = 0.01F;

void scale_row(graph::Features& features, NodeId node, float factor) {
  if (auto* dense = std::get_if<tensor::Matrix>(&features)) {
    for (float& value : dense->row(node)) value *= factor;
    return;
  }
  const tensor::SparseMatrix& sparse = std::get<tensor::SparseMatrix>(features);
  std::vector<std::uint64_t> offsets(sparse.offsets().begin(), sparse.offsets().end());
  std::vector<std::uint32_t> columns(sparse.column_indices().begin(), sparse.column_indices().end());
  tensor::AlignedVector<float> values(columns.size());
  for (std::size_t e = 0; e < values.size(); ++e) values[e] = sparse.value(e);
  for (std::uint64_t e = offsets[node]; e < offsets[node + 1]; ++e) values[e] *= factor;
  features = tensor::SparseMatrix(sparse.rows(), sparse.columns(), std::move(offsets), std::move(columns),
                                  std::move(values));
}

tensor::Matrix answers_with(const Target& target, NodeId changed, float factor) {
  graph::Dataset world = target.dataset;
  scale_row(world.features, changed, factor);
  return answers(target.method, target.model, world, target.unit);
}

// How far answers move by a small change of somebody's features; where rows are brought to one length first
// such a change is none, and the features are taken away instead.
InfluenceRow quotient(const Target& target, NodeId source, bool blanked) {
  const tensor::Matrix up = answers_with(target, source, blanked ? 1 : 1 + kStep);
  const tensor::Matrix down = answers_with(target, source, blanked ? 0 : 1 - kStep);
  InfluenceRow row;
  for (NodeId v = 0; v < up.rows(); ++v) {
    double square = 0;
    for (std::size_t j = 0; j < up.columns(); ++j) {
      const double change = (static_cast<double>(up(v, j)) - static_cast<double>(down(v, j))) /
                            (2 * static_cast<double>(kStep));
      square += change * change;
    }
    if (square > 0) row.emplace_back(v, std::sqrt(square));
  }
  return row;
}

// Whether the answers for others move at all when somebody's features are scaled, for a few with neighbours.
bool answers_move(const Target& target, float factor) {
  const tensor::Matrix before = answers(target.method, target.model, target.dataset, target.unit);
  const graph::Graph& graph = target.dataset.graph;
  std::size_t probed = 0;
  const std::size_t stride = std::max<std::size_t>(1, graph.nodes() / (4 * kProbes));
  for (std::size_t i = 0; i < graph.nodes() && probed < kProbes; i += stride) {
    const auto node = static_cast<NodeId>(i);
    if (graph.degree(node) == 0) continue;
    ++probed;
    const tensor::Matrix after = answers_with(target, node, factor);
    for (NodeId v = 0; v < after.rows(); ++v) {
      if (v != node && !std::ranges::equal(before.row(v), after.row(v))) return true;
    }
  }
  return false;
}

}  // namespace

double Influences::of(NodeId u, NodeId v) const {
  const auto found = std::ranges::lower_bound(sources, u);
  return influence_on(rows[static_cast<std::size_t>(found - sources.begin())], v);
}

Influences measure_influences(const Target& target, std::vector<NodeId> sources) {
  std::ranges::sort(sources);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  Influences found{.sources = std::move(sources)};
  // A network that its method asks on the true graph answers so in use; one behind a noisy graph that this
  // audit does not have answers from what it kept.
  std::optional<methods::MessagePassing> network;
  if (target.released) {
    network = target.method.message_passing(target.model, *target.released);
  } else if (!target.given && (answers_move(target, 2) || answers_move(target, 0))) {
    network = target.method.message_passing(target.model, target.dataset.graph);
  } else {
    return found;
  }
  if (network && InfluenceMap::obstacle(network->network).empty()) {
    found.path = true;
    found.how = "derivative";
    found.rows = InfluenceMap(*network, target.dataset.features).of(found.sources);
    return found;
  }
  if (target.released && !network) return found;
  found.path = true;
  const bool blanked = !answers_move(target, 2);
  found.how = blanked ? "features taken away" : "difference quotient";
  for (const NodeId source : found.sources) found.rows.push_back(quotient(target, source, blanked));
  return found;
}

std::vector<AttackResult> linkteller(const Target& target, const std::vector<CandidatePair>& pairs) {
  std::vector<NodeId> sources;
  for (const CandidatePair& pair : pairs) {
    sources.push_back(pair.first);
    sources.push_back(pair.second);
  }
  const Influences found = measure_influences(target, std::move(sources));
  if (!found.path) {
    AttackResult silent{.name = "linkteller", .variant = "no path"};
    silent.note = kNoPath;
    silent.present = static_cast<std::uint64_t>(std::ranges::count_if(pairs, &CandidatePair::joined));
    silent.absent = pairs.size() - silent.present;
    return {silent};
  }
  std::array<Scored, 3> scored;
  for (const CandidatePair& pair : pairs) {
    const double back = found.of(pair.second, pair.first);
    const double forth = found.of(pair.first, pair.second);
    scored[0].add(back, pair.joined);
    scored[1].add(forth, pair.joined);
    scored[2].add(std::max(back, forth), pair.joined);
  }
  std::vector<AttackResult> results;
  for (const auto& [variant, index] : {std::pair("published", 0U), {"forward", 1U}, {"both", 2U}}) {
    results.push_back(AttackResult::of("linkteller", variant, scored[index]));
    results.back().note = "by " + found.how;
    if (target.released) results.back().note += "; asked on the released noisy graph";
  }
  return results;
}

}  // namespace privet::audit
