#pragma once

#include <cstdint>
#include <string>

#include "privet/base/random.hpp"
#include "privet/core/contractive_layer.hpp"
#include "privet/core/mechanisms/contractive_pass.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"

namespace privet::privacy {

/// Everything that a contractive iteration agrees on, said once: its sensitivity, noise and event are all
/// made from this. Made without data.
struct ContractivePlan {
  Unit unit;
  ContractiveLayer layer;
  std::uint64_t hops;
  std::uint64_t nodes;  ///< public
  std::uint64_t columns;
};

/// Many hops over a protected graph of which only the last state leaves.
///
///   unit         edge, directed-edge, node:D (then without the protected node's own row)
///   sensitivity  of one hop: contractive_sensitivity, plus what rounding costs: `charged`
///   loss         ContractiveGaussianEvent: Gaussian DP with mu = charged / stddev x sqrt((1 - C^K)(1 + C) /
///                ((1 + C^K)(1 - C))) for K hops of contraction C (Bok, Su, Altschuler 2024; CARIBOU,
///                Theorems 2 and 3)
///
/// Noise is added after *every* product with the graph, and rows are projected onto the unit ball before
/// every product. Both are part of the argument: a ball is convex, a sphere is not, and scaling rows to norm
/// 1 exactly would break it (tests/core/contractive_theorem_test.cpp has the counterexample). The states
/// between stay inside; publishing one of them would cost as much as all hops. The last state is not
/// projected: that would be post-processing.
class ContractiveHops {
 public:
  /// Noise of standard deviation `noise_multiplier` x charged.
  static ContractiveHops with_multiplier(const ContractivePlan& plan, double noise_multiplier);
  /// Noise of exactly this standard deviation; the event says what it costs.
  static ContractiveHops with_stddev(const ContractivePlan& plan, NoiseStddev stddev);

  [[nodiscard]] const ContractivePlan& plan() const noexcept { return plan_; }
  [[nodiscard]] const Sensitivity& sensitivity() const noexcept { return sensitivity_; }
  [[nodiscard]] double charged() const noexcept { return charged_; }
  [[nodiscard]] NoiseStddev stddev() const noexcept { return stddev_; }
  [[nodiscard]] double grid() const noexcept { return grid_; }
  /// What one release costs.
  [[nodiscard]] Event event() const;

  /// The last state. The Release is logged before the graph is opened. A graph or rows of another shape than
  /// planned, or whose computation failed, count as no edges and zeros.
  [[nodiscard]] tensor::Matrix release(const Secret<graph::Graph>& graph, const tensor::Matrix& x0,
                                       std::string what, ReleaseLog& log, RandomStream& stream) const;
  /// The same where the rows are protected too.
  [[nodiscard]] tensor::Matrix release(const Secret<graph::Graph>& graph, const Secret<tensor::Matrix>& x0,
                                       std::string what, ReleaseLog& log, RandomStream& stream) const;

  /// The same computation on plain data, for audits, which make up their graphs: nothing is logged. What
  /// comes out has the distribution of `release` on these data.
  [[nodiscard]] tensor::Matrix simulate(const graph::Graph& graph, const tensor::Matrix& x0,
                                        RandomStream& stream) const;

 private:
  ContractiveHops(const ContractivePlan& plan, Sensitivity sensitivity, double charged, double multiplier,
                  NoiseStddev stddev, double grid)
      : plan_(plan),
        sensitivity_(std::move(sensitivity)),
        charged_(charged),
        noise_multiplier_(multiplier),
        stddev_(stddev),
        grid_(grid) {}
  void write(std::string what, ReleaseLog& log, const RandomStream& stream) const;
  [[nodiscard]] tensor::Matrix run(const graph::Graph* graph, const tensor::Matrix* x0,
                                   RandomStream& stream) const;

  ContractivePlan plan_;
  Sensitivity sensitivity_;
  double charged_;
  double noise_multiplier_;
  NoiseStddev stddev_;
  double grid_;
};

/// A mechanism run on two data sets: what a two-world test looks at.
struct TwoStates {
  tensor::Matrix first;
  tensor::Matrix second;
};

/// The mechanism alone, on two neighbouring graphs with the rows of each (the same matrix twice under the
/// edge units), with independent noise. Under node:D a test must leave out the protected person's row.
TwoStates run_two_worlds(const ContractiveHops& mechanism, const graph::Graph& first,
                         const tensor::Matrix& first_rows, const graph::Graph& second,
                         const tensor::Matrix& second_rows, RandomStream& stream);

}  // namespace privet::privacy
