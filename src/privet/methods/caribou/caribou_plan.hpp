#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "privet/core/mechanisms/contractive_hops.hpp"
#include "privet/learn/fold_prior.hpp"
#include "privet/learn/method.hpp"
#include "privet/learn/private_regression.hpp"
#include "privet/methods/caribou/caribou_choice.hpp"
#include "privet/nn/private_optimizer.hpp"

namespace privet::methods {

/// The options of caribou.
struct CaribouOptions {
  std::string rows = "probabilities";  ///< what X0 is: probabilities, labels, embedding, features
  std::uint64_t columns = 16;          ///< of an embedding
  std::string hops = "auto";
  std::string contraction = "auto";
  std::string floor = "auto";
  double graph_share = 1;  ///< alpha1; alpha2 is the rest
  double residual = 1;     ///< beta
  double expected_degree = 20;
  double expected_homophily = 0.8;
  double listening_share = 0.15;
  FoldOptions prior;
  std::string tuning = "auto";
  // Where people are protected.
  RegressionOptions regression;
  RegressionOptions classifier;
  double encoder_share = 0.5;
  double classifier_share = 0.25;
};

/// How many numbers a node tells: of its classes, of an embedding, or all of its features.
std::uint64_t told_columns(const CaribouOptions& options, std::uint64_t classes, std::uint64_t features);

/// Everything that caribou releases, with its noise, worked out without data: the one source of layer, noise
/// and steps for accountant and training.
struct CaribouPlan {
  privacy::ContractiveLayer layer;
  std::uint64_t hops = 1;
  std::uint64_t columns = 1;
  double predicted = 0;                                    ///< noise over signal
  std::optional<privacy::ContractiveHops> iteration = {};  ///< empty where nothing is protected
  std::optional<nn::PrivateTraining> encoder = {};         ///< where people are protected
  std::optional<nn::PrivateTraining> classifier = {};      ///< the same
  /// In paper rigor: sigma of Theorem 6. The noise is sigma times what Theorem 4 or 5 says for the smallest
  /// and largest degree, which are read off the data: `iteration` is made when those are known.
  std::optional<double> published_sigma = {};

  [[nodiscard]] privacy::Event event() const;
  /// What leaves, for the certificate.
  [[nodiscard]] std::string released() const;
};

/// InvalidArgument without a budget, and for options that say nothing under the unit.
CaribouPlan caribou_plan(const CaribouOptions& options, const Request& request,
                         const privacy::PublicFacts& facts);

/// The plan for the reader.
Plan describe(const CaribouOptions& options, const CaribouPlan& plan, const Request& request);

}  // namespace privet::methods
