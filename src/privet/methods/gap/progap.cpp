#include "privet/methods/gap/progap.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/accounting/calibration.hpp"
#include "privet/base/error.hpp"
#include "privet/learn/noisy_hops.hpp"
#include "privet/learn/published_accounting.hpp"
#include "privet/nn/batch_norm.hpp"
#include "privet/nn/channels.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/proof/certificate.hpp"

namespace privet::methods {
namespace {

using GuardedMatrix = privacy::Guarded<tensor::Matrix>;

std::string prefix_of(std::uint64_t stage) { return fmt::format("stage{}.", stage); }
std::string hop_name(std::uint64_t hop) { return fmt::format("hop.{}", hop); }

// Rows of the stages so far, then the sums of this one.
graph::Features inputs_of(const std::vector<tensor::Matrix>& rows, const tensor::Matrix& sums) {
  std::vector<tensor::Matrix> others(rows.begin() + 1, rows.end());
  others.push_back(sums);
  return side_by_side(GuardedMatrix::public_value(rows.front()), others).visible();
}

}  // namespace

ProGap::ProGap() { training_.learning_rate = 0.01; }

std::string ProGap::summary() const { return "gap in stages, each learnt from the noisy sums of the last"; }
std::string ProGap::reference() const { return "Sajadmanesh and Gatica-Perez 2024 (ProGAP)"; }

std::vector<Preset> ProGap::presets() const {
  return {{"progap",
           "width 16, 1 base layer, 3 hops, Adam 0.01, 100 epochs per stage, no dropout",
           {"width=16", "base_layers=1", "hops=3", "dropout=0", "batch_norm=yes", "learning_rate=0.01",
            "epochs=100", "batch=0", "optimizer=adam", "weight_decay=0"}}};
}

OptionTable ProGap::options() {
  OptionTable table(name());
  table.add("width", width_, "numbers per node and stage", 1, 65536);
  table.add("hops", hops_, "noisy sums over neighbours: stages behind the first", 1, 64);
  table.add("base_layers", base_layers_, "linear layers of the first stage", 1, 16);
  table.add("activation", activation_, "between the layers", {"selu", "relu", "tanh", "none"});
  table.add("dropout", dropout_, "share of the numbers set to 0 while training", 0.0, 0.99);
  table.add("batch_norm", batch_norm_, "batch norm between the layers");
  training_.declare(table);
  gate_.declare(table);
  return table;
}

std::optional<privacy::GaussianMechanism> ProGap::mechanism(const Request& request) const {
  require_unit(request.unit);
  if (!request.unit.protects_anything()) return {};
  require_budget(request, "progap");
  if (request.rigor == privacy::Rigor::kPaper && request.unit.changes_pairs()) {
    const double sigma =
        published_sigma({.gaussians = hops_}, request.epsilon->value(), request.delta.value());
    return privacy::GaussianMechanism::with_stddev(published_hop_sensitivity(request.unit, width_, 0),
                                                   privacy::NoiseStddev(sigma));
  }
  const double noise = privacy::calibrate(
      [&](double multiplier) { return privacy::repeated(privacy::GaussianEvent{multiplier}, hops_); },
      *request.epsilon, request.delta);
  return privacy::GaussianMechanism::with_multiplier(hop_sensitivity(request.unit, width_), noise);
}

Plan ProGap::plan(const Request& request, const privacy::PublicFacts&) const {
  const std::optional<privacy::GaussianMechanism> noise = mechanism(request);
  if (!noise) return {};
  Plan plan{.event = privacy::repeated(noise->event(), hops_)};
  plan.assumptions = {"features and labels are public"};
  plan.numbers = {{"hops", fmt::format("{}", hops_)},
                  {"sensitivity of a hop", fmt::format("{:.4f}", noise->sensitivity().l2().value())},
                  {"noise of a hop", fmt::format("{:.4f}", noise->stddev().value())}};
  if (request.rigor == privacy::Rigor::kPaper && request.unit.changes_pairs()) {
    plan.failed_claims = {
        "an undirected edge is two entries in two rows: a hop moves by sqrt 2, and 1 was paid for"};
    plan.claimed_epsilon = privacy::printed_epsilon(
        published_epsilon({.gaussians = hops_}, noise->stddev().value(), request.delta.value()));
    plan.claimed_by = "gdp";
  }
  return plan;
}

nn::Network ProGap::trunk(std::size_t inputs) const {
  const DenseShape shape{.layers = base_layers_,
                         .width = width_,
                         .activation = activation_,
                         .dropout = dropout_,
                         .batch_norm = batch_norm_};
  nn::Network network = dense_network(shape, inputs, width_);
  network.add<nn::NormalizeRows>(width_);
  return network;
}

void ProGap::add_head(nn::Network& network, std::size_t columns, std::size_t outputs,
                      std::uint64_t place) const {
  if (batch_norm_) network.add<nn::BatchNorm>(columns);
  if (dropout_ > 0) network.add<nn::Dropout>(columns, dropout_, place);
  network.add<nn::Activate>(columns, parse_activation(activation_));
  network.add<nn::Linear>(columns, outputs);
}

nn::Network ProGap::network(std::uint64_t stage, std::size_t inputs, std::size_t outputs) const {
  if (stage == 0) {
    nn::Network first = trunk(inputs);
    add_head(first, width_, outputs, base_layers_);
    return first;
  }
  const std::size_t columns = (stage + 1) * width_;
  nn::Network later;
  later.add<nn::Channels>(stage + 1, width_, width_);
  later.add<nn::NormalizeRows>(columns);
  add_head(later, columns, outputs, 0);
  return later;
}

tensor::Matrix ProGap::first_rows(const Model& model, const graph::Features& features) const {
  const nn::Network shorter = trunk(model.features);
  nn::Parameters parameters = restore(network(0, model.features, model.classes), prefix_of(0), model);
  parameters.learnt.resize(shorter.parameters());
  parameters.statistics.resize(shorter.statistics());
  return nn::outputs_of(shorter, parameters, nn::all_rows(features));
}

tensor::Matrix ProGap::later_rows(const Model& model, std::uint64_t stage, const tensor::Matrix& sums) const {
  const nn::Parameters all = restore(network(stage, model.features, model.classes), prefix_of(stage), model);
  nn::Network own;
  own.add<nn::Linear>(width_, width_);
  own.add<nn::NormalizeRows>(width_);
  // The last channel, which is laid out as a linear layer is.
  nn::Parameters parameters{tensor::AlignedVector<float>(own.parameters()), {}};
  std::copy_n(all.learnt.begin() + static_cast<std::ptrdiff_t>(stage * own.parameters()), own.parameters(),
              parameters.learnt.begin());
  return nn::outputs_of(own, parameters, tensor::ConstMatrixView(sums));
}

Fit ProGap::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  const std::optional<privacy::GaussianMechanism> noise = mechanism(request);
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  const std::unique_ptr<RandomStream> order = run.stream.fork("order", 0);
  Fit fit;
  fit.model.features = data.facts.features;
  fit.model.classes = data.facts.classes;
  const auto learn = [&](std::uint64_t stage, const graph::Features& rows) {
    const nn::Network net = network(stage, data.facts.features, data.facts.classes);
    const auto examples = [&](graph::Role role) {
      return nn::examples_of(rows, data.labels.visible(), data.facts.split.nodes(role));
    };
    const nn::TrainingResult result =
        nn::Trainer(net, training_.trainer_options(fmt::format("stage {}", stage)))
            .fit(examples(graph::Role::train), examples(graph::Role::validation),
                 net.initial_parameters(*weights), *order);
    fit.epochs += result.epochs;
    fit.validation_accuracy = result.validation_accuracy;
    store(net, result.parameters, prefix_of(stage), fit.model);
  };
  learn(0, data.features.visible());
  std::vector<tensor::Matrix> rows = {first_rows(fit.model, data.features.visible())};
  for (std::uint64_t stage = 1; stage <= hops_; ++stage) {
    tensor::Matrix sums = hop(data.graph, GuardedMatrix::public_value(rows.back()), width_, data.facts.nodes,
                              noise, fmt::format("sum over neighbours, stage {}", stage), run);
    learn(stage, inputs_of(rows, sums));
    rows.push_back(later_rows(fit.model, stage, sums));
    fit.model.tensors.push_back({hop_name(stage), std::move(sums)});
  }
  gate_.ask(request, data, run, fit);
  return fit;
}

