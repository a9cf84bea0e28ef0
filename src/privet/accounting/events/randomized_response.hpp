#pragma once

#include <array>

#include "privet/accounting/events/row.hpp"

namespace privet::privacy {

/// One bit, told truly with probability e^epsilon / (1 + e^epsilon).
struct RandomizedResponseEvent {
  double epsilon = 0;
  bool operator==(const RandomizedResponseEvent&) const = default;

  static constexpr std::string_view kName = "randomized-response";
  static constexpr std::string_view kLaw = "randomized-response";
  static constexpr std::array<std::string_view, 1> kMechanisms = {"randomized-response"};
  static constexpr auto fields() {
    return std::tuple(event_field("epsilon", &RandomizedResponseEvent::epsilon));
  }
  static const MechanismKind* written();

  void check() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] double log_moment(double alpha) const;
  [[nodiscard]] std::optional<double> gaussian_mu() const { return {}; }
  [[nodiscard]] double largest_loss() const { return epsilon; }
  [[nodiscard]] double failure_probability() const { return 0; }
  [[nodiscard]] bool is_attained() const { return true; }
  void add_losses(LossBag& bag, double times) const;
  [[nodiscard]] std::uint64_t examples_reached() const { return 0; }
  [[nodiscard]] ReleaseForm release_form() const { return {}; }
};

/// Mironov 2017, Proposition 5: log(cosh((alpha - 1/2) epsilon) / cosh(epsilon/2)).
///
/// It holds for every epsilon-DP mechanism: any two distributions within epsilon of each other are the image
/// under one channel of the two of randomised response (Kairouz, Oh and Viswanath 2015;
/// docs/privacy/accounting.md), and channels do not raise Renyi divergences.
double randomized_response_log_moment(double epsilon, double alpha);

}  // namespace privet::privacy
