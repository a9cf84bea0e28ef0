#include "privet/audit/attacks/membership.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "privet/audit/attacks/target.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/split.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;

constexpr std::size_t kPublishedBatch = 64;
constexpr std::uint64_t kAttackEpochs = 100;
constexpr std::uint64_t kAttackBatch = 32;

std::size_t members_of_class(const std::string& data, std::size_t size) {
  static const std::map<std::string, std::size_t> kPublished = {
      {"cora", 90}, {"citeseer", 100}, {"pubmed", 1500}};
  const auto found = kPublished.find(data);
  return std::min(found == kPublished.end() ? size / 8 : found->second, size / 2);
}

graph::Features chosen_rows(const graph::Features& features, const std::vector<NodeId>& nodes) {
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    tensor::Matrix rows(nodes.size(), dense->columns());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      std::ranges::copy(dense->row(nodes[i]), rows.row(i).begin());
    return rows;
  }
  const auto& sparse = std::get<tensor::SparseMatrix>(features);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  tensor::AlignedVector<float> values;
  for (const NodeId node : nodes) {
    for (std::uint64_t e = sparse.offsets()[node]; e < sparse.offsets()[node + 1]; ++e) {
      columns.push_back(sparse.column_indices()[e]);
      values.push_back(sparse.value(e));
    }
    offsets.push_back(columns.size());
  }
  return tensor::SparseMatrix(nodes.size(), sparse.columns(), std::move(offsets), std::move(columns),
                              std::move(values));
}

// The data set among the nodes: node k of its graph is the k-th in ascending order, row k that of rows[k].
graph::Dataset among(const graph::Dataset& dataset, const std::vector<NodeId>& rows) {
  std::vector<NodeId> ascending = rows;
  std::ranges::sort(ascending);
  graph::Dataset part{.name = dataset.name,
                      .graph = dataset.graph.induced(ascending),
                      .directed_graph = {},
                      .features = chosen_rows(dataset.features, rows),
                      .labels = {},
                      .classes = dataset.classes,
                      .splits = {},
                      .class_names = dataset.class_names,
                      .node_names = {}};
  for (const NodeId node : rows) part.labels.push_back(dataset.labels[node]);
  return part;
}

graph::Split all_train(std::size_t nodes) {
  return {"members", std::vector<graph::Role>(nodes, graph::Role::train)};
}

struct Asked {
  std::vector<std::vector<float>> rows = {};  // posteriors
  std::vector<bool> member = {};
};

void append(const tensor::Matrix& scores, const std::vector<NodeId>& nodes, bool member, Asked& asked) {
  const std::vector<double> all = posteriors(scores);
  const std::size_t width = scores.columns();
  for (const NodeId node : nodes) {
    std::vector<float> row;
    for (std::size_t j = 0; j < width; ++j) row.push_back(static_cast<float>(all[node * width + j]));
    asked.rows.push_back(std::move(row));
    asked.member.push_back(member);
  }
}

Asked ask_clean(const methods::Method& method, const methods::Request& request, const graph::Dataset& dataset,
                const Cohort& cohort, const RandomStream& root) {
  methods::Model model;
  if (method.is_yardstick()) {
    std::vector<NodeId> ascending = cohort.members;
    std::ranges::sort(ascending);
    model = train_model(method, request, among(dataset, ascending), all_train(ascending.size()), root);
  } else {
    graph::Split split{"members", std::vector<graph::Role>(dataset.nodes(), graph::Role::none)};
    for (const NodeId node : cohort.members) split.roles[node] = graph::Role::train;
    model = train_model(method, request, dataset, split, root);
  }
  Asked asked;
  const tensor::Matrix scores = answers(method, model, dataset, request.unit);
  append(scores, cohort.members, true, asked);
  append(scores, cohort.others, false, asked);
  return asked;
}

Asked ask_as_published(const methods::Method& method, const methods::Request& request,
                       const graph::Dataset& dataset, const Cohort& cohort, const RandomStream& root) {
  const graph::Dataset scrambled = among(dataset, cohort.members);
  const methods::Model model = train_model(method, request, scrambled, all_train(scrambled.nodes()), root);
  std::vector<NodeId> every(scrambled.nodes());
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<NodeId>(i);
  Asked asked;
  append(answers(method, model, scrambled, request.unit), every, true, asked);
  append(answers(method, model, dataset, request.unit), cohort.others, false, asked);
  return asked;
}

nn::Examples examples_from(const Asked& asked) {
  tensor::Matrix rows(asked.rows.size(), asked.rows.front().size());
  nn::Examples examples;
  for (std::size_t i = 0; i < asked.rows.size(); ++i) {
    std::ranges::copy(asked.rows[i], rows.row(i).begin());
    examples.labels.push_back(asked.member[i] ? 1 : 0);
  }
  examples.features = std::move(rows);
  return examples;
}

// How sure the attack network is of each to be a member, as the difference of its two scores.
std::vector<double> learnt_scores(const Asked& shadow, const Asked& target, const RandomStream& root) {
  const std::size_t inputs = shadow.rows.front().size();
  nn::Network network;
  network.add<nn::Linear>(inputs, 100U);
  network.add<nn::Activate>(100U, tensor::Activation::relu);
  network.add<nn::Linear>(100U, 50U);
  network.add<nn::Activate>(50U, tensor::Activation::relu);
  network.add<nn::Linear>(50U, 2U);
  nn::TrainerOptions options{
      .epochs = kAttackEpochs, .batch = kAttackBatch, .optimizer = {}, .label = "attack"};
  options.optimizer.learning_rate = 0.01;
  const std::unique_ptr<RandomStream> weights = root.fork("attack weights", 0);
  const std::unique_ptr<RandomStream> order = root.fork("attack order", 0);
  const nn::TrainingResult result = nn::Trainer(network, options)
                                        .fit(examples_from(shadow), {tensor::Matrix(0, inputs), {}},
                                             network.initial_parameters(*weights), *order);
  const nn::Examples asked = examples_from(target);
  const tensor::Matrix outputs = nn::outputs_of(network, result.parameters, nn::all_rows(asked.features));
  std::vector<double> scores;
  for (std::size_t i = 0; i < outputs.rows(); ++i)
    scores.push_back(static_cast<double>(outputs(i, 1)) - static_cast<double>(outputs(i, 0)));
  return scores;
}

