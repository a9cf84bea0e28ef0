#include "privet/methods/caribou/caribou_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "privet/accounting/gaussian_dp.hpp"

namespace privet::methods {
namespace {

constexpr double kCloseEnough = 0.005;  // of the nodes told their class

// What an entry of N is between nodes with the two degrees.
double weight_of(const privacy::ContractiveLayer& layer, double one, double other) {
  const auto bound = static_cast<double>(layer.bound);
  if (layer.kind == privacy::ContractiveLayer::Kind::bounded) return 1 / (bound + 1);
  return 1 / std::sqrt(std::max(one + 1, bound) * std::max(other + 1, bound));
}

// A node of degree `own` in a graph of the expected one.
double predicted_for(const privacy::ContractiveLayer& layer, std::uint64_t hops, double stddev,
                     const HopExpectation& expected, double own) {
  const double degree = expected.degree;
  const double passed = layer.contraction * layer.graph_share * weight_of(layer, degree, degree);
  const double heard = layer.contraction * layer.graph_share * weight_of(layer, own, degree);
  double signal = expected.informative;  // of an average row, along the truth
  double noise = 0;                      // variance of one of its numbers
  double reach = 1;                      // how much a row is worth so many hops away
  double agreed = 1;
  double sum = 0;
  double squares = 0;
  double at_distance = own;
  double told = 0;      // what the node hears in the last hop
  double loudness = 0;  // and the noise with it
  for (std::uint64_t hop = 1; hop <= hops; ++hop) {
    told = heard * own * signal * expected.agreement;
    loudness = stddev * stddev + heard * heard * (own + 1) * noise;
    agreed *= expected.agreement;
    if (at_distance < expected.nodes / 2) sum += at_distance * reach * agreed;
    squares += at_distance * reach * reach;
    const double between = passed * (degree * expected.agreement + 1) * signal;
    const double variance = stddev * stddev + passed * passed * (degree + 1) * noise;
    const double length =
        std::sqrt(between * between + layer.residual * layer.residual * expected.informative +
                  expected.columns * variance);
    const double kept = length > 1 ? 1 / length : 1;
    signal = kept * (between + layer.residual * expected.informative);
    noise = kept * kept * variance;
    reach *= passed * kept;
    at_distance = std::min(at_distance * std::max(1.0, degree - 1), expected.nodes);
  }
  if (told <= 0 || sum <= 0) return std::numeric_limits<double>::infinity();
  const double rows = expected.informative * sum * sum / squares;
  return std::sqrt(loudness / (told * told) + 1 / rows);
}

}  // namespace

double predicted_noise(const privacy::ContractiveLayer& layer, std::uint64_t hops, double stddev,
                       const HopExpectation& expected) {
  return predicted_for(layer, hops, stddev, expected, expected.degree);
}

double stddev_for(const privacy::Unit& unit, const privacy::ContractiveLayer& layer, std::uint64_t hops,
                  const HopBudget& mu, const HopExpectation& expected) {
  if (!mu) return 0;
  const double moved =
      privacy::contractive_sensitivity(unit, layer, static_cast<std::uint64_t>(expected.nodes),
                                       static_cast<std::uint64_t>(expected.columns))
          .l2()
          .value();
  return moved * std::sqrt(privacy::contraction_factor(layer.contraction, static_cast<double>(hops))) / *mu;
}

HopChoice choose_hops(const privacy::Unit& unit, const privacy::ContractiveLayer& like,
                      const HopChoices& choices, const HopBudget& mu, const HopExpectation& expected) {
  struct Candidate {
    HopChoice choice;
    double right;
  };
  std::vector<Candidate> best_of;  // one for every number of hops
  double most = 0;
  for (const std::uint64_t hops : choices.hops) {
    Candidate best{{}, -1};
    for (const double contraction : choices.contractions) {
      for (const std::uint64_t bound : choices.bounds) {
        privacy::ContractiveLayer layer = like;
        layer.contraction = contraction;
        layer.bound = bound;
        const double stddev = stddev_for(unit, layer, hops, mu, expected);
        double right = 0;
        for (const double factor : {0.5, 1.0, 2.0, 4.0}) {
          const double noise = predicted_for(layer, hops, stddev, expected, factor * expected.degree);
          right += std::erfc(-1 / (noise * std::numbers::sqrt2)) / 8;  // Phi(1 / noise) / 4
        }
        if (right > best.right) best = {{layer, hops, predicted_noise(layer, hops, stddev, expected)}, right};
      }
    }
    most = std::max(most, best.right);
    best_of.push_back(best);
  }
  const double slack = mu ? kCloseEnough : 0;
  for (const Candidate& candidate : best_of)
    if (candidate.right >= most - slack) return candidate.choice;
  return best_of.front().choice;
}

}  // namespace privet::methods
