#include "privet/core/mechanisms/noisy_quantile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/noisy_max.hpp"

namespace privet::privacy {
namespace {

void check(const QuantileQuery& query) {
  const auto refuse = [](std::string what, std::string expected) {
    throw InvalidArgument(
        {.what = std::move(what), .where = "noisy quantile", .expected = std::move(expected)});
  };
  if (!(query.quantile >= 0 && query.quantile <= 1)) {
    refuse(fmt::format("quantile {}", query.quantile), "from 0 to 1");
  }
  if (query.count == 0 || query.changed_values == 0) refuse("a count of 0", "at least 1");
  if (query.candidates.empty()) refuse("no candidates", "at least one");
  for (std::size_t i = 0; i < query.candidates.size(); ++i) {
    if (!std::isfinite(query.candidates[i]) || (i > 0 && query.candidates[i] <= query.candidates[i - 1])) {
      refuse(fmt::format("candidate {}", query.candidates[i]), "finite numbers that ascend");
    }
  }
}

std::vector<double> rank_scores(const std::vector<double>& values, const std::vector<double>& candidates,
                                double target) {
  std::vector<double> scores(candidates.size(), 0);
  for (const double value : values) {
    const auto at = std::lower_bound(candidates.begin(), candidates.end(), value);
    if (!std::isnan(value) && at != candidates.end())
      ++scores[static_cast<std::size_t>(at - candidates.begin())];
  }
  double rank = 0;
  for (double& score : scores) {
    rank += score;
    score = -std::abs(rank - target);
  }
  return scores;
}

}  // namespace

double noisy_quantile(const Secret<std::vector<double>>& values, const QuantileQuery& query, const Unit& unit,
                      Epsilon epsilon, std::string what, ReleaseLog& log, RandomStream& stream) {
  check(query);
  const auto changed = static_cast<double>(query.changed_values);
  const NoisyMax mechanism(
      Sensitivity::stated(unit, {.each = changed,
                                 .value = "distance of a candidate's rank from the quantile's",
                                 .argument = "docs/privacy/mechanisms.md#noisy-quantile"}),
      epsilon);
  const Secret<std::vector<double>> scores =
      values.map(rank_scores, query.candidates, query.quantile * static_cast<double>(query.count));
  return query.candidates[mechanism.release(scores, query.candidates.size(), std::move(what), log, stream)];
}

}  // namespace privet::privacy
