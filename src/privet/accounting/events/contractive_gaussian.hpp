#pragma once

#include <array>

#include "privet/accounting/events/row.hpp"

namespace privet::privacy {

/// `hops` applications of a map with Lipschitz constant `lipschitz` < 1, Gaussian noise of noise_multiplier x
/// the sensitivity of one application after each, projection onto a convex set between, only the last state
/// released (CARIBOU, Theorems 2 and 3).
struct ContractiveGaussianEvent {
  double lipschitz = 0;
  std::uint64_t hops = 0;
  double noise_multiplier = 0;
  bool operator==(const ContractiveGaussianEvent&) const = default;

  static constexpr std::string_view kName = "contractive-gaussian";
  static constexpr std::string_view kLaw = "gaussian";
  static constexpr std::array<std::string_view, 1> kMechanisms = {"contractive"};
  static constexpr auto fields() {
    return std::tuple(event_field("lipschitz", &ContractiveGaussianEvent::lipschitz),
                      event_field("hops", &ContractiveGaussianEvent::hops),
                      event_field("noise_multiplier", &ContractiveGaussianEvent::noise_multiplier));
  }
  static const MechanismKind* written();

  void check() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] double log_moment(double alpha) const;
  [[nodiscard]] std::optional<double> gaussian_mu() const;
  [[nodiscard]] double largest_loss() const { return kUnbounded; }
  [[nodiscard]] double failure_probability() const { return 0; }
  [[nodiscard]] bool is_attained() const { return true; }
  void add_losses(LossBag& bag, double times) const;
  [[nodiscard]] std::uint64_t examples_reached() const { return 0; }
  [[nodiscard]] ReleaseForm release_form() const { return {.multiplier = noise_multiplier, .hops = hops}; }
};

}  // namespace privet::privacy
