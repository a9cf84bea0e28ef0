#include "privet/methods/caribou/caribou_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <variant>

#include "privet/base/error.hpp"
#include "privet/core/contractive_layer.hpp"
#include "privet/graph/split.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/learn/vote_combiner.hpp"
#include "privet/learn/vote_rows.hpp"
#include "privet/methods/caribou/caribou_published.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

constexpr double kFloor = 1e-3;     // of a probability before its logarithm
constexpr std::size_t kBlocks = 2;  // the state, and its rows scaled to norm 1
const std::string kState = "state";
const std::string kLayer = "layer";  // hops, contraction, floor
const std::string kWhole = "combiner.whole_prior";
const std::string kCombiner = "combiner.";

// Many columns for few nodes: the network would learn the training nodes by heart.
FoldOptions tuned_prior(const CaribouOptions& options, const privacy::PublicFacts& facts) {
  FoldOptions tuned = options.prior;
  if (options.tuning == "auto")
    tuned.shape.dropout = 4 * facts.features > facts.count(graph::Role::train) ? 0.8 : 0.5;
  return tuned;
}

// Rows that have a column for each class.
bool tells_classes(const CaribouOptions& options) {
  return options.rows == "probabilities" || options.rows == "labels";
}

// Rows that have nothing of a node's own label in them, which every node of every graph has.
bool is_honest(const CaribouOptions& options) {
  return options.rows == "probabilities" || options.rows == "features";
}

// A node whose own label is in its row - told, or learnt by heart by an encoder - hears itself in every hop,
// and whoever learns from it how far to trust a state would trust it too much. So some of the training nodes
// only listen: the combiner is fitted to those.
struct Parts {
  std::vector<graph::NodeId> listening;
  std::vector<graph::NodeId> speaking;
};

Parts parts_of(const CaribouOptions& options, const privacy::PublicFacts& facts, RandomStream& stream) {
  std::vector<graph::NodeId> training = facts.split.nodes(graph::Role::train);
  if (is_honest(options)) return {training, training};
  graph::shuffle(training, stream);
  const auto count = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::ceil(options.listening_share * static_cast<double>(training.size()))), 1,
      std::max<std::size_t>(1, training.size() - 1));
  const auto middle = training.begin() + static_cast<std::ptrdiff_t>(count);
  Parts parts{{training.begin(), middle}, {middle, training.end()}};
  std::ranges::sort(parts.listening);
  std::ranges::sort(parts.speaking);
  return parts;
}

// Rows of norm 1 of a network that learns the classes of the speaking nodes.
tensor::Matrix embedding_rows(const CaribouOptions& options, const std::vector<graph::NodeId>& speaking,
                              const privacy::ProtectedDataset& data, RandomStream& stream) {
  const graph::Features& features = data.features.visible();
  const std::vector<std::int32_t>& labels = data.labels.visible();
  DenseShape shape = tuned_prior(options, data.facts).shape;
  const auto trunk_of = [&] {
    nn::Network network = dense_network(shape, data.facts.features, options.columns);
    network.add<nn::NormalizeRows>(options.columns);
    return network;
  };
  nn::Network network = trunk_of();
  network.add<nn::Activate>(options.columns, parse_activation(shape.activation));
  network.add<nn::Linear>(options.columns, data.facts.classes);
  nn::Parameters parameters =
      nn::Trainer(network, options.prior.training.trainer_options("encoder"))
          .fit(nn::examples_of(features, labels, speaking),
               nn::examples_of(features, labels, data.facts.split.nodes(graph::Role::validation)),
               network.initial_parameters(*stream.fork("weights", 0)), *stream.fork("order", 0))
          .parameters;
  // The trunk is the beginning of the network, and so are its numbers.
  const nn::Network trunk = trunk_of();
  parameters.learnt.resize(trunk.parameters());
  parameters.statistics.resize(trunk.statistics());
  return nn::outputs_of(trunk, parameters, nn::all_rows(features));
}

