#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/base/options.hpp"
#include "privet/learn/dense_network.hpp"
#include "privet/learn/method.hpp"
#include "privet/learn/private_rows.hpp"
#include "privet/nn/private_optimizer.hpp"

namespace privet::methods {

/// Softmax regression by private gradient descent: every step uses everybody, so that the cost is that of
/// Gaussian noise, exactly, and the last iterates are averaged. Rows are scaled to one norm each, which is a
/// function of that row alone.
struct RegressionOptions {
  std::uint64_t steps = 150;
  double clip_norm = 1;
  double average = 0.5;
  std::string tuning = "auto";
  double learning_rate = 0.02;
  double feature_norm = 5;

  void declare(OptionTable& table);
  /// As given, or by tuned_rows.
  [[nodiscard]] RowTuning tuned(double training_nodes, double mu, std::size_t parameters) const;
};

/// What is learnt, and how rows must be scaled for it.
struct Regression {
  nn::Network network;
  nn::Parameters parameters;
  double feature_norm = 0;

  /// Scores of the classes, for rows as they come in the data.
  [[nodiscard]] privacy::Guarded<tensor::Matrix> scores(
      const privacy::Guarded<graph::Features>& features) const;
};

nn::Network regression_network(std::size_t features, std::size_t classes);
/// Refuses, before anything is paid for, noise that could not be drawn while training.
void require_regression(const nn::PrivateTraining& training, std::size_t features, std::size_t classes);

/// All steps, so noisy that together they are mu-GDP.
nn::PrivateTraining regression_training(const RegressionOptions& options, const privacy::Unit& unit,
                                        std::uint64_t population, double mu);

/// Learns from the nodes named, of which there are as many as the training's population.
Regression fit_regression(const RegressionOptions& options, const RowTuning& tuned,
                          const nn::PrivateTraining& training, const privacy::ProtectedDataset& data,
                          const std::vector<graph::NodeId>& nodes, const std::string& what, Run& run);

void store(const Regression& regression, const std::string& prefix, Model& model);
Regression restore_regression(const std::string& prefix, const Model& model);

}  // namespace privet::methods