AttackResult published(const methods::Method& method, const methods::Request& request,
                       const graph::Dataset& dataset, const Cohort& target, const Cohort& shadow,
                       const RandomStream& root) {
  const Asked learnt = ask_as_published(method, request, dataset, shadow, *root.fork("published shadow", 0));
  const Asked asked = ask_as_published(method, request, dataset, target, *root.fork("published target", 0));
  const std::vector<double> scores = learnt_scores(learnt, asked, *root.fork("published attack", 0));
  std::vector<NodeId> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<NodeId>(i);
  graph::shuffle(order, *root.fork("published order", 0));
  std::vector<bool> guesses;
  std::vector<bool> truth;
  Scored hard;
  for (const NodeId i : order) {
    guesses.push_back(scores[i] > 0);
    truth.push_back(asked.member[i]);
    hard.add(scores[i] > 0 ? 1 : 0, asked.member[i]);
  }
  AttackResult result = AttackResult::of("gmia", "published", hard);
  result.note = fmt::format(
      "for comparison only: scrambled rows, members and others asked on different graphs, hard guesses; "
      "averaged over batches of {}: {:.3f}",
      kPublishedBatch, published_auroc(guesses, truth, kPublishedBatch));
  return result;
}

}  // namespace

std::pair<Cohort, Cohort> draw_cohorts(const graph::Dataset& dataset, RandomStream& stream) {
  std::pair<Cohort, Cohort> cohorts;
  std::vector<NodeId> left;
  for (std::size_t c = 0; c < dataset.classes; ++c) {
    std::vector<NodeId> nodes;
    for (NodeId i = 0; i < dataset.labels.size(); ++i) {
      if (dataset.labels[i] == static_cast<std::int32_t>(c)) nodes.push_back(i);
    }
    graph::shuffle(nodes, stream);
    const std::size_t each = members_of_class(dataset.name, nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      std::vector<NodeId>& to = k < each       ? cohorts.first.members
                                : k < 2 * each ? cohorts.second.members
                                               : left;
      to.push_back(nodes[k]);
    }
  }
  if (cohorts.first.members.empty()) {
    throw DataError({.what = "too few labelled nodes to draw members from",
                     .where = dataset.name,
                     .expected = "at least eight of a class"});
  }
  graph::shuffle(left, stream);
  for (std::size_t k = 0; k < std::min(left.size(), 2 * cohorts.first.members.size()); ++k)
    (k % 2 == 0 ? cohorts.first : cohorts.second).others.push_back(left[k]);
  return cohorts;
}

double published_auroc(const std::vector<bool>& guesses, const std::vector<bool>& truth, std::size_t batch) {
  double sum = 0;
  std::size_t batches = 0;
  for (std::size_t begin = 0; begin < guesses.size(); begin += batch) {
    Scored scored;
    for (std::size_t i = begin; i < std::min(begin + batch, guesses.size()); ++i)
      scored.add(guesses[i] ? 1 : 0, truth[i]);
    if (scored.present.empty() || scored.absent.empty()) continue;
    sum += measure_roc(scored).auc;
    ++batches;
  }
  return batches == 0 ? 0.5 : sum / static_cast<double>(batches);
}

std::vector<AttackResult> gmia(const methods::Method& method, const methods::Request& request,
                               const graph::Dataset& dataset, std::uint64_t shadows,
                               const RandomStream& root) {
  const auto [target, shadow] = draw_cohorts(dataset, *root.fork("cohorts", 0));
  const Asked asked = ask_clean(method, request, dataset, target, *root.fork("target", 0));
  // Shadows share nobody with the target's members, whom they are to tell about.
  std::vector<NodeId> pool = shadow.members;
  pool.insert(pool.end(), shadow.others.begin(), shadow.others.end());
  Asked learnt;
  for (std::uint64_t k = 0; k < shadows; ++k) {
    graph::shuffle(pool, *root.fork("shadow cohort", k));
    const auto half = static_cast<std::ptrdiff_t>(pool.size() / 2);
    const Cohort cohort{{pool.begin(), pool.begin() + half}, {pool.begin() + half, pool.end()}};
    const Asked one = ask_clean(method, request, dataset, cohort, *root.fork("shadow", k));
    learnt.rows.insert(learnt.rows.end(), one.rows.begin(), one.rows.end());
    learnt.member.insert(learnt.member.end(), one.member.begin(), one.member.end());
  }
  const std::vector<double> scores = learnt_scores(learnt, asked, *root.fork("attack", 0));
  Scored scored;
  for (std::size_t i = 0; i < scores.size(); ++i) scored.add(scores[i], asked.member[i]);
  std::vector<AttackResult> results = {AttackResult::of("gmia", "clean", scored)};
  results.back().note = method.is_yardstick()
                            ? "members' own graph in training, one graph for all questions"
                            : "a member is somebody whose label was used; one graph throughout";
  if (method.is_yardstick()) results.push_back(published(method, request, dataset, target, shadow, root));
  return results;
}

}  // namespace privet::audit
