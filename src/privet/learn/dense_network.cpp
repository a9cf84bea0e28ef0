#include "privet/learn/dense_network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"

namespace privet::methods {
namespace {

const std::string kValidationLoss = "validation loss";

}  // namespace

void DenseShape::declare(OptionTable& table) {
  table.add("layers", layers, "linear layers", 1, 64);
  table.add("width", width, "numbers between the layers", 1, 65536);
  table.add("activation", activation, "between the layers", {"selu", "relu", "tanh", "none"});
  table.add("dropout", dropout, "share of the numbers set to 0 while training", 0.0, 0.99);
  table.add("batch_norm", batch_norm, "batch norm between the layers; never under a private optimiser");
  table.add("initialization", initialization, "of the weights", {"uniform", "lecun-normal", "orthogonal"});
}

void TrainingOptions::declare(OptionTable& table) {
  table.add("epochs", epochs, "passes over the training nodes", 1, 1000000);
  table.add("batch", batch, "examples per step; 0 is all of them", 0, 100000000);
  table.add("optimizer", optimizer, "what turns gradients into steps", {"adam", "sgd"});
  table.add("learning_rate", learning_rate, "size of a step", 1e-9, 1e3);
  table.add("weight_decay", weight_decay, "pull of the weights towards 0", 0.0, 1e3);
  table.add("final_rate", final_rate, "share of the learning rate left at the last step, reached in a line",
            0.0, 1.0);
}

void TrainingOptions::declare_selection(OptionTable& table) {
  table.add("select", select, "by what on validation nodes the epoch is chosen", {"accuracy", "loss"});
}

nn::OptimizerOptions TrainingOptions::optimizer_options() const {
  nn::OptimizerOptions options;
  options.kind = nn::parse_optimizer(optimizer);
  options.learning_rate = learning_rate;
  options.weight_decay = weight_decay;
  options.final_share = final_rate;
  return options;
}

nn::TrainerOptions TrainingOptions::trainer_options(const std::string& label) const {
  return {.epochs = epochs,
          .batch = batch,
          .optimizer = optimizer_options(),
          .selection = select == "loss" ? nn::Selection::loss : nn::Selection::accuracy,
          .patience = patience,
          .validate_every = validate_every,
          .label = label};
}

std::string TrainingOptions::text() const {
  return fmt::format("{} {} {} {} {} {} {} {} {}", epochs, batch, optimizer, learning_rate, weight_decay,
                     final_rate, select, patience, validate_every);
}

tensor::Activation parse_activation(const std::string& name) {
  if (name == "selu") return tensor::Activation::selu;
  if (name == "relu") return tensor::Activation::relu;
  if (name == "tanh") return tensor::Activation::tanh;
  return tensor::Activation::none;
}

nn::Initialization parse_initialization(const std::string& name) {
  if (name == "lecun-normal") return nn::Initialization::lecun_normal;
  if (name == "orthogonal") return nn::Initialization::orthogonal;
  return nn::Initialization::uniform;
}

nn::Network dense_network(const DenseShape& shape, std::size_t inputs, std::size_t outputs) {
  if (inputs == 0) {
    throw DataError({.what = "the data set has no features",
                     .where = "features",
                     .expected = "at least one column",
                     .remedy = "add features"});
  }
  nn::Network network;
  const tensor::Activation activation = parse_activation(shape.activation);
  const nn::Initialization initialization = parse_initialization(shape.initialization);
  std::size_t width = inputs;
  for (std::uint64_t i = 0; i + 1 < shape.layers; ++i) {
    network.add<nn::Linear>(width, shape.width, true, initialization);
    if (shape.batch_norm) network.add<nn::BatchNorm>(shape.width);
    if (shape.dropout > 0) network.add<nn::Dropout>(shape.width, shape.dropout, i);
    if (activation != tensor::Activation::none) network.add<nn::Activate>(shape.width, activation);
    width = shape.width;
  }
  network.add<nn::Linear>(width, outputs, true, initialization);
  return network;
}

void tell_validation_loss(const nn::TrainingResult& result, Fit& fit) {
  if (result.validation_loss)
    fit.findings.emplace_back(kValidationLoss, fmt::format("{:.6f}", *result.validation_loss));
}

void forget_validation_loss(Fit& fit) {
  std::erase_if(fit.findings, [](const auto& finding) { return finding.first == kValidationLoss; });
}

void store(const nn::Network& network, const nn::Parameters& parameters, const std::string& prefix,
           Model& model) {
  for (const nn::Network::Array& array : network.arrays()) {
    tensor::NamedMatrix named{prefix + array.name, tensor::Matrix(array.rows, array.columns)};
    std::ranges::copy(std::span(parameters.learnt).subspan(array.offset, array.rows * array.columns),
                      named.values.values().begin());
    model.tensors.push_back(std::move(named));
  }
  if (network.statistics() > 0) {
    tensor::NamedMatrix named{prefix + "statistics", tensor::Matrix(1, network.statistics())};
    std::ranges::copy(parameters.statistics, named.values.values().begin());
    model.tensors.push_back(std::move(named));
  }
}

nn::Parameters restore(const nn::Network& network, const std::string& prefix, const Model& model) {
  // Looked at before room is made: a damaged model may describe any size, but not have it.
  for (const nn::Network::Array& array : network.arrays())
    (void)model.tensor(prefix + array.name, array.rows, array.columns);
  nn::Parameters parameters{tensor::AlignedVector<float>(network.parameters()),
                            tensor::AlignedVector<float>(network.statistics())};
  for (const nn::Network::Array& array : network.arrays()) {
    const tensor::Matrix& values = model.tensor(prefix + array.name, array.rows, array.columns);
    std::ranges::copy(values.values(), parameters.learnt.begin() + static_cast<std::ptrdiff_t>(array.offset));
  }
  if (network.statistics() > 0) {
    const tensor::Matrix& values = model.tensor(prefix + "statistics", 1, network.statistics());
    std::ranges::copy(values.values(), parameters.statistics.begin());
  }
  return parameters;
}

}  // namespace privet::methods
