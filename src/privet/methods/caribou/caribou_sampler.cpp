#include "privet/methods/caribou/caribou_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/core/mechanisms/contractive_pass.hpp"
#include "privet/methods/caribou/caribou_published.hpp"

namespace privet::methods {
namespace {

struct World {
  privacy::ContractiveHops mechanism;
  graph::Graph graph;
  tensor::Matrix rows;

  [[nodiscard]] tensor::Matrix without_noise() const {
    const privacy::ContractivePlan& plan = mechanism.plan();
    SeededStream unused(1);
    return privacy::contractive_states(privacy::layer_graph(graph, plan.layer, plan.unit), plan.layer,
                                       plan.hops, rows, {}, unused);
  }
};

struct Worlds {
  World first;
  World second;
  tensor::Matrix direction;  // of norm 1, or zero; empty where the scale of the noise is looked at
  std::optional<graph::NodeId> person;

  [[nodiscard]] double draw(bool is_second, RandomStream& noise) const {
    const World& world = is_second ? second : first;
    const tensor::Matrix state = world.mechanism.simulate(world.graph, world.rows, noise);
    double score = 0;
    for (std::size_t i = 0; i < state.rows(); ++i) {
      if (person && i == *person) continue;
      for (std::size_t j = 0; j < state.columns(); ++j) {
        const auto value = static_cast<double>(state(i, j));
        score += value * (direction.rows() > 0 ? static_cast<double>(direction(i, j)) : value);
      }
    }
    return direction.rows() > 0 ? score : score / static_cast<double>(state.size());
  }
};

privacy::ContractiveHops mechanism_of(const CaribouPlan& plan, const Request& request,
                                      const privacy::PublicFacts& facts, const graph::Graph& graph) {
  return plan.iteration ? *plan.iteration : published_iteration(plan, request.unit, facts, degrees_of(graph));
}

// Whose lists differ.
std::vector<bool> ends_of(const AuditPair& pair) {
  std::vector<bool> ends(pair.first.nodes(), false);
  for (graph::NodeId i = 0; i < pair.first.nodes(); ++i)
    ends[i] = !std::ranges::equal(pair.first.neighbors(i), pair.second.neighbors(i));
  return ends;
}

// Rows of which only the first column is not 0: 1 and `next` by turns at the ends, `others` for everybody
// else.
tensor::Matrix start_rows(const std::vector<bool>& ends, float next, float others, std::size_t columns) {
  tensor::Matrix rows(ends.size(), columns);
  bool odd = false;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    rows(i, 0) = !ends[i] ? others : odd ? next : 1.0F;
    odd = odd != ends[i];
  }
  return rows;
}

// The difference of the states without noise, and its norm.
std::pair<tensor::Matrix, double> moved(const Worlds& worlds) {
  tensor::Matrix difference = worlds.first.without_noise();
  const tensor::Matrix other = worlds.second.without_noise();
  double squares = 0;
  for (std::size_t i = 0; i < difference.rows(); ++i) {
    const bool counts = !worlds.person || i != *worlds.person;
    for (std::size_t j = 0; j < difference.columns(); ++j) {
      difference(i, j) = counts ? difference(i, j) - other(i, j) : 0.0F;
      squares += static_cast<double>(difference(i, j)) * static_cast<double>(difference(i, j));
    }
  }
  return {std::move(difference), std::sqrt(squares)};
}

}  // namespace

AuditSampler caribou_sampler(const CaribouPlan& plan, const Request& request,
                             const privacy::PublicFacts& facts, const AuditPair& pair) {
  if (!plan.iteration && !plan.published_sigma) throw std::logic_error("nothing is protected");
  const std::vector<bool> ends = ends_of(pair);
  std::optional<Worlds> worst;
  double furthest = -1;
  for (const auto& [next, others] :
       {std::pair(1.0F, 1.0F), std::pair(1.0F, -1.0F), std::pair(-1.0F, 1.0F), std::pair(-1.0F, -1.0F)}) {
    const tensor::Matrix rows = start_rows(ends, next, others, plan.columns);
    Worlds worlds{.first = {mechanism_of(plan, request, facts, pair.first), pair.first, rows},
                  .second = {mechanism_of(plan, request, facts, pair.second), pair.second, rows},
                  .direction = {},
                  .person = pair.person};
    if (pair.person) {
      const bool gone = request.unit.blanks_person();
      worlds.second.rows(*pair.person, 0) = gone ? 0.0F : -worlds.first.rows(*pair.person, 0);
    }
    auto [difference, norm] = moved(worlds);
    if (norm <= furthest) continue;
    furthest = norm;
    if (norm > 0)
      for (float& value : difference.values()) value = static_cast<float>(static_cast<double>(value) / norm);
    worlds.direction = std::move(difference);
    worst = std::move(worlds);
  }
  const bool scales = worst->first.mechanism.stddev().value() != worst->second.mechanism.stddev().value();
  if (scales) worst->direction = tensor::Matrix();
  // Nanoseconds, about; some seconds for each world.
  const double cost =
      1000 + static_cast<double>(plan.hops) * (20 * static_cast<double>(facts.nodes * plan.columns) +
                                               4 * static_cast<double>(pair.first.edges() * plan.columns));
  return {.what = fmt::format("{} of {} contractive hops", scales ? "size of the last state" : "last state",
                              plan.hops),
          .gaussian = !scales && plan.hops == 1,  // noise on a fixed number, which nothing projects behind
          .most_draws = static_cast<std::uint64_t>(std::clamp(3e9 / cost, 200.0, 1e6)),
          .draw = [worlds = std::make_shared<const Worlds>(*std::move(worst))](
                      bool second, std::span<double> draws, RandomStream& noise) {
            const std::unique_ptr<RandomStream> own = noise.fork("contractive hops", noise.bits());
            constexpr std::size_t kGrain = 16;
            parallel_for(draws.size(), kGrain, [&](std::size_t begin, std::size_t end) {
              for (std::size_t i = begin; i < end; ++i)
                draws[i] = worlds->draw(second, *own->fork("draw", i));
            });
          }};
}

}  // namespace privet::methods