GuardedMatrix ProGap::scores(const Model& model, const privacy::ProtectedDataset& data) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  std::vector<tensor::Matrix> rows = {first_rows(model, data.features.visible())};
  for (std::uint64_t stage = 1; stage < hops_; ++stage)
    rows.push_back(later_rows(model, stage, model.tensor(hop_name(stage), data.facts.nodes, width_)));
  const nn::Network last = network(hops_, model.features, model.classes);
  const graph::Features inputs = inputs_of(rows, model.tensor(hop_name(hops_), data.facts.nodes, width_));
  return GuardedMatrix::public_value(
      nn::outputs_of(last, restore(last, prefix_of(hops_), model), nn::all_rows(inputs)));
}

Plan ProGap::inference_plan(const Request& request, const Model& model,
                            const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  if (gate_is_closed(model)) return {};
  return plan(request, facts);
}

GuardedMatrix ProGap::infer(const Request& request, const Model& model, const privacy::ProtectedDataset& data,
                            Run& run) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  const std::optional<privacy::GaussianMechanism> noise = mechanism(request);
  Model there = model;
  std::erase_if(there.tensors,
                [](const tensor::NamedMatrix& named) { return named.name.starts_with("hop."); });
  tensor::Matrix rows = first_rows(model, data.features.visible());
  for (std::uint64_t stage = 1; stage <= hops_; ++stage) {
    tensor::Matrix sums = hop(data.graph, GuardedMatrix::public_value(rows), width_, data.facts.nodes, noise,
                              fmt::format("sum over neighbours, stage {}", stage), run);
    rows = later_rows(model, stage, sums);
    there.tensors.push_back({hop_name(stage), std::move(sums)});
  }
  return scores(there, data);
}

}  // namespace privet::methods
