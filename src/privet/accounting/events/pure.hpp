#pragma once

#include <array>

#include "privet/accounting/events/row.hpp"

namespace privet::privacy {

/// Any mechanism known only to be epsilon-DP.
struct PureEvent {
  double epsilon = 0;
  bool operator==(const PureEvent&) const = default;

  static constexpr std::string_view kName = "pure";
  static constexpr std::string_view kLaw = "pure";
  static constexpr std::array<std::string_view, 3> kMechanisms = {"geometric", "noisy-max",
                                                                  "neighbor-choice"};
  static constexpr auto fields() { return std::tuple(event_field("epsilon", &PureEvent::epsilon)); }
  static const MechanismKind* written();

  void check() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] double log_moment(double alpha) const;
  [[nodiscard]] std::optional<double> gaussian_mu() const { return {}; }
  [[nodiscard]] double largest_loss() const { return epsilon; }
  [[nodiscard]] double failure_probability() const { return 0; }
  [[nodiscard]] bool is_attained() const { return false; }
  void add_losses(LossBag& bag, double times) const;
  [[nodiscard]] std::uint64_t examples_reached() const { return 0; }
  [[nodiscard]] ReleaseForm release_form() const { return {}; }
};

}  // namespace privet::privacy
