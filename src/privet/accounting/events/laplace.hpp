#pragma once

#include <array>
#include <numbers>

#include "privet/accounting/events/row.hpp"

namespace privet::privacy {

/// Laplace noise of scale noise_multiplier x L1 sensitivity.
struct LaplaceEvent {
  double noise_multiplier = 0;
  bool operator==(const LaplaceEvent&) const = default;

  static constexpr std::string_view kName = "laplace";
  static constexpr std::string_view kLaw = "laplace";
  static constexpr std::array<std::string_view, 2> kMechanisms = {"laplace", "top-entries"};
  static constexpr auto fields() {
    return std::tuple(event_field("noise_multiplier", &LaplaceEvent::noise_multiplier));
  }
  static const MechanismKind* written();

  void check() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] double log_moment(double alpha) const;
  [[nodiscard]] std::optional<double> gaussian_mu() const { return {}; }
  [[nodiscard]] double largest_loss() const { return 1 / noise_multiplier; }
  [[nodiscard]] double failure_probability() const { return 0; }
  [[nodiscard]] bool is_attained() const { return true; }
  void add_losses(LossBag& bag, double times) const;
  [[nodiscard]] std::uint64_t examples_reached() const { return 0; }
  [[nodiscard]] ReleaseForm release_form() const {
    return {.multiplier = noise_multiplier, .stddev = std::numbers::sqrt2};
  }
};

}  // namespace privet::privacy
