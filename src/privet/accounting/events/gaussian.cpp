#include "privet/accounting/events/gaussian.hpp"

#include <fmt/format.h>

#include <cmath>

#include "privet/accounting/events/checks.hpp"
#include "privet/accounting/loss_bag.hpp"
#include "privet/accounting/mechanism_options.hpp"

namespace privet::privacy {

double gaussian_log_moment(double mu, double alpha) { return alpha * (alpha - 1) / 2 * mu * mu; }

void GaussianEvent::check() const { require_positive(noise_multiplier, "noise multiplier"); }

std::string GaussianEvent::describe() const {
  return fmt::format("gaussian(noise multiplier {:.6g})", noise_multiplier);
}

double GaussianEvent::log_moment(double alpha) const {
  return gaussian_log_moment(1 / noise_multiplier, alpha);
}

void GaussianEvent::add_losses(LossBag& bag, double times) const {
  bag.add_gaussian(std::pow(noise_multiplier, -2), times);
}

const MechanismKind* GaussianEvent::written() {
  static const MechanismKind kind = {
      .name = "gaussian",
      .description = "Gaussian noise on a value of bounded L2 sensitivity",
      .noise = "stddev",
      .add_options =
          [](OptionTable& table, MechanismOptions& o) {
            add_noise_option(table, o, "stddev", "standard deviation of the noise");
            add_noise_option(table, o, "sensitivity",
                             "L2 sensitivity of the value under the unit of protection");
          },
      .event = [](const MechanismOptions& o) -> Event {
        return GaussianEvent{o.given("stddev") / o.given("sensitivity")};
      }};
  return &kind;
}

}  // namespace privet::privacy
