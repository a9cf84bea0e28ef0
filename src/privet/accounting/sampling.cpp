#include "privet/accounting/sampling.hpp"

#include <fmt/format.h>

#include "privet/accounting/events/checks.hpp"

namespace privet::privacy {

void check_sampling(const Sampling& sampling) {
  if (const auto* poisson = std::get_if<PoissonSampling>(&sampling)) {
    require(poisson->rate > 0 && poisson->rate <= 1, poisson->rate, "sampling rate", "above 0, at most 1");
    return;
  }
  const auto& fixed = std::get<FixedSizeSampling>(sampling);
  require_count(fixed.population, "population");
  require(fixed.batch > 0 && fixed.batch <= fixed.population, static_cast<double>(fixed.batch), "batch",
          "from 1 to the size of the population");
}

std::string describe_sampling(const Sampling& sampling) {
  if (const auto* poisson = std::get_if<PoissonSampling>(&sampling))
    return fmt::format("poisson rate {:.6g}", poisson->rate);
  const auto& fixed = std::get<FixedSizeSampling>(sampling);
  return fmt::format("{} of {} without replacement", fixed.batch, fixed.population);
}

bool takes_everybody(const Sampling& sampling) {
  if (const auto* poisson = std::get_if<PoissonSampling>(&sampling)) return poisson->rate == 1;
  const auto& fixed = std::get<FixedSizeSampling>(sampling);
  return fixed.batch == fixed.population;
}

}  // namespace privet::privacy
