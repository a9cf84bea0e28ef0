#include "privet/methods/released/lpgnet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/learn/row_scores.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/trainer.hpp"

namespace privet::methods {
namespace {

const std::string kScores = "scores";

std::string prefix(std::uint64_t stage) { return fmt::format("stage{}.", stage); }

// Features, and then the scores and counts of every stage so far.
std::size_t inputs_of(std::uint64_t stage, std::size_t features, std::size_t classes) {
  return stage == 0 ? features : 2 * stage * classes;
}

// Negative counts are 0; where none is left there is a 1 at random, as published.
void add_counts(std::span<const std::int64_t> counts, RandomStream& coins, std::span<float> out) {
  bool any = false;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    out[j] = static_cast<float>(std::max<std::int64_t>(0, counts[j]));
    any = any || counts[j] > 0;
  }
  if (!any) out[coins.below(counts.size())] = 1;
}

}  // namespace

std::vector<std::int64_t> class_counts(const graph::Graph& graph, const std::vector<std::int32_t>& classes,
                                       std::uint64_t kinds) {
  std::vector<std::int64_t> counts(graph.nodes() * kinds);
  for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
    for (const graph::NodeId j : graph.neighbors(i))
      ++counts[i * kinds + static_cast<std::size_t>(classes[j])];
  }
  return counts;
}

privacy::Sensitivity class_counts_sensitivity(const privacy::Unit& unit) {
  const double ends = unit.changes_pairs() ? 2 : 1;
  return privacy::Sensitivity::stated(unit, {.l1 = ends,
                                             .each = 1,
                                             .coordinates = static_cast<std::uint64_t>(ends),
                                             .value = "neighbours of each class",
                                             .argument = "an edge is one neighbour more at each of its ends, "
                                                         "an entry at one"});
}

LpgNet::LpgNet() {
  training_.epochs = 500;
  training_.learning_rate = 0.01;
  training_.weight_decay = 5e-4;
  training_.final_rate = 0;
}

std::string LpgNet::summary() const { return "stacked perceptrons and noisy counts of neighbours' classes"; }
std::string LpgNet::reference() const { return "Kolluri, Baluta, Hooi, Saxena 2022 (LPGNet)"; }

std::vector<Preset> LpgNet::presets() const {
  return {{"eclipse",
           "LPGNet-2 as in Eclipse's comparison: Adam 0.01 going down to 0 in 500 epochs, the one of the "
           "lowest validation loss",
           {"stages=2", "layers=2", "width=64", "dropout=0.5", "epochs=500", "learning_rate=0.01",
            "weight_decay=0.0005", "final_rate=0", "select=loss"}},
          {"lpgnet-1", "one stage", {"stages=1"}}};
}

OptionTable LpgNet::options() {
  OptionTable table(name());
  table.add("stages", stages_, "releases of counts, each with a perceptron behind it", 1, 8);
  table.add("layers", layers_, "linear layers of a perceptron", 1, 64);
  table.add("width", width_, "numbers between the layers", 1, 65536);
  table.add("dropout", dropout_, "share of the numbers behind a hidden layer set to 0 while training", 0.0,
            0.99);
  table.add("epochs", training_.epochs, "passes over the training nodes, for each perceptron", 1, 1000000);
  table.add("optimizer", training_.optimizer, "what turns gradients into steps", {"adam", "sgd"});
  table.add("learning_rate", training_.learning_rate, "size of a step", 1e-9, 1e3);
  table.add("weight_decay", training_.weight_decay, "pull of the weights towards 0", 0.0, 1e3);
  table.add("final_rate", training_.final_rate, "share of the learning rate left at the last step", 0.0, 1.0);
  training_.declare_selection(table);
  gate_.declare(table);
  return table;
}

nn::Network LpgNet::network(std::size_t inputs, std::size_t outputs) const {
  nn::Network net;
  std::size_t width = inputs;
  for (std::uint64_t i = 0; i + 1 < layers_; ++i) {
    net.add<nn::Linear>(width, width_, false);
    net.add<nn::Activate>(width_, tensor::Activation::relu);
    if (dropout_ > 0) net.add<nn::Dropout>(width_, dropout_, i);
    width = width_;
  }
  net.add<nn::Linear>(width, outputs, false);
  return net;
}

std::optional<privacy::GeometricMechanism> LpgNet::mechanism(const Request& request) const {
  if (!request.unit.protects_anything()) return std::nullopt;
  return privacy::GeometricMechanism::with_epsilon(
      class_counts_sensitivity(request.unit),
      privacy::Epsilon(request.epsilon->value() / static_cast<double>(stages_)));
}

