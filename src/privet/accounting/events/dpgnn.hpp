#pragma once

#include <array>

#include "privet/accounting/events/row.hpp"
#include "privet/accounting/events/subsampled_gaussian.hpp"

namespace privet::privacy {

/// One step of Daigavane et al.'s DP-GNN as their Theorem 1 counts it: `batch` of `nodes` training subgraphs
/// without replacement, `max_degree`+1 of which hold the node, noise of standard deviation
/// noise_multiplier x 2 (max_degree + 1) clip norms.
struct DpGnnEvent {
  std::uint64_t nodes = 0;
  std::uint64_t batch = 0;
  std::uint64_t max_degree = 0;
  double noise_multiplier = 0;
  bool operator==(const DpGnnEvent&) const = default;

  static constexpr std::string_view kName = "dpgnn";
  static constexpr std::string_view kLaw = "gaussian";
  static constexpr std::array<std::string_view, 1> kMechanisms = {"dpgnn"};
  static constexpr auto fields() {
    return std::tuple(event_field("nodes", &DpGnnEvent::nodes), event_field("batch", &DpGnnEvent::batch),
                      event_field("max_degree", &DpGnnEvent::max_degree),
                      event_field("noise_multiplier", &DpGnnEvent::noise_multiplier));
  }
  static const MechanismKind* written();

  /// The same step as a clipped sum of which max_degree + 1 examples are replaced.
  [[nodiscard]] SubsampledGaussianEvent as_clipped_sum() const;

  void check() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] double log_moment(double alpha) const;
  [[nodiscard]] std::optional<double> gaussian_mu() const { return {}; }
  [[nodiscard]] double largest_loss() const { return kUnbounded; }
  [[nodiscard]] double failure_probability() const { return 0; }
  [[nodiscard]] bool is_attained() const { return batch == nodes; }
  void add_losses(LossBag& bag, double times) const;
  // The noise multiplier counts them all.
  [[nodiscard]] std::uint64_t examples_reached() const { return 0; }
  [[nodiscard]] ReleaseForm release_form() const {
    return {.multiplier = noise_multiplier, .sampling = FixedSizeSampling{nodes, batch}};
  }
};

}  // namespace privet::privacy
