#include "privet/accounting/events/laplace.hpp"

#include <fmt/format.h>

#include <cmath>

#include "privet/accounting/events/checks.hpp"
#include "privet/accounting/loss_bag.hpp"
#include "privet/accounting/mechanism_options.hpp"

namespace privet::privacy {

void LaplaceEvent::check() const { require_positive(noise_multiplier, "noise multiplier"); }

std::string LaplaceEvent::describe() const {
  return fmt::format("laplace(noise multiplier {:.6g})", noise_multiplier);
}

/// Mironov 2017, Proposition 6 (Table II): with x = 1/multiplier,
/// log(alpha/(2 alpha-1) e^((alpha-1)x) + (alpha-1)/(2 alpha-1) e^(-alpha x)).
double LaplaceEvent::log_moment(double alpha) const {
  const double x = 1 / noise_multiplier;
  const double width = 2 * alpha - 1;
  if (alpha * x > 0.1)
    return (alpha - 1) * x + std::log(alpha / width + (alpha - 1) / width * std::exp(-width * x));
  // The Taylor series, whose constant is 1 and whose linear term vanishes.
  double power = 1;  // x^n / n!
  double sum = 0;
  for (int n = 2; n < 16; ++n) {
    power *= x / n;
    sum += power * (std::pow(alpha - 1, n - 1) - std::pow(-alpha, n - 1)) / width;
  }
  return std::log1p(alpha * (alpha - 1) * x * sum);
}

void LaplaceEvent::add_losses(LossBag& bag, double times) const { bag.add_laplace(largest_loss(), times); }

const MechanismKind* LaplaceEvent::written() {
  static const MechanismKind kind = {
      .name = "laplace",
      .description = "Laplace noise on a value of bounded L1 sensitivity",
      .noise = "scale",
      .add_options =
          [](OptionTable& table, MechanismOptions& o) {
            add_noise_option(table, o, "scale",
                             "scale of the noise (its standard deviation is sqrt 2 times that)");
            add_noise_option(table, o, "sensitivity",
                             "L1 sensitivity of the value under the unit of protection");
          },
      .event = [](const MechanismOptions& o) -> Event {
        return LaplaceEvent{o.given("scale") / o.given("sensitivity")};
      }};
  return &kind;
}

}  // namespace privet::privacy
