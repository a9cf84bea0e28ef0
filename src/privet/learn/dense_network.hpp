#pragma once

#include <cstdint>
#include <string>

#include "privet/base/options.hpp"
#include "privet/learn/method.hpp"
#include "privet/nn/initialization.hpp"
#include "privet/nn/network.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {

/// What the methods share that learn a network on rows: its shape and how it is trained, each declared once.

struct DenseShape {
  std::uint64_t layers = 3;
  std::uint64_t width = 64;
  std::string activation = "selu";
  double dropout = 0;
  bool batch_norm = false;
  std::string initialization = "uniform";

  void declare(OptionTable& table);
};

struct TrainingOptions {
  std::uint64_t epochs = 100;
  std::uint64_t batch = 0;
  std::string optimizer = "adam";
  double learning_rate = 0.01;
  double weight_decay = 0;
  double final_rate = 1;
  std::string select = "accuracy";
  std::uint64_t patience = 0;
  std::uint64_t validate_every = 1;

  void declare(OptionTable& table);
  void declare_selection(OptionTable& table);
  [[nodiscard]] nn::OptimizerOptions optimizer_options() const;
  [[nodiscard]] nn::TrainerOptions trainer_options(const std::string& label) const;
  /// All of it: two that read the same train the same.
  [[nodiscard]] std::string text() const;
};

/// inputs -> width -> ... -> outputs: linear layers with, between them, batch norm if wanted, dropout and the
/// activation.
nn::Network dense_network(const DenseShape& shape, std::size_t inputs, std::size_t outputs);

/// Among the findings, where the epoch was selected by it; and not any more, where something else answers.
void tell_validation_loss(const nn::TrainingResult& result, Fit& fit);
void forget_validation_loss(Fit& fit);

/// The numbers of a network as named arrays, and back (DataError where shapes do not fit).
void store(const nn::Network& network, const nn::Parameters& parameters, const std::string& prefix,
           Model& model);
nn::Parameters restore(const nn::Network& network, const std::string& prefix, const Model& model);

tensor::Activation parse_activation(const std::string& name);
nn::Initialization parse_initialization(const std::string& name);

}  // namespace privet::methods
