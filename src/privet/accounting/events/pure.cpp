#include "privet/accounting/events/pure.hpp"

#include <fmt/format.h>

#include "privet/accounting/events/checks.hpp"
#include "privet/accounting/events/randomized_response.hpp"
#include "privet/accounting/loss_bag.hpp"
#include "privet/accounting/mechanism_options.hpp"

namespace privet::privacy {

void PureEvent::check() const { require_loss(epsilon); }

std::string PureEvent::describe() const { return fmt::format("pure(epsilon {:.6g})", epsilon); }

double PureEvent::log_moment(double alpha) const { return randomized_response_log_moment(epsilon, alpha); }

void PureEvent::add_losses(LossBag& bag, double times) const { bag.add_pure(epsilon, times); }

const MechanismKind* PureEvent::written() {
  static const MechanismKind kind = {
      .name = "pure",
      .description = "any mechanism known to be epsilon-DP",
      .noise = "epsilon_each",
      .more_is_more_private = false,
      .add_options = add_epsilon_option,
      .event = [](const MechanismOptions& o) -> Event { return PureEvent{o.given("epsilon_each")}; }};
  return &kind;
}

}  // namespace privet::privacy
