#include "privet/accounting/loss_bag.hpp"

#include <cmath>

#include "privet/accounting/pld_profile.hpp"

namespace privet::privacy {

void LossBag::add_batches(const SubsampledGaussianEvent& step, double times) {
  BatchKey key = {false, 0, 0, 0, step.noise_multiplier, step.added, step.replaced};
  if (const auto* poisson = std::get_if<PoissonSampling>(&step.sampling)) {
    std::get<1>(key) = poisson->rate;
  } else {
    const auto& fixed = std::get<FixedSizeSampling>(step.sampling);
    std::get<0>(key) = true;
    std::get<2>(key) = fixed.population;
    std::get<3>(key) = fixed.batch;
  }
  batches_.try_emplace(key, step, 0).first->second.second += times;
}

double LossBag::failure() const {
  double log_success = 0;
  double only = 0;
  double terms = 0;
  for (const auto& [delta, times] : failure_) {
    if (delta == 0) continue;
    log_success += times * std::log1p(-delta);
    only = delta;
    terms += times;
  }
  return terms == 1 ? only : -std::expm1(log_success);
}

std::vector<LossComponent> LossBag::components(double delta) const {
  // Shifts whose probability is below this share of delta are dropped.
  constexpr double kNegligible = 1e-9;
  std::vector<LossComponent> list;
  std::map<double, double> gaussian = gaussian_;
  for (const auto& [key, entry] : batches_) {
    const auto& [step, times] = entry;
    Profile profile = batch_profile(step, kNegligible * delta / times);
    if (const auto* full = std::get_if<GaussianProfile>(&profile)) {
      gaussian[full->mu * full->mu] += times;
    } else {
      list.emplace_back(std::move(profile), times);
    }
  }
  for (const auto& [epsilon, times] : laplace_) list.emplace_back(LaplaceProfile{epsilon}, times);
  for (const auto& [epsilon, times] : pure_)
    if (epsilon > 0) list.emplace_back(PureProfile{epsilon}, times);
  double square = 0;
  for (const auto& [mu_square, times] : gaussian) square += mu_square * times;
  if (square > 0) list.emplace_back(GaussianProfile{std::sqrt(square)}, 1);
  return list;
}

}  // namespace privet::privacy