// The features as they are, of norm 1: whoever has none is silent.
tensor::Matrix feature_rows(const graph::Features& features) {
  tensor::Matrix rows;
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    rows = *dense;
  } else {
    const auto& sparse = std::get<tensor::SparseMatrix>(features);
    rows = tensor::Matrix(sparse.rows(), sparse.columns());
    for (std::size_t i = 0; i < sparse.rows(); ++i)
      for (std::uint64_t k = sparse.offsets()[i]; k < sparse.offsets()[i + 1]; ++k)
        rows(i, sparse.column_indices()[k]) = sparse.value(k);
  }
  tensor::normalize_rows_l2(rows, rows);
  return rows;
}

// What most nodes say says nothing: the middle of every column is taken off the rows of those that tell no
// label, for each network's judgements by themselves. Somebody without features of its own is then silent,
// instead of drowning what comes from far away.
void take_off_medians(const std::vector<std::uint32_t>& judged_by, const std::vector<bool>& tell,
                      tensor::Matrix& rows) {
  std::vector<std::vector<std::size_t>> groups(1 + *std::ranges::max_element(judged_by));
  for (std::size_t i = 0; i < rows.rows(); ++i)
    if (!tell[i]) groups[judged_by[i]].push_back(i);
  std::vector<float> column;
  for (const std::vector<std::size_t>& group : groups) {
    if (group.empty()) continue;
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      column.clear();
      for (const std::size_t i : group) column.push_back(rows(i, j));
      const auto middle = column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2);
      std::ranges::nth_element(column, middle);
      for (const std::size_t i : group) rows(i, j) -= *middle;
    }
  }
}

tensor::Matrix start_rows(const CaribouOptions& options, const Parts& parts, const FoldPrior& prior,
                          const tensor::Matrix& log_prior, const privacy::ProtectedDataset& data,
                          RandomStream& stream) {
  if (options.rows == "embedding") return embedding_rows(options, parts.speaking, data, stream);
  if (options.rows == "features") return feature_rows(data.features.visible());
  std::vector<bool> tell(data.facts.nodes, false);
  if (options.rows == "labels")
    for (const graph::NodeId node : parts.speaking) tell[node] = true;
  tensor::Matrix rows = vote_rows(log_prior, data.labels.visible(), tell);
  take_off_medians(prior.fold_of, tell, rows);
  return rows;
}

tensor::Matrix last_state(const CaribouPlan& plan, const Request& request,
                          const privacy::ProtectedDataset& data, const tensor::Matrix& start, Run& run) {
  if (!data.graph.is_secret()) {
    return privacy::contractive_states(privacy::layer_graph(data.graph.visible(), plan.layer, request.unit),
                                       plan.layer, plan.hops, start, {}, run.noise);
  }
  const std::string what = plan.released();
  if (plan.iteration) return plan.iteration->release(data.graph.secret(), start, what, run.log, run.noise);
  const auto degrees =
      privacy::declassify(data.graph.secret().map([](const graph::Graph& graph) {
        const PublishedDegrees found = degrees_of(graph);
        return std::pair(found.least, found.most);
      }),
                          "smallest degree of the graph", "Theorem 4 sizes the noise by it", run.log);
  return published_iteration(plan, request.unit, data.facts, {degrees.first, degrees.second})
      .release(data.graph.secret(), start, what, run.log, run.noise);
}

// Of a public graph nothing was drowned in noise: what is better on validation labels is better.
CombinerData::Votes votes_when(const Request& request, const privacy::ProtectedDataset& data) {
  if (request.rigor == privacy::Rigor::kPaper) return CombinerData::Votes::taken;
  return data.graph.is_secret() ? CombinerData::Votes::clearly_better : CombinerData::Votes::better;
}

void scale_to_mean_square_one(tensor::Matrix& matrix) {
  double squares = 0;
  for (const float value : matrix.values())
    squares += static_cast<double>(value) * static_cast<double>(value);
  if (squares == 0) return;
  const double scale = std::sqrt(static_cast<double>(matrix.size()) / squares);
  for (float& value : matrix.values()) value = static_cast<float>(static_cast<double>(value) * scale);
}