Plan LpgNet::plan(const Request& request, const privacy::PublicFacts&) const {
  require_unit(request.unit);
  if (!request.unit.protects_anything()) return {};
  require_budget(request, "lpgnet");
  const privacy::GeometricMechanism counts = *mechanism(request);
  Plan plan{.event = privacy::repeated(counts.event(), stages_)};
  plan.assumptions = {"features and labels are public"};
  plan.numbers = {{"scale of the noise", fmt::format("{:.6f}", 1 / counts.rate().value())}};
  return plan;
}

tensor::Matrix LpgNet::stage_rows(const Request& request, const privacy::ProtectedDataset& data,
                                  const tensor::Matrix& before, const tensor::Matrix& scores,
                                  std::uint64_t stage, Run& run) const {
  const std::size_t nodes = scores.rows();
  const std::size_t kinds = scores.columns();
  const std::vector<std::int32_t> classes = predicted(scores);
  std::vector<std::int64_t> counts;
  if (const std::optional<privacy::GeometricMechanism> noise = mechanism(request)) {
    const privacy::Secret<std::vector<std::int64_t>> secret =
        data.graph.secret().map(&class_counts, classes, std::uint64_t{kinds});
    counts = noise->release(secret, nodes * kinds,
                            fmt::format("neighbours of each predicted class, stage {}", stage), run.log,
                            run.noise);
  } else {
    counts = class_counts(data.graph.visible(), classes, kinds);
  }
  const std::unique_ptr<RandomStream> coins = run.noise.fork("empty counts", stage);
  tensor::Matrix rows(nodes, before.columns() + 2 * kinds);
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::span<float> row = rows.row(i);
    if (stage > 1) std::ranges::copy(before.row(i), row.begin());
    std::ranges::copy(scores.row(i), row.subspan(before.columns()).begin());
    add_counts(std::span(counts).subspan(i * kinds, kinds), *coins, row.last(kinds));
  }
  return rows;
}

Fit LpgNet::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  Fit fit;
  fit.model.features = data.facts.features;
  fit.model.classes = data.facts.classes;
  tensor::Matrix told;
  tensor::Matrix answer;
  for (std::uint64_t stage = 0; stage <= stages_; ++stage) {
    graph::Features rows = data.features.visible();
    if (stage > 0) rows = told = stage_rows(request, data, told, answer, stage, run);
    const nn::Network net =
        network(inputs_of(stage, data.facts.features, data.facts.classes), data.facts.classes);
    const auto examples = [&](graph::Role role) {
      return nn::examples_of(rows, data.labels.visible(), data.facts.split.nodes(role));
    };
    const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", stage);
    const std::unique_ptr<RandomStream> order = run.stream.fork("order", stage);
    const nn::TrainingResult result =
        nn::Trainer(net, training_.trainer_options(fmt::format("perceptron {}", stage)))
            .fit(examples(graph::Role::train), examples(graph::Role::validation),
                 net.initial_parameters(*weights), *order);
    fit.epochs += result.epochs;
    fit.validation_accuracy = result.validation_accuracy;
    if (stage == stages_) tell_validation_loss(result, fit);
    store(net, result.parameters, prefix(stage), fit.model);
    answer = nn::outputs_of(net, result.parameters, nn::all_rows(rows));
  }
  fit.model.tensors.push_back({kScores, std::move(answer)});
  gate_.ask(request, data, run, fit);
  return fit;
}

privacy::Guarded<tensor::Matrix> LpgNet::scores(const Model& model,
                                                const privacy::ProtectedDataset& data) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  return privacy::Guarded<tensor::Matrix>::public_value(
      model.tensor(kScores, data.facts.nodes, model.classes));
}

Plan LpgNet::inference_plan(const Request& request, const Model& model,
                            const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  if (gate_is_closed(model)) return {};
  // A model that does not fit is refused before anything is paid.
  for (std::uint64_t stage = 0; stage <= stages_; ++stage)
    (void)restore(network(inputs_of(stage, model.features, model.classes), model.classes), prefix(stage),
                  model);
  return plan(request, facts);
}

privacy::Guarded<tensor::Matrix> LpgNet::infer(const Request& request, const Model& model,
                                               const privacy::ProtectedDataset& data, Run& run) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  tensor::Matrix told;
  tensor::Matrix answer;
  for (std::uint64_t stage = 0; stage <= stages_; ++stage) {
    graph::Features rows = data.features.visible();
    if (stage > 0) rows = told = stage_rows(request, data, told, answer, stage, run);
    const nn::Network net = network(inputs_of(stage, model.features, model.classes), model.classes);
    answer = nn::outputs_of(net, restore(net, prefix(stage), model), nn::all_rows(rows));
  }
  return privacy::Guarded<tensor::Matrix>::public_value(std::move(answer));
}

}  // namespace privet::methods
