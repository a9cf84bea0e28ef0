#include "privet/accounting/events/contractive_gaussian.hpp"

#include <fmt/format.h>

#include <cmath>

#include "privet/accounting/events/checks.hpp"
#include "privet/accounting/events/gaussian.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/accounting/loss_bag.hpp"
#include "privet/accounting/mechanism_options.hpp"

namespace privet::privacy {

void ContractiveGaussianEvent::check() const {
  require(lipschitz >= 0 && lipschitz <= 1, lipschitz, "Lipschitz constant", "from 0 to 1");
  require(hops > 0, 0, "hops", "at least one");
  require_count(hops, "hops");
  require_positive(noise_multiplier, "noise multiplier");
}

std::string ContractiveGaussianEvent::describe() const {
  return fmt::format("contractive-gaussian(Lipschitz {:.6g}, {} hops, noise multiplier {:.6g})", lipschitz,
                     hops, noise_multiplier);
}

double ContractiveGaussianEvent::log_moment(double alpha) const {
  return gaussian_log_moment(*gaussian_mu(), alpha);
}

std::optional<double> ContractiveGaussianEvent::gaussian_mu() const {
  return std::sqrt(contraction_factor(lipschitz, static_cast<double>(hops))) / noise_multiplier;
}

void ContractiveGaussianEvent::add_losses(LossBag& bag, double times) const {
  const auto number = static_cast<double>(hops);
  // (1-g^K)(1+g) / ((1+g^K)(1-g)), with 1 - g^K free of cancellation.
  const double power = std::pow(lipschitz, number);
  const double factor = lipschitz == 1   ? number
                        : lipschitz == 0 ? 1
                                         : -std::expm1(number * std::log(lipschitz)) / (1 - lipschitz) *
                                               ((1 + lipschitz) / (1 + power));
  bag.add_gaussian(factor * std::pow(noise_multiplier, -2), times);
}

const MechanismKind* ContractiveGaussianEvent::written() {
  static const MechanismKind kind = {
      .name = "contractive",
      .description = "noisy iteration of a contraction, only the last state released (CARIBOU)",
      .noise = "stddev",
      .add_options =
          [](OptionTable& table, MechanismOptions& o) {
            add_noise_option(table, o, "stddev", "standard deviation of the noise");
            add_noise_option(table, o, "sensitivity",
                             "L2 sensitivity of the value under the unit of protection");
            table.add("lipschitz", o.number("lipschitz"), "Lipschitz constant of one hop", 0, 1);
            add_count_option(table, o, "hops", "number of hops", 1);
          },
      .event = [](const MechanismOptions& o) -> Event {
        return ContractiveGaussianEvent{o.given("lipschitz"), o.given_count("hops"),
                                        o.given("stddev") / o.given("sensitivity")};
      }};
  return &kind;
}

}  // namespace privet::privacy
