#include "privet/learn/private_regression.hpp"

#include <cmath>
#include <memory>

#include "privet/core/sensitivity.hpp"
#include "privet/learn/private_fit.hpp"
#include "privet/learn/row_scores.hpp"

namespace privet::methods {
namespace {

const std::string kFeatureNorm = "feature_norm";

}  // namespace

void RegressionOptions::declare(OptionTable& table) {
  table.add("steps", steps, "private steps, each over everybody", 1, 100000000);
  table.add("clip_norm", clip_norm, "norm to which one example's gradient is scaled down", 1e-6, 1e6);
  table.add("average", average, "share of the last steps whose parameters are averaged", 0.0, 1.0);
  table.add(
      "tuning", tuning,
      "learning_rate and feature_norm as given, or by a rule on the number of training nodes and the budget",
      {"auto", "given"});
  table.add("learning_rate", learning_rate, "size of a step", 1e-9, 1e3);
  table.add("feature_norm", feature_norm, "norm to which every feature row is scaled; 0 leaves them", 0.0,
            1e6);
}

RowTuning RegressionOptions::tuned(double training_nodes, double mu, std::size_t parameters) const {
  return tuning == "given" ? RowTuning{learning_rate, feature_norm}
                           : tuned_rows(training_nodes, mu, parameters);
}

privacy::Guarded<tensor::Matrix> Regression::scores(const privacy::Guarded<graph::Features>& features) const {
  if (!features.is_secret()) {
    return row_scores(
        network, parameters,
        privacy::Guarded<graph::Features>::public_value(scaled_rows(features.visible(), feature_norm)));
  }
  return row_scores(
      network, parameters,
      privacy::Guarded<graph::Features>::hidden(features.secret().map(&scaled_rows, feature_norm)));
}

nn::Network regression_network(std::size_t features, std::size_t classes) {
  DenseShape shape;
  shape.layers = 1;
  return dense_network(shape, features, classes);
}

nn::PrivateTraining regression_training(const RegressionOptions& options, const privacy::Unit& unit,
                                        std::uint64_t population, double mu) {
  const privacy::AffectedExamples affected = privacy::examples_of_one_record(unit);
  return {.unit = unit,
          .affected = affected,
          .clipping = {{options.clip_norm}},
          .noise_multiplier = affected.clip_norms() * std::sqrt(static_cast<double>(options.steps)) / mu,
          .sampling = privacy::PoissonSampling{1},
          .population = population,
          .steps = options.steps};
}

void require_regression(const nn::PrivateTraining& training, std::size_t features, std::size_t classes) {
  nn::require_trainable(regression_network(features, classes), training);
}

Regression fit_regression(const RegressionOptions& options, const RowTuning& tuned,
                          const nn::PrivateTraining& training, const privacy::ProtectedDataset& data,
                          const std::vector<graph::NodeId>& nodes, const std::string& what, Run& run) {
  Regression result{.network = regression_network(data.facts.features, data.facts.classes),
                    .parameters = {},
                    .feature_norm = tuned.norm};
  const privacy::Secret<nn::Examples> examples = secret_examples(data, nodes, tuned.norm);
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("regression", 0);
  PrivateFitOptions fitting;
  fitting.average = options.average;
  fitting.label = what;
  fitting.what = what;
  fitting.optimizer.learning_rate = tuned.rate;
  result.parameters = private_fit(result.network, training, fitting, examples,
                                  result.network.initial_parameters(*weights), *noise, run.log)
                          .parameters;
  return result;
}

void store(const Regression& regression, const std::string& prefix, Model& model) {
  store(regression.network, regression.parameters, prefix, model);
  tensor::NamedMatrix norm{prefix + kFeatureNorm, tensor::Matrix(1, 1)};
  norm.values(0, 0) = static_cast<float>(regression.feature_norm);
  model.tensors.push_back(std::move(norm));
}

Regression restore_regression(const std::string& prefix, const Model& model) {
  nn::Network network = regression_network(model.features, model.classes);
  nn::Parameters parameters = restore(network, prefix, model);
  return {.network = std::move(network),
          .parameters = std::move(parameters),
          .feature_norm = static_cast<double>(model.tensor(prefix + kFeatureNorm, 1, 1)(0, 0))};
}

}  // namespace privet::methods