// What was heard: the state without the node's own residual, and beside it the same with rows of equal
// length, in which a whisper from far away counts as much as a neighbour's word.
tensor::Matrix heard_rows(const tensor::Matrix& state, const tensor::Matrix& start, double residual) {
  const std::size_t columns = state.columns();
  tensor::Matrix heard = state;
  for (std::size_t i = 0; i < state.rows(); ++i)
    for (std::size_t j = 0; j < columns; ++j)
      heard(i, j) -= static_cast<float>(residual * static_cast<double>(start(i, j)));
  tensor::Matrix level = heard;
  tensor::normalize_rows_l2(level, level);
  scale_to_mean_square_one(heard);
  scale_to_mean_square_one(level);
  tensor::Matrix both(state.rows(), kBlocks * columns);
  for (std::size_t i = 0; i < both.rows(); ++i) {
    std::ranges::copy(heard.row(i), both.row(i).begin());
    std::ranges::copy(level.row(i), both.row(i).subspan(columns).begin());
  }
  return both;
}

}  // namespace

Fit fit_caribou_edges(const CaribouOptions& options, const Request& request,
                      const privacy::ProtectedDataset& data, Run& run) {
  const CaribouPlan plan = caribou_plan(options, request, data.facts);
  const std::vector<std::int32_t>& labels = data.labels.visible();
  const graph::Features& features = data.features.visible();
  const std::unique_ptr<RandomStream> prior_stream = run.stream.fork("prior", 0);
  const std::unique_ptr<RandomStream> rows_stream = run.stream.fork("rows", 0);
  const std::unique_ptr<RandomStream> combiner_stream = run.stream.fork("combiner", 0);
  const std::shared_ptr<const FoldPrior> prior =
      remembered_folds(tuned_prior(options, data.facts), features, labels, data.facts.classes,
                       data.facts.split, *prior_stream);
  const tensor::Matrix log_prior = prior->log_probabilities(features, kFloor);
  const tensor::Matrix whole_prior = prior->whole_log_probabilities(features, kFloor);
  const Parts parts = parts_of(options, data.facts, *rows_stream);
  tensor::Matrix start = start_rows(options, parts, *prior, log_prior, data, *rows_stream);
  tensor::project_rows(start, 1);
  const tensor::Matrix heard =
      heard_rows(last_state(plan, request, data, start, run), start, plan.layer.residual);
  const CombinerRows on = combiner_rows(parts.listening, data.facts.split, *combiner_stream);
  const Choice choice = choose_combiner({.prior = log_prior,
                                         .whole_prior = whole_prior,
                                         .votes = heard,
                                         .blocks = kBlocks,
                                         .labels = labels,
                                         .rows = on.to_fit,
                                         .validation = on.to_choose,
                                         .tied = tells_classes(options),
                                         .alone = !tells_classes(options),
                                         .when = votes_when(request, data)},
                                        *combiner_stream);
  Fit fit{.epochs = options.prior.training.epochs};
  fit.findings = {
      {"combiner", choice.combiner.name},
      {"best without the graph", choice.without_votes},
      {"gain in validation loss", fmt::format("{:.4f} +- {:.4f}", choice.gain, choice.standard_error)}};
  if (votes_when(request, data) == CombinerData::Votes::clearly_better)
    tell_who_answers(choice.combiner.uses_votes, kNoBetter, fit);
  const tensor::Matrix scores = choice.combiner.scores(choice.whole ? whole_prior : log_prior, heard);
  std::vector<std::int32_t> counted(labels.size(), graph::kUnlabeled);
  for (const graph::NodeId node : on.to_choose) counted[node] = labels[node];
  fit.validation_accuracy = nn::accuracy(scores, counted);
  store(*prior, fit.model);
  fit.model.tensors.push_back({kState, heard});
  tensor::Matrix layer(1, 3);
  layer(0, 0) = static_cast<float>(plan.hops);
  layer(0, 1) = static_cast<float>(plan.layer.contraction);
  layer(0, 2) = static_cast<float>(plan.layer.bound);
  fit.model.tensors.push_back({kLayer, std::move(layer)});
  store(choice.combiner, kCombiner, fit.model);
  tensor::Matrix whole(1, 1);
  whole(0, 0) = choice.whole ? 1 : 0;
  fit.model.tensors.push_back({kWhole, std::move(whole)});
  return fit;
}

