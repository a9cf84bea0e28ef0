#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/learn/method.hpp"
#include "privet/learn/published_accounting.hpp"
#include "privet/nn/private_optimizer.hpp"

namespace privet::methods {

/// What of DPDGC costs privacy, as the options ask for it.
struct DpdgcPrivacy {
  std::uint64_t width = 64;
  double row_bound = 1;  ///< norm to which rows of W are projected
  double clip_norm = 1;
  std::string sampling = "poisson";
  std::uint64_t batch = 0;  ///< of private steps; 0 is all training nodes
  std::uint64_t epochs = 100;
  std::uint64_t embedding_steps = 60;    ///< 0: as many as the epochs make
  std::uint64_t classifier_steps = 150;  ///< the same
  double embedding_share = 0.5;
  double classifier_share = 0.5;
  std::uint64_t degree = 0;  ///< of the published column sampling; 0 is the unit's bound
};

/// Everything that DPDGC releases, with its noise: the one source of noise, steps and rates for accountant
/// and training. Made without data.
struct DpdgcPlan {
  nn::PrivateTraining embedding;
  privacy::GaussianMechanism sums;                ///< of A W
  std::optional<nn::PrivateTraining> classifier;  ///< at the levels that protect features and labels
  /// In paper rigor: the one multiplier of the published calibration, and the degree it samples columns to.
  std::optional<double> published_sigma = {};
  std::uint64_t sampled_degree = 0;  ///< 0: no sampling

  [[nodiscard]] privacy::Event event() const;
};

/// The calibrated plan. InvalidArgument without a budget, or for numbers that make no training.
///
/// strict  affected examples of the embedding: privacy::examples_with_one_hop (1 for directed-edge, 2 for
///         edge, k + 1, 2 D + 1), each another one; of the classifier one record, since the embedding of
///         everybody else is released already (Chien et al. 2023, Theorem B.1); noise of the three parts in
///         the given shares of mu^2
/// paper   one sigma by the published accountant, noise 2 sigma sqrt(g), sigma sqrt(k, 2 D or 1) and 2 sigma,
///         in clip norms and row bounds, with g = 1, k + 1, D + 1. The event is what that noise costs in
///         truth.
DpdgcPlan dpdgc_plan(const DpdgcPrivacy& options, const Request& request, const privacy::PublicFacts& facts);

/// What the published accountant counts.
PublishedPlan dpdgc_published(const DpdgcPrivacy& options, const privacy::Unit& unit,
                              const privacy::PublicFacts& facts);

/// Noise to release A W alone, of a graph that W was not learnt on.
privacy::GaussianMechanism dpdgc_sums(const DpdgcPrivacy& options, const Request& request);

/// What the paper claims and does not hold, for the unit.
std::vector<std::string> dpdgc_failed_claims(const privacy::Unit& unit);

}  // namespace privet::methods
