#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/learn/audit_sampler.hpp"

namespace privet::audit {

/// Is the noise of different nodes, batches, hops, runs or processes independent? Noise that is shared can be
/// taken away by subtracting, whatever its scale: then no epsilon holds.

/// Noise, or noise plus a constant, as drawn in one place: one number for each coordinate.
struct NoiseSample {
  std::string where;  ///< "run 1", "worker 3", "hop 2"
  std::vector<double> values;
};

struct NoiseFault {
  std::string first;
  std::string second;
  double correlation = 0;
  std::int64_t lag = 0;  ///< the second drew the same numbers this much later
  double chance = 0;     ///< of independent noise correlating as much, after all comparisons that were made
};

/// Every pair of samples is correlated at every lag from -lags to lags; faults are those whose chance, times
/// the number of comparisons (union bound), is below 1 - confidence. Fisher's transformation of the ranks'
/// correlation, so the noise may have any shape. At least 20 values in each sample, all equally many: else an
/// InvalidArgument. The most correlated pair comes first.
std::vector<NoiseFault> noise_faults(const std::vector<NoiseSample>& samples, std::uint64_t lags,
                                     double confidence);

/// Noise of a mechanism as it is drawn in several releases of one run and in several runs.
std::vector<NoiseSample> sample_noise(const methods::AuditSampler& sampler, std::uint64_t runs,
                                      std::uint64_t releases, std::uint64_t values,
                                      const RandomStream& stream);

}  // namespace privet::audit
