#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "privet/accounting/events/subsampled_gaussian.hpp"
#include "privet/accounting/pld_composition.hpp"

namespace privet::privacy {

/// The steps of an event with the numbers of their repetitions, in a canonical order. Equal steps are counted
/// together, and Gaussian ones become a single one, since mu^2 adds up. Rows of events put in what dominates
/// them (events/row.hpp).
class LossBag {
 public:
  /// Gaussian noise, by mu^2.
  void add_gaussian(double mu_square, double times) { gaussian_[mu_square] += times; }
  /// Laplace noise, by the largest loss.
  void add_laplace(double epsilon, double times) { laplace_[epsilon] += times; }
  /// Anything whose loss is at most epsilon.
  void add_pure(double epsilon, double times) { pure_[epsilon] += times; }
  /// Fails altogether with probability delta.
  void add_failure(double delta, double times) { failure_[delta] += times; }
  /// Gaussian noise on the sum over a random batch.
  void add_batches(const SubsampledGaussianEvent& step, double times);

  /// Probability that any of the releases that may fail does.
  [[nodiscard]] double failure() const;
  /// The steps as profiles; of what they prove at `delta` a negligible share may be left out.
  [[nodiscard]] std::vector<LossComponent> components(double delta) const;
  [[nodiscard]] bool all_losses_are_bounded() const { return gaussian_.empty() && batches_.empty(); }

 private:
  // Sampling, multiplier and counts of a step with random batches.
  using BatchKey =
      std::tuple<bool, double, std::uint64_t, std::uint64_t, double, std::uint64_t, std::uint64_t>;

  std::map<double, double> gaussian_;
  std::map<double, double> laplace_;
  std::map<double, double> pure_;
  std::map<double, double> failure_;
  std::map<BatchKey, std::pair<SubsampledGaussianEvent, double>> batches_;
};

}  // namespace privet::privacy
