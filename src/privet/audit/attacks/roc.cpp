#include "privet/audit/attacks/roc.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

constexpr double kNormalQuantile = 1.959963984540054;  // of 0.975
constexpr double kTailOfOneSide = 0.025;

void require_both(const Scored& scored) {
  if (scored.present.empty() || scored.absent.empty()) {
    throw InvalidArgument({.what = scored.present.empty() ? "nothing that is there" : "nothing that is not",
                           .where = "attack",
                           .expected = "at least one of each to tell apart"});
  }
  for (const std::vector<double>* side : {&scored.present, &scored.absent}) {
    if (std::ranges::any_of(*side, [](double score) { return std::isnan(score); }))
      throw InvalidArgument({.what = "a score that is not a number", .where = "attack"});
  }
}

// For every score the share of `others` below it, equal ones counted half.
std::vector<double> placements(std::span<const double> scores, std::vector<double> others) {
  std::ranges::sort(others);
  std::vector<double> shares;
  shares.reserve(scores.size());
  for (const double score : scores) {
    const auto [first, last] = std::equal_range(others.begin(), others.end(), score);
    const auto below = static_cast<double>(first - others.begin());
    const auto equal = static_cast<double>(last - first);
    shares.push_back((below + equal / 2) / static_cast<double>(others.size()));
  }
  return shares;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The unbiased variance of the mean; what a single value may vary by is not known and bounded by 1/4.
double variance_of_mean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  if (values.size() < 2) return 0.25;
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum / (count - 1) / count;
}

void set_interval(const Scored& scored, double variance, Roc& roc) {
  const auto disjoint = static_cast<double>(std::min(scored.present.size(), scored.absent.size()));
  const double perfect = std::pow(kTailOfOneSide, 1 / disjoint);
  if (roc.auc >= 1) {
    roc.low = perfect;
    roc.high = 1;
  } else if (roc.auc <= 0) {
    roc.low = 0;
    roc.high = 1 - perfect;
  } else if (variance == 0) {
    // All scores are the same. That k disjoint comparisons end in a tie has probability t^k.
    roc.low = 0.5 - (1 - perfect) / 2;
    roc.high = 0.5 + (1 - perfect) / 2;
  } else {
    const double logit = std::log(roc.auc / (1 - roc.auc));
    const double reach = kNormalQuantile * std::sqrt(variance) / (roc.auc * (1 - roc.auc));
    roc.low = 1 / (1 + std::exp(reach - logit));
    roc.high = 1 / (1 + std::exp(-reach - logit));
  }
}

double rate_at(const std::vector<RocPoint>& curve, double false_positives) {
  double best = 0;
  for (const RocPoint& point : curve) {
    if (point.false_positive_rate <= false_positives) best = std::max(best, point.true_positive_rate);
  }
  return best;
}

}  // namespace

double Roc::half_width() const { return std::max(high - auc, auc - low); }

std::vector<RocPoint> roc_curve(const Scored& scored) {
  require_both(scored);
  std::vector<std::pair<double, bool>> all;
  all.reserve(scored.present.size() + scored.absent.size());
  for (const double score : scored.present) all.emplace_back(score, true);
  for (const double score : scored.absent) all.emplace_back(score, false);
  std::ranges::sort(all, [](const auto& a, const auto& b) { return a.first > b.first; });
  const auto positives = static_cast<double>(scored.present.size());
  const auto negatives = static_cast<double>(scored.absent.size());
  std::vector<RocPoint> curve = {{0, 0, INFINITY}};
  double hits = 0;
  double alarms = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    (all[i].second ? hits : alarms) += 1;
    if (i + 1 < all.size() && all[i + 1].first == all[i].first) continue;
    curve.push_back({alarms / negatives, hits / positives, all[i].first});
  }
  return curve;
}

Roc measure_roc(const Scored& scored) {
  const std::vector<RocPoint> curve = roc_curve(scored);
  const std::vector<double> present = placements(scored.present, scored.absent);
  std::vector<double> absent = placements(scored.absent, scored.present);
  Roc roc{.auc = mean(present)};
  set_interval(scored, variance_of_mean(present) + variance_of_mean(absent), roc);
  roc.tpr_at_one_permille = rate_at(curve, 0.001);
  roc.tpr_at_one_percent = rate_at(curve, 0.01);
  return roc;
}

std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve, std::size_t most) {
  if (curve.size() <= most || most < 2) return curve;
  // Steps of equal length along the curve: corners at small rates are as fine as those elsewhere.
  std::vector<RocPoint> kept = {curve.front()};
  const double step = 2.0 / static_cast<double>(most - 1);
  double next = step;
  for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
    const double along = curve[i].false_positive_rate + curve[i].true_positive_rate;
    if (along < next) continue;
    kept.push_back(curve[i]);
    next = along + step;
  }
  kept.push_back(curve.back());
  return kept;
}

}  // namespace privet::audit
