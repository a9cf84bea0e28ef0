#include "privet/methods/lists/link_prior.hpp"

#include <algorithm>

namespace privet::methods {

LinkPrior::~LinkPrior() = default;

void LinkPrior::row_by_rule(std::size_t i, std::size_t first, const tensor::EvidenceRule& rule,
                            std::span<const float> ratios, std::span<float> out) const {
  row(i, first, out);
  tensor::apply_evidence(rule, ratios, out);
}

LowRankPrior::LowRankPrior(const BlockModel& model)
    : left_(model.degrees.size(), model.clusters),
      right_(model.clusters, model.degrees.size()),
      columns_(model.degrees.size(), model.clusters),
      core_(model.clusters, model.clusters) {
  const std::size_t c = model.clusters;
  std::ranges::transform(model.theta, core_.values().begin(),
                         [](double entry) { return static_cast<float>(entry); });
  for (std::size_t i = 0; i < model.degrees.size(); ++i) {
    for (std::size_t b = 0; b < c; ++b) {
      double sum = 0;
      for (std::size_t a = 0; a < c; ++a) sum += model.memberships[i * c + a] * model.theta[a * c + b];
      left_(i, b) = static_cast<float>(model.degrees[i] * sum);
      right_(b, i) = static_cast<float>(model.degrees[i] * model.memberships[i * c + b]);
      columns_(i, b) = right_(b, i);
    }
  }
}

LowRankPrior::LowRankPrior(std::span<const double> odds_factors)
    : odds_(true),
      left_(odds_factors.size(), 1),
      right_(1, odds_factors.size()),
      columns_(odds_factors.size(), 1),
      core_(1, 1) {
  core_(0, 0) = 1;
  for (std::size_t i = 0; i < odds_factors.size(); ++i)
    left_(i, 0) = right_(0, i) = columns_(i, 0) = static_cast<float>(odds_factors[i]);
}

void LowRankPrior::row(std::size_t i, std::size_t first, std::span<float> out) const {
  tensor::combine_row(left_.row(i), right_.values().data() + first, nodes(), out);
}

void LowRankPrior::row_by_rule(std::size_t i, std::size_t first, const tensor::EvidenceRule& rule,
                               std::span<const float> ratios, std::span<float> out) const {
  tensor::combine_and_apply(left_.row(i), right_.values().data() + first, nodes(), rule, ratios, out);
}

float LowRankPrior::at(std::size_t i, std::size_t j) const {
  float sum = 0;
  for (std::size_t a = 0; a < left_.columns(); ++a) sum += left_(i, a) * columns_(j, a);
  return sum;
}

void ConstantPrior::row(std::size_t, std::size_t, std::span<float> out) const {
  std::ranges::fill(out, probability_);
}

}  // namespace privet::methods
