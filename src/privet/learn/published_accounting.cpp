#include "privet/learn/published_accounting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/event.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/accounting/renyi.hpp"
#include "privet/accounting/sampling_moments.hpp"
#include "privet/base/error.hpp"

namespace privet::methods {
namespace {

constexpr double kLargestSigma = 1e9;
constexpr double kSmallestSigma = 1e-3;

void require_sensible(const PublishedTraining& training) {
  if (training.batch == 0 || training.batch > training.population || training.epochs == 0) {
    throw InvalidArgument({.what = fmt::format("{} epochs in batches of {} from {} training nodes",
                                               training.epochs, training.batch, training.population),
                           .where = "published accounting",
                           .expected = "at least one epoch, and batches no larger than the training set",
                           .remedy = "choose a smaller batch"});
  }
}

// GAP's accountant knows Poisson batches at integer orders only.
double poisson_log_moment(double rate, double sigma, double alpha) {
  const auto at = [&](double order) { return privacy::poisson_added_log_moment(rate, sigma, order); };
  if (alpha <= 2) return (alpha - 1) * at(2);
  const double below = std::floor(alpha);
  const double low = at(below);
  return alpha == below ? low : low + (alpha - below) * (at(below + 1) - low);
}

double log_moment(const PublishedTraining& training, double sigma, double alpha) {
  const double rate = static_cast<double>(training.batch) / static_cast<double>(training.population);
  switch (training.batches) {
    case PublishedBatches::poisson:
      return poisson_log_moment(rate, sigma, alpha);
    case PublishedBatches::fixed_size:
      return privacy::published_replaced_log_moment(rate, sigma, alpha);
    case PublishedBatches::subgraphs:
      return privacy::dpgnn_log_moment({.nodes = training.population,
                                        .batch = training.batch,
                                        .max_degree = training.max_degree,
                                        .noise_multiplier = sigma},
                                       alpha);
  }
  return 0;
}

}  // namespace

std::uint64_t PublishedTraining::steps() const { return epochs * population / batch; }

double published_epsilon(const PublishedPlan& plan, double sigma, double delta) {
  const auto gaussians = static_cast<double>(plan.gaussians);
  for (const PublishedTraining& training : plan.trainings) require_sensible(training);
  if (plan.trainings.empty()) return privacy::gaussian_epsilon(std::sqrt(gaussians) / sigma, delta);
  return privacy::renyi_epsilon(
      [&](double alpha) {
        double divergence = gaussians * alpha / (2 * sigma * sigma);
        for (const PublishedTraining& training : plan.trainings)
          divergence +=
              static_cast<double>(training.steps()) * log_moment(training, sigma, alpha) / (alpha - 1);
        return divergence;
      },
      delta);
}

double published_sigma(const PublishedPlan& plan, double epsilon, double delta) {
  if (plan.trainings.empty() && plan.gaussians > 0)
    return std::sqrt(static_cast<double>(plan.gaussians)) / privacy::gaussian_mu(epsilon, delta);
  const auto met = [&](double log_sigma) {
    return published_epsilon(plan, std::exp(log_sigma), delta) <= epsilon;  // not met by what is no number
  };
  double low = 0;
  double high = 0;
  if (met(high)) {
    while (met(low) && low > std::log(kSmallestSigma)) low -= 1;
  } else {
    while (!met(high)) {
      if (high > std::log(kLargestSigma)) {
        throw Unsound({.what = fmt::format("no noise brings the published plan to epsilon {:g}", epsilon),
                       .where = "published accounting",
                       .remedy = "allow a larger epsilon or delta, or fewer steps"});
      }
      low = high;
      high += 1;
    }
  }
  while (high - low > 1e-7) {
    const double middle = (low + high) / 2;
    (met(middle) ? high : low) = middle;
  }
  return std::exp(high);
}

}  // namespace privet::methods
