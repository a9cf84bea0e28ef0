#pragma once

#include <array>

#include "privet/accounting/events/row.hpp"

namespace privet::privacy {

/// Any mechanism known only to be (epsilon, delta)-DP.
struct ApproximateEvent {
  double epsilon = 0;
  double delta = 0;
  bool operator==(const ApproximateEvent&) const = default;

  static constexpr std::string_view kName = "approximate";
  static constexpr std::string_view kLaw = "approximate";
  static constexpr std::array<std::string_view, 1> kMechanisms = {"discrete-gaussian"};
  static constexpr auto fields() {
    return std::tuple(event_field("epsilon", &ApproximateEvent::epsilon),
                      event_field("delta", &ApproximateEvent::delta));
  }
  static const MechanismKind* written() { return nullptr; }

  void check() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] double log_moment(double alpha) const;
  [[nodiscard]] std::optional<double> gaussian_mu() const { return {}; }
  [[nodiscard]] double largest_loss() const;
  [[nodiscard]] double failure_probability() const { return delta; }
  [[nodiscard]] bool is_attained() const { return false; }
  void add_losses(LossBag& bag, double times) const;
  [[nodiscard]] std::uint64_t examples_reached() const { return 0; }
  [[nodiscard]] ReleaseForm release_form() const { return {}; }
};

}  // namespace privet::privacy
