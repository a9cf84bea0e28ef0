#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace privet::privacy {

/// How the batch of one step is drawn.
struct PoissonSampling {
  double rate = 0;  ///< every example joins independently with this probability
  bool operator==(const PoissonSampling&) const = default;
};
struct FixedSizeSampling {
  std::uint64_t population = 0;  ///< public
  std::uint64_t batch = 0;       ///< drawn without replacement, afresh every step
  bool operator==(const FixedSizeSampling&) const = default;
};
using Sampling = std::variant<PoissonSampling, FixedSizeSampling>;

/// Rates in (0, 1], batches no larger than their population; anything else is an InvalidArgument.
void check_sampling(const Sampling& sampling);

/// "poisson rate 0.01", "100 of 5000 without replacement".
std::string describe_sampling(const Sampling& sampling);

/// Whether every batch is the whole population.
bool takes_everybody(const Sampling& sampling);

}  // namespace privet::privacy
