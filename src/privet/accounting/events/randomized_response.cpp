#include "privet/accounting/events/randomized_response.hpp"

#include <fmt/format.h>

#include <cmath>

#include "privet/accounting/events/checks.hpp"
#include "privet/accounting/loss_bag.hpp"
#include "privet/accounting/mechanism_options.hpp"

namespace privet::privacy {

double randomized_response_log_moment(double epsilon, double alpha) {
  const double half_sum = alpha * epsilon / 2;
  const double half_difference = (alpha - 1) * epsilon / 2;
  if (half_sum < 300)
    return std::log1p(2 * std::sinh(half_sum) * std::sinh(half_difference) / std::cosh(epsilon / 2));
  return (alpha - 1) * epsilon + std::log1p(std::exp((1 - 2 * alpha) * epsilon)) -
         std::log1p(std::exp(-epsilon));
}

void RandomizedResponseEvent::check() const { require_loss(epsilon); }

std::string RandomizedResponseEvent::describe() const {
  return fmt::format("randomized-response(epsilon {:.6g})", epsilon);
}

double RandomizedResponseEvent::log_moment(double alpha) const {
  return randomized_response_log_moment(epsilon, alpha);
}

void RandomizedResponseEvent::add_losses(LossBag& bag, double times) const { bag.add_pure(epsilon, times); }

const MechanismKind* RandomizedResponseEvent::written() {
  static const MechanismKind kind = {
      .name = "randomized-response",
      .description = "one bit, told truly with probability e^epsilon / (1 + e^epsilon)",
      .noise = "epsilon_each",
      .more_is_more_private = false,
      .add_options = add_epsilon_option,
      .event = [](const MechanismOptions& o) -> Event {
        return RandomizedResponseEvent{o.given("epsilon_each")};
      }};
  return &kind;
}

}  // namespace privet::privacy
