#include "privet/audit/attacks/lira.hpp"

#include <algorithm>
#include <cmath>

#include "privet/audit/attacks/target.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/split.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;

constexpr std::size_t kEnoughForVariance = 32;

/// Mean, squared deviations and number of one node's statistics of one kind.
struct Moments {
  double mean = 0;
  double squares = 0;
  std::size_t count = 0;
};

Moments moments(const ShadowStatistics& shadows, std::size_t node, bool member) {
  Moments found;
  for (std::size_t k = 0; k < shadows.statistic.size(); ++k) {
    if (shadows.member[k][node] != member) continue;
    // Welford's update.
    const double before = shadows.statistic[k][node] - found.mean;
    found.mean += before / static_cast<double>(++found.count);
    found.squares += before * (shadows.statistic[k][node] - found.mean);
  }
  return found;
}

std::vector<Moments> all_moments(const ShadowStatistics& shadows, std::size_t nodes, bool member) {
  std::vector<Moments> all;
  for (std::size_t i = 0; i < nodes; ++i) all.push_back(moments(shadows, i, member));
  return all;
}

// Each node's variance, or everybody's from the deviations of each from its own mean.
std::vector<double> variances(const std::vector<Moments>& all) {
  const bool own =
      std::ranges::all_of(all, [](const Moments& one) { return one.count >= kEnoughForVariance; });
  double squares = 0;
  double freedom = 0;
  for (const Moments& one : all) {
    squares += one.squares;
    freedom += one.count > 0 ? static_cast<double>(one.count - 1) : 0;
  }
  const double together = std::max(freedom > 0 ? squares / freedom : 1, 1e-12);
  std::vector<double> found;
  for (const Moments& one : all)
    found.push_back(own ? std::max(one.squares / static_cast<double>(one.count - 1), 1e-12) : together);
  return found;
}

double log_density(double x, double mean, double variance) {
  return -(x - mean) * (x - mean) / (2 * variance) - std::log(variance) / 2;
}

struct Draw {
  graph::Split split;
  std::vector<bool> member;
};

Draw random_half(const std::vector<NodeId>& people, std::size_t nodes, RandomStream& stream) {
  std::vector<NodeId> places(people.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<NodeId>(i);
  graph::shuffle(places, stream);
  Draw draw{{"members", std::vector<graph::Role>(nodes, graph::Role::none)},
            std::vector<bool>(people.size(), false)};
  for (std::size_t k = 0; k < places.size() / 2; ++k) {
    draw.member[places[k]] = true;
    draw.split.roles[people[places[k]]] = graph::Role::train;
  }
  return draw;
}

std::vector<double> statistics_of(const methods::Method& method, const methods::Request& request,
                                  const graph::Dataset& dataset, const std::vector<NodeId>& people,
                                  const Draw& draw, const RandomStream& root) {
  const methods::Model model = train_model(method, request, dataset, draw.split, root);
  const tensor::Matrix scores = answers(method, model, dataset, request.unit);
  std::vector<double> found;
  for (const NodeId node : people) found.push_back(label_logit(scores.row(node), dataset.labels[node]));
  return found;
}

}  // namespace

std::vector<double> lira_scores(const ShadowStatistics& shadows, std::span<const double> target,
                                LiraKind kind) {
  const std::vector<Moments> in = all_moments(shadows, target.size(), true);
  const std::vector<Moments> out = all_moments(shadows, target.size(), false);
  const std::vector<double> in_variance = variances(in);
  const std::vector<double> out_variance = variances(out);
  std::vector<double> scores(target.size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (out[i].count == 0 || (kind == LiraKind::online && in[i].count == 0)) continue;
    if (kind == LiraKind::offline) {
      scores[i] = (target[i] - out[i].mean) / std::sqrt(out_variance[i]);
    } else {
      scores[i] = log_density(target[i], in[i].mean, in_variance[i]) -
                  log_density(target[i], out[i].mean, out_variance[i]);
    }
  }
  return scores;
}

std::vector<AttackResult> lira(const methods::Method& method, const methods::Request& request,
                               const graph::Dataset& dataset, const graph::Split& split,
                               std::uint64_t shadows, const RandomStream& root) {
  std::vector<NodeId> people;
  for (NodeId i = 0; i < dataset.labels.size(); ++i) {
    if (dataset.labels[i] != graph::kUnlabeled) people.push_back(i);
  }
  graph::shuffle(people, *root.fork("people", 0));
  people.resize(std::min(people.size(), 2 * split.count(graph::Role::train)));
  if (people.size() < 2)
    throw DataError({.what = "fewer than two labelled nodes", .where = dataset.name, .expected = "more"});
  const Draw target = random_half(people, dataset.nodes(), *root.fork("members", 0));
  const std::vector<double> asked =
      statistics_of(method, request, dataset, people, target, *root.fork("target", 0));
  ShadowStatistics seen;
  for (std::uint64_t k = 0; k < shadows; ++k) {
    const Draw draw = random_half(people, dataset.nodes(), *root.fork("shadow members", k));
    seen.statistic.push_back(statistics_of(method, request, dataset, people, draw, *root.fork("shadow", k)));
    seen.member.push_back(draw.member);
  }
  std::vector<AttackResult> results;
  for (const auto& [variant, kind] :
       {std::pair("online", LiraKind::online), {"offline", LiraKind::offline}}) {
    const std::vector<double> scores = lira_scores(seen, asked, kind);
    Scored scored;
    for (std::size_t i = 0; i < scores.size(); ++i) scored.add(scores[i], target.member[i]);
    results.push_back(AttackResult::of("lira", variant, scored));
    results.back().note = "a member is somebody whose label was used; one graph throughout";
  }
  return results;
}

}  // namespace privet::audit
