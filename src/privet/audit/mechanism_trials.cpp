#include "privet/audit/mechanism_trials.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/core/noise/gaussian.hpp"

namespace privet::audit {
namespace {

// ln((1 - q) + q exp(...)) of one step that came out as `seen`, in clip norms, for a canary of mean `mean`.
double log_mixture(double seen, double mean, double rate, double multiplier) {
  const double exponent = (2 * seen * mean - mean * mean) / (2 * multiplier * multiplier);
  if (rate >= 1) return exponent;
  const double there = std::log(rate) + exponent;
  const double away = std::log1p(-rate);
  const double larger = std::fmax(there, away);
  return larger + std::log(std::exp(there - larger) + std::exp(away - larger));
}

}  // namespace

LowerBound audit_mechanism(const methods::AuditSampler& sampler, std::uint64_t draws, double delta,
                           double confidence, const RandomStream& stream) {
  Trials trials;
  trials.first.resize(draws);
  trials.second.resize(draws);
  const std::unique_ptr<RandomStream> first = stream.fork("mechanism, first world", 0);
  const std::unique_ptr<RandomStream> second = stream.fork("mechanism, second world", 0);
  sampler.draw(false, trials.first, *first);
  sampler.draw(true, trials.second, *second);
  return split_lower_bound(trials, delta, confidence, sampler.gaussian ? Shape::gaussian : Shape::unknown);
}

methods::AuditSampler sgd_canary_sampler(const SgdCanary& canary) {
  if (!(canary.noise_multiplier > 0) || !(canary.rate > 0 && canary.rate <= 1) || canary.steps == 0) {
    throw InvalidArgument({.what = "a canary without noise, rate or steps",
                           .where = "audit",
                           .expected = "a positive multiplier, a rate in (0, 1], at least one step"});
  }
  const bool gaussian = canary.rate >= 1;  // a sum of shifted Gaussians
  return {.what = fmt::format(
              "{} steps of private SGD as planned, with a worst-case canary and noise of the audit's own",
              canary.steps),
          .gaussian = gaussian,
          .draw = [canary](bool second, std::span<double> draws, RandomStream& noise) {
            const double mean = second ? (canary.replaced ? -1 : 0) : 1;
            std::vector<double> steps(canary.steps);
            for (double& draw : draws) {
              privacy::fill_gaussian(noise, steps);
              double ratio = 0;
              for (const double step : steps) {
                const bool in_batch = canary.rate >= 1 || noise.uniform() < canary.rate;
                const double seen = (in_batch ? mean : 0) + canary.noise_multiplier * step;
                ratio += log_mixture(seen, 1, canary.rate, canary.noise_multiplier);
                if (canary.replaced) ratio -= log_mixture(seen, -1, canary.rate, canary.noise_multiplier);
              }
              draw = ratio;
            }
          }};
}

std::optional<SgdCanary> sgd_canary_of(const privacy::Event& event) {
  if (const auto* repeated = std::get_if<privacy::RepeatedEvent>(&event.kind())) {
    std::optional<SgdCanary> canary = sgd_canary_of(*repeated->part);
    if (canary) canary->steps *= repeated->times;
    return canary;
  }
  if (const auto* composed = std::get_if<privacy::ComposedEvent>(&event.kind()))
    return composed->parts.size() == 1 ? sgd_canary_of(composed->parts.front()) : std::nullopt;
  const auto* step = std::get_if<privacy::SubsampledGaussianEvent>(&event.kind());
  if (step == nullptr || step->affected().count() != 1) return {};
  const auto* poisson = std::get_if<privacy::PoissonSampling>(&step->sampling);
  if (poisson == nullptr) return {};
  return SgdCanary{.noise_multiplier = step->noise_multiplier,
                   .rate = poisson->rate,
                   .steps = 1,
                   .replaced = step->replaced == 1};
}

}  // namespace privet::audit
