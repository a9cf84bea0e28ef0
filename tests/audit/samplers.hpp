#pragma once

#include <cmath>
#include <functional>
#include <span>

#include "privet/audit/mechanism_trials.hpp"
#include "privet/base/random.hpp"
#include "privet/core/noise/gaussian.hpp"
#include "privet/learn/audit_sampler.hpp"

/// Mechanisms small enough to be drawn a million times in a test.
namespace privet::audit::testing {

/// One draw of a world at a time.
using OneDraw = std::function<double(bool second, RandomStream& noise)>;

inline methods::AuditSampler sampler_of(OneDraw one, bool gaussian = false) {
  return {.what = "test",
          .gaussian = gaussian,
          .draw = [one = std::move(one)](bool second, std::span<double> draws, RandomStream& noise) {
            for (double& draw : draws) draw = one(second, noise);
          }};
}

/// Gaussian noise of standard deviation 1 on mu or 0.
inline methods::AuditSampler gaussian_sampler(double mu) {
  return {.what = "gaussian",
          .gaussian = true,
          .draw = [mu](bool second, std::span<double> draws, RandomStream& noise) {
            privacy::fill_gaussian(noise, draws);
            if (second) return;
            for (double& draw : draws) draw += mu;
          }};
}

/// One bit, told truly with probability e^epsilon / (1 + e^epsilon).
inline methods::AuditSampler response_sampler(double epsilon) {
  const double truth = 1 / (1 + std::exp(-epsilon));
  return sampler_of([truth](bool second, RandomStream& noise) {
    const bool told_truly = noise.uniform() < truth;
    return told_truly != second ? 1.0 : 0.0;
  });
}

inline double gaussian_noise(RandomStream& noise) {
  double value[1];
  privacy::fill_gaussian(noise, value);
  return value[0];
}

inline double laplace_noise(RandomStream& noise) {
  const double size = -std::log(noise.uniform_positive());
  return noise.bits() & 1 ? size : -size;
}

}  // namespace privet::audit::testing
