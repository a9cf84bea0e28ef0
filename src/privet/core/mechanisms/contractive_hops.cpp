#include "privet/core/mechanisms/contractive_hops.hpp"

#include <limits>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/noise/gaussian.hpp"
#include "privet/core/opening.hpp"

namespace privet::privacy {
namespace {

constexpr double kRoundings = 8 * std::numeric_limits<double>::epsilon();
constexpr double kFineGrid = 0x1p-2;  // finer than that of one release: here all numbers may differ

// Both data sets are rounded; rows of norm up to 1 + 2^-23 move a little further.
double charge(const Sensitivity& sensitivity, const ContractivePlan& plan, double grid) {
  const double rounding = 2 * hop_rounding(plan.layer, plan.nodes, plan.columns, grid);
  return (sensitivity.l2().value() * (1 + 0x1p-22) + rounding) * (1 + kRoundings);
}

void require_steps(double stddev, double grid) {
  if (stddev <= kMostGaussianSteps * grid) return;
  throw InvalidArgument({.what = "so much noise on so many coordinates",
                         .where = "contractive hops",
                         .expected = "noise multiplier x sqrt(nodes x columns) of at most 4 million",
                         .remedy = "use fewer columns, or less noise on each"});
}

Sensitivity sensitivity_of(const ContractivePlan& plan) {
  if (plan.hops == 0 || plan.nodes == 0 || plan.columns == 0) {
    throw InvalidArgument({.what = "no hops, nodes or columns",
                           .where = "contractive hops",
                           .expected = "at least one of each"});
  }
  return contractive_sensitivity(plan.unit, plan.layer, plan.nodes, plan.columns);
}

}  // namespace

ContractiveHops ContractiveHops::with_multiplier(const ContractivePlan& plan, double noise_multiplier) {
  const Event checked = GaussianEvent{noise_multiplier};
  Sensitivity sensitivity = sensitivity_of(plan);
  const double grid = kFineGrid * grid_below(noise_multiplier * sensitivity.l2().value());
  const double charged = charge(sensitivity, plan, grid);
  const NoiseStddev stddev(noise_multiplier * charged * (1 + kRoundings));
  require_steps(stddev.value(), grid);
  return {plan, std::move(sensitivity), charged, noise_multiplier, stddev, grid};
}

ContractiveHops ContractiveHops::with_stddev(const ContractivePlan& plan, NoiseStddev stddev) {
  Sensitivity sensitivity = sensitivity_of(plan);
  const double grid = kFineGrid * grid_below(stddev.value());
  const double charged = charge(sensitivity, plan, grid);
  require_steps(stddev.value(), grid);
  return {plan, std::move(sensitivity), charged, stddev.value() / charged * (1 - kRoundings), stddev, grid};
}

Event ContractiveHops::event() const {
  return ContractiveGaussianEvent{
      .lipschitz = plan_.layer.contraction, .hops = plan_.hops, .noise_multiplier = noise_multiplier_};
}

void ContractiveHops::write(std::string what, ReleaseLog& log, const RandomStream& stream) const {
  log.add(Release{.what = std::move(what),
                  .unit = plan_.unit.text(),
                  .mechanism = "contractive",
                  .sensitivity = charged_,
                  .norm = "L2",
                  .noise_stddev = stddev_.value(),
                  .times = 1,
                  .sampling = "none",
                  .reference = "Bok, Su, Altschuler 2024; Zheng et al. 2025, Theorems 2 and 3; " +
                               sensitivity_.argument(),
                  .replayable = stream.replayable(),
                  .event = event()});
}

tensor::Matrix ContractiveHops::run(const graph::Graph* graph, const tensor::Matrix* x0,
                                    RandomStream& stream) const {
  const bool rows_fit = x0 != nullptr && x0->rows() == plan_.nodes && x0->columns() == plan_.columns;
  const graph::Graph used = graph != nullptr && graph->nodes() == plan_.nodes
                                ? layer_graph(*graph, plan_.layer, plan_.unit)
                                : graph::Graph(plan_.nodes, graph::EdgeList(), graph::Direction::undirected);
  return contractive_states(used, plan_.layer, plan_.hops,
                            rows_fit ? *x0 : tensor::Matrix(plan_.nodes, plan_.columns),
                            {.stddev = stddev_.value(), .grid = grid_}, stream);
}

tensor::Matrix ContractiveHops::release(const Secret<graph::Graph>& graph, const tensor::Matrix& x0,
                                        std::string what, ReleaseLog& log, RandomStream& stream) const {
  write(std::move(what), log, stream);
  return run(graph.read(OpeningBy<ContractiveHops>::key()), &x0, stream);
}

tensor::Matrix ContractiveHops::release(const Secret<graph::Graph>& graph, const Secret<tensor::Matrix>& x0,
                                        std::string what, ReleaseLog& log, RandomStream& stream) const {
  write(std::move(what), log, stream);
  return run(graph.read(OpeningBy<ContractiveHops>::key()), x0.read(OpeningBy<ContractiveHops>::key()),
             stream);
}

tensor::Matrix ContractiveHops::simulate(const graph::Graph& graph, const tensor::Matrix& x0,
                                         RandomStream& stream) const {
  return run(&graph, &x0, stream);
}

TwoStates run_two_worlds(const ContractiveHops& mechanism, const graph::Graph& first,
                         const tensor::Matrix& first_rows, const graph::Graph& second,
                         const tensor::Matrix& second_rows, RandomStream& stream) {
  TwoStates states{mechanism.simulate(first, first_rows, stream), tensor::Matrix()};
  states.second = mechanism.simulate(second, second_rows, stream);
  return states;
}

}  // namespace privet::privacy
