#pragma once

#include <array>

#include "privet/accounting/events/row.hpp"

namespace privet::privacy {

/// Gaussian noise of standard deviation noise_multiplier x L2 sensitivity. Gaussian DP with mu =
/// 1/multiplier.
struct GaussianEvent {
  double noise_multiplier = 0;
  bool operator==(const GaussianEvent&) const = default;

  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kLaw = "gaussian";
  static constexpr std::array<std::string_view, 1> kMechanisms = {"gaussian"};
  static constexpr auto fields() {
    return std::tuple(event_field("noise_multiplier", &GaussianEvent::noise_multiplier));
  }
  static const MechanismKind* written();

  void check() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] double log_moment(double alpha) const;
  [[nodiscard]] std::optional<double> gaussian_mu() const { return 1 / noise_multiplier; }
  [[nodiscard]] double largest_loss() const { return kUnbounded; }
  [[nodiscard]] double failure_probability() const { return 0; }
  [[nodiscard]] bool is_attained() const { return true; }
  void add_losses(LossBag& bag, double times) const;
  [[nodiscard]] std::uint64_t examples_reached() const { return 0; }
  [[nodiscard]] ReleaseForm release_form() const { return {.multiplier = noise_multiplier}; }
};

/// (alpha - 1) times the Renyi divergence of order alpha between N(mu, 1) and N(0, 1).
double gaussian_log_moment(double mu, double alpha);

}  // namespace privet::privacy