namespace {

tensor::Matrix prior_of(const FoldPrior& prior, const Model& model, const graph::Features& features) {
  const bool whole = model.tensor(kWhole, 1, 1)(0, 0) != 0;
  return whole ? prior.whole_log_probabilities(features, kFloor) : prior.log_probabilities(features, kFloor);
}

// The combiner has learnt to read the state of one layer: what `auto` chose for the model's own graph and
// budget stays.
CaribouOptions as_trained(const CaribouOptions& options, const Model& model) {
  const tensor::Matrix& layer = model.tensor(kLayer, 1, 3);
  CaribouOptions fixed = options;
  fixed.hops = fmt::format("{:.0f}", layer(0, 0));
  fixed.contraction = fmt::format("{}", layer(0, 1));
  fixed.floor = fmt::format("{:.0f}", layer(0, 2));
  return fixed;
}

}  // namespace

tensor::Matrix caribou_edge_scores(const CaribouOptions& options, const Model& model,
                                   const privacy::ProtectedDataset& data) {
  const std::size_t nodes = data.facts.nodes;
  const std::size_t columns = told_columns(options, model.classes, model.features);
  const FoldPrior prior = restore_folds(options.prior, model, nodes);
  const tensor::Matrix& heard = model.tensor(kState, nodes, kBlocks * columns);
  const Combiner combiner = restore_combiner(kCombiner, model, heard.columns());
  return combiner.scores(prior_of(prior, model, data.features.visible()), heard);
}

std::optional<CaribouPlan> caribou_edges_elsewhere(const CaribouOptions& options, const Request& request,
                                                   const Model& model, const privacy::PublicFacts& facts) {
  const bool people = request.unit.protects_labels() || privacy::Unit::parse(model.unit).protects_labels();
  if (people || !is_honest(options) || request.rigor == privacy::Rigor::kPaper) {
    throw InvalidArgument(
        {.what = people ? "the last state of protected people can't be carried over to another graph"
                 : !is_honest(options)
                     ? fmt::format("nobody in another graph can tell rows of {}", options.rows)
                     : "the published code has no way to apply a model to another graph",
         .where = facts.data,
         .expected =
             "a model of rows=probabilities or features under none, edge or directed-edge, and strict rigor",
         .remedy = "train on this graph: it costs one release, as predicting would; or use gap, whose models "
                   "apply to other graphs"});
  }
  const std::size_t heard = kBlocks * told_columns(options, model.classes, model.features);
  if (!restore_combiner(kCombiner, model, heard).uses_votes) return {};
  return caribou_plan(as_trained(options, model), request, facts);
}

tensor::Matrix caribou_edge_scores_elsewhere(const CaribouOptions& options, const Request& request,
                                             const Model& model, const privacy::ProtectedDataset& data,
                                             Run& run) {
  const std::size_t nodes = data.facts.nodes;
  const FoldPrior prior = restore_folds_elsewhere(options.prior, model, nodes);
  const graph::Features& features = data.features.visible();
  tensor::Matrix heard(nodes, kBlocks * told_columns(options, model.classes, model.features));
  const Combiner combiner = restore_combiner(kCombiner, model, heard.columns());
  if (const std::optional<CaribouPlan> plan = caribou_edges_elsewhere(options, request, model, data.facts)) {
    tensor::Matrix start =
        start_rows(options, {}, prior, prior.log_probabilities(features, kFloor), data, run.stream);
    tensor::project_rows(start, 1);
    heard = heard_rows(last_state(*plan, request, data, start, run), start, plan->layer.residual);
  }
  return combiner.scores(prior_of(prior, model, features), heard);
}

}  // namespace privet::methods
