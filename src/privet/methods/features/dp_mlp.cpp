#include "privet/methods/features/dp_mlp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/calibration.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"
#include "privet/learn/private_fit.hpp"
#include "privet/learn/private_rows.hpp"
#include "privet/learn/row_scores.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/proof/certificate.hpp"

namespace privet::methods {
namespace {

const std::string kFeatureNorm = "feature_norm";

}  // namespace

DpMlp::DpMlp() {
  shape_.layers = 1;
  training_.learning_rate = 0.02;
  training_.batch = 0;
  training_.epochs = 0;
}

std::string DpMlp::summary() const { return "perceptron trained by private SGD; protects whole people"; }
std::string DpMlp::reference() const {
  return "Abadi et al. 2016; settings of Chien et al. 2023 (DPDGC) as presets";
}
std::vector<std::string> DpMlp::units() const { return {"node", "record", "k-neighbor"}; }

std::vector<Preset> DpMlp::presets() const {
  const std::vector<std::string> common = {
      "layers=3",       "width=64",  "activation=selu",     "dropout=0",           "batch_norm=no",
      "epochs=100",     "steps=0",   "clip_norm=1",         "learning_rate=0.001", "feature_norm=0",
      "optimizer=adam", "average=0", "sampling=fixed-size", "tuning=given"};
  std::vector<std::string> small = common;
  small.push_back("batch=64");
  std::vector<std::string> large = common;
  large.push_back("batch=256");
  return {
      {"dpdgc-64", "3 layers of 64, batch 64, 100 epochs, Adam 0.001 (Cora, Photo, Computers, ...)", small},
      {"dpdgc-256", "the same with batch 256 (PubMed, Facebook)", large}};
}

OptionTable DpMlp::options() {
  OptionTable table(name());
  shape_.declare(table);
  table.add("steps", steps_, "private steps; 0 is as many as the epochs make", 0, 100000000);
  table.add("epochs", training_.epochs, "passes over the training nodes, where steps is 0", 0, 1000000);
  table.add("batch", training_.batch, "examples per step on average; 0 is all of them", 0, 100000000);
  table.add("sampling", sampling_, "how batches are drawn", {"poisson", "fixed-size"});
  table.add("clip_norm", clip_norm_, "norm to which one example's gradient is scaled down", 1e-6, 1e6);
  table.add("clipping", clipping_, "one norm over all parameters, or one for each layer", {"flat", "layers"});
  table.add(
      "tuning", tuning_,
      "learning_rate and feature_norm as given, or by a rule on the number of training nodes and the budget",
      {"auto", "given"});
  table.add("feature_norm", feature_norm_, "norm to which every feature row is scaled; 0 leaves them", 0.0,
            1e6);
  table.add("average", average_, "share of the last steps whose parameters are averaged; 0 takes the last",
            0.0, 1.0);
  table.add("optimizer", training_.optimizer, "what turns noisy gradients into steps", {"adam", "sgd"});
  table.add("learning_rate", training_.learning_rate, "size of a step", 1e-9, 1e3);
  table.add("weight_decay", training_.weight_decay, "pull of the weights towards 0", 0.0, 1e3);
  table.add("final_rate", training_.final_rate, "share of the learning rate left at the last step", 0.0, 1.0);
  return table;
}

RowTuning DpMlp::tuning(const Request& request, const privacy::PublicFacts& facts) const {
  if (tuning_ == "given" || !request.wants_privacy()) return {training_.learning_rate, feature_norm_};
  const nn::Network network = dense_network(shape_, facts.features, facts.classes);
  return tuned_rows(static_cast<double>(facts.count(graph::Role::train)),
                    privacy::gaussian_mu(request.epsilon->value(), request.delta.value()),
                    network.parameters());
}

nn::PrivateTraining DpMlp::uncalibrated(const Request& request, const privacy::PublicFacts& facts) const {
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  const std::uint64_t population = facts.count(graph::Role::train);
  const std::uint64_t batch =
      training_.batch == 0 ? population : std::min<std::uint64_t>(training_.batch, population);
  if (steps_ == 0 && training_.epochs == 0) {
    throw InvalidArgument(
        {.what = "no steps and no epochs", .where = "dp-mlp", .expected = "one of them above 0"});
  }
  const std::uint64_t steps =
      steps_ > 0 ? steps_ : std::max<std::uint64_t>(1, training_.epochs * population / batch);
  const bool poisson = sampling_ == "poisson";
  privacy::Sampling sampling = privacy::FixedSizeSampling{population, batch};
  if (poisson)
    sampling = privacy::PoissonSampling{static_cast<double>(batch) / static_cast<double>(population)};
  const nn::Network network = dense_network(shape_, facts.features, facts.classes);
  network.require_separate_examples();
  const std::size_t groups = clipping_ == "flat" ? 1 : network.groups();
  return {.unit = request.unit,
          .affected = !paper    ? privacy::examples_of_one_record(request.unit)
                      : poisson ? privacy::AffectedExamples{.added = 1}
                                : privacy::AffectedExamples{.replaced = 1},
          .clipping = {std::vector<double>(groups, clip_norm_ / std::sqrt(static_cast<double>(groups)))},
          .noise_multiplier = 1,
          .sampling = sampling,
          .population = population,
          .steps = steps};
}

// Of DPDGC's code, which counts in epochs.
PublishedPlan DpMlp::published_plan(const nn::PrivateTraining& training) const {
  if (steps_ > 0) {
    throw InvalidArgument({.what = "steps under fixed-size sampling in paper rigor",
                           .where = "dp-mlp",
                           .expected = "steps=0, and epochs",
                           .remedy = "use a preset"});
  }
  return {.trainings = {{.batches = PublishedBatches::fixed_size,
                         .population = training.population,
                         .batch = std::get<privacy::FixedSizeSampling>(training.sampling).batch,
                         .epochs = training_.epochs}}};
}

nn::PrivateTraining DpMlp::training_plan(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  require_budget(request, "dp-mlp", "the method mlp with the unit none");
  const nn::PrivateTraining plan = uncalibrated(request, facts);
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  if (paper && sampling_ == "fixed-size") {
    return plan.with_noise(
        2 * published_sigma(published_plan(plan), request.epsilon->value(), request.delta.value()));
  }
  const privacy::Accountant accountant = paper ? privacy::Accountant::rdp : privacy::Accountant::automatic;
  return plan.with_noise(privacy::calibrate([&](double noise) { return plan.with_noise(noise).event(); },
                                            *request.epsilon, request.delta, accountant));
}

Plan DpMlp::plan(const Request& request, const privacy::PublicFacts& facts) const {
  const nn::PrivateTraining training = training_plan(request, facts);
  nn::require_trainable(dense_network(shape_, facts.features, facts.classes), training);
  Plan plan{.event = training.event()};
  plan.numbers = {{"noise multiplier", fmt::format("{:.4f}", training.noise_multiplier)},
                  {"steps", fmt::format("{}", training.steps)},
                  {"batch", fmt::format("{:.6g}", training.expected_batch())},
                  {"training nodes", fmt::format("{}", training.population)},
                  {"learning rate", fmt::format("{}", tuning(request, facts).rate)},
                  {"feature norm", fmt::format("{}", tuning(request, facts).norm)}};
  plan.assumptions = {
      "ids, roles, classes and the number of training nodes are public",
      "a node's scores are made from its own features and are for its own eyes",
      "batches larger than their bound, which occur with probability below 2^-100 each, are left out of the "
      "bound on rounding"};
  if (request.rigor == privacy::Rigor::kPaper) {
    plan.failed_claims = {"validation labels choose the epoch and are not accounted for"};
    if (sampling_ == "fixed-size") {
      plan.claimed_epsilon = privacy::printed_epsilon(
          published_epsilon(published_plan(training), training.noise_multiplier / 2, request.delta.value()));
      plan.claimed_by = "published";
      return plan;
    }
    if (!request.unit.blanks_person()) {
      plan.failed_claims.push_back(
          "the accountant adds or removes an example, the unit replaces it: the sum moves twice as far");
    }
    plan.claimed_epsilon =
        privacy::printed_epsilon(privacy::epsilon(plan.event, request.delta, privacy::Accountant::rdp).upper);
    plan.claimed_by = privacy::accountant_name(privacy::Accountant::rdp);
  }
  return plan;
}

Fit DpMlp::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  const nn::Network network = dense_network(shape_, data.facts.features, data.facts.classes);
  const nn::PrivateTraining training = training_plan(request, data.facts);
  const RowTuning tuned = tuning(request, data.facts);
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  const privacy::Secret<nn::Examples> examples =
      secret_examples(data, data.facts.split.nodes(graph::Role::train), tuned.norm);
  const privacy::Secret<nn::Examples> validation =
      secret_examples(data, data.facts.split.nodes(graph::Role::validation), tuned.norm);
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("noise", 0);
  PrivateFitOptions options{.optimizer = training_.optimizer_options(),
                            .average = average_,
                            .label = name(),
                            .what = "clipped gradients of a batch",
                            .validation = paper ? &validation : nullptr};
  options.optimizer.learning_rate = tuned.rate;
  const PrivateFit fitted = private_fit(network, training, options, examples,
                                        network.initial_parameters(*weights), *noise, run.log);
  Fit fit{.epochs = fitted.epochs, .validation_accuracy = fitted.validation_accuracy};
  store(network, fitted.parameters, "", fit.model);
  tensor::NamedMatrix norm{kFeatureNorm, tensor::Matrix(1, 1)};
  norm.values(0, 0) = static_cast<float>(tuned.norm);
  fit.model.tensors.push_back(std::move(norm));
  return fit;
}

privacy::Guarded<tensor::Matrix> DpMlp::scores(const Model& model,
                                               const privacy::ProtectedDataset& data) const {
  const nn::Network network = dense_network(shape_, model.features, model.classes);
  const nn::Parameters parameters = restore(network, "", model);
  const auto norm = static_cast<double>(model.tensor(kFeatureNorm, 1, 1)(0, 0));
  if (!data.features.is_secret()) {
    return row_scores(
        network, parameters,
        privacy::Guarded<graph::Features>::public_value(scaled_rows(data.features.visible(), norm)));
  }
  return row_scores(
      network, parameters,
      privacy::Guarded<graph::Features>::hidden(data.features.secret().map(&scaled_rows, norm)));
}

}  // namespace privet::methods
