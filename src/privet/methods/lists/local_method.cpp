#include "privet/methods/lists/local_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/learn/local_plan.hpp"
#include "privet/learn/remembered.hpp"
#include "privet/learn/report_sampler.hpp"
#include "privet/nn/column_softmax.hpp"
#include "privet/reports/collection.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

const std::string kScores = "scores";
const std::string kLabeller = "labeller.";
const std::string kNetwork = "network.";

const std::string kNothingAsked = "where nothing is protected";

// With this epsilon hardly a bit is flipped.
constexpr double kLargestBits = 27;

std::vector<std::int32_t> labels_of(const privacy::ProtectedDataset& data, graph::Role role) {
  std::vector<std::int32_t> labels = data.labels.visible();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (data.facts.split.roles[i] != role) labels[i] = graph::kUnlabeled;
  }
  return labels;
}

}  // namespace

LocalMethod::LocalMethod() {
  training_.epochs = 500;
  training_.learning_rate = 0.01;
  training_.weight_decay = 5e-4;
  training_.validate_every = 5;
}

OptionTable LocalMethod::options() {
  OptionTable table(name());
  declare(table);
  if (!always_one_end()) {
    table.add("asked", asked_,
              "which ends of a pair are asked about it; auto: one in strict rigor, else both",
              {"auto", "one", "both"});
  }
  backbone_.declare(table);
  table.add("epochs", training_.epochs, "steps, each over the whole graph", 1, 1000000);
  table.add("optimizer", training_.optimizer, "what turns gradients into steps", {"adam", "sgd"});
  table.add("learning_rate", training_.learning_rate, "size of a step", 1e-9, 1e3);
  table.add("weight_decay", training_.weight_decay, "pull of the weights towards 0", 0.0, 1e3);
  table.add("validate_every", training_.validate_every, "epochs between two looks at the validation nodes", 1,
            1000000);
  gate_.declare(table);
  return table;
}

std::vector<std::pair<std::string, std::string>> LocalMethod::unread_options(const Request& request) const {
  std::vector<std::pair<std::string, std::string>> unread;
  if (graph_ != "soft" && graph_ != "top")
    unread.emplace_back("softmax", "where the graph is neither soft nor top");
  if (!request.wants_privacy()) {
    for (const std::string& option : options_of_query()) unread.emplace_back(option, kNothingAsked);
    for (const char* option : {"asked", "gate"}) unread.emplace_back(option, kNothingAsked);
  } else if (request.rigor == privacy::Rigor::kPaper) {
    unread.emplace_back("gate", "in paper rigor");
  }
  return unread;
}

void LocalMethod::declare_graph(OptionTable& table) {
  table.add(
      "graph", graph_,
      "pairs above 1/2, all pairs weighted by their probability, drawn by it, or as many of the likeliest "
      "as expected, weighted",
      {"hard", "soft", "sampled", "top"});
  table.add("softmax", softmax_,
            "what the scores of a node compete with on soft and top graphs: its other classes, or those of "
            "other nodes for the same class, as in the published code",
            {"classes", "nodes"});
}

bool LocalMethod::compares_nodes() const {
  return softmax_ == "nodes" && (graph_ == "soft" || graph_ == "top");
}

nn::Network LocalMethod::network(std::size_t features, std::size_t classes) const {
  nn::Network net = backbone_.network(features, classes);
  if (compares_nodes()) net.add<nn::LogSoftmaxColumns>(classes);
  return net;
}

privacy::PairReports LocalMethod::asked(privacy::Rigor rigor) const {
  const bool one =
      always_one_end() || asked_ == "one" || (asked_ == "auto" && rigor == privacy::Rigor::kStrict);
  return one ? privacy::PairReports::one_end : privacy::PairReports::both_ends;
}

Plan LocalMethod::plan(const Request& request, const privacy::PublicFacts& facts) const {
  require_directions(request, facts);
  return plan_for(request, {.nodes = facts.nodes, .clusters = facts.classes});
}

// Two bits that are two reports of one edge would leave of directed edges those that go both ways.
void LocalMethod::require_directions(const Request& request, const privacy::PublicFacts& facts) const {
  if (!request.wants_privacy() || !facts.directed || keeps_directions() ||
      asked(request.rigor) == privacy::PairReports::one_end)
    return;
  throw InvalidArgument(
      {.what = fmt::format("{} takes what the two ends of a pair tell for two reports of one edge, and the "
                           "edges of {} are directed",
                           name(), facts.data),
       .where = "local reports",
       .expected = "undirected edges",
       .remedy = "asked=one, which hears of half of the edges that go one way; or rr with asked=both"});
}

Plan LocalMethod::plan_for(const Request& request, const Shape& shape) const {
  require_unit(request.unit);
  if (graph_ == "soft") backbone_.require_soft();
  if (!request.unit.protects_anything()) return {};
  require_budget(request, name());
  if (groups() == Groups::clusters) privacy::require_clusters(shape.clusters);
  const Budget each = budget(request.epsilon->value(), shape);
  const privacy::LocalQuery query =
      bare_query(std::min(each.bits, kLargestBits), each.degrees, asked(request.rigor));
  Plan plan = plan_of_query(query);
  plan.numbers.emplace_back(groups() == Groups::clusters ? "share of epsilon for neighbours by cluster"
                                                         : "share of epsilon for the degrees",
                            fmt::format("{:.4g}", each.degrees / (each.degrees + each.bits)));
  if (query.bits_epsilon > 0)
    plan.numbers.emplace_back("flip probability",
                              fmt::format("{:.6g}", privacy::LocalQuestion(query).flip_probability()));
  return plan;
}

nn::Network LocalMethod::labeller_network(std::size_t features, std::size_t classes) const {
  nn::Network network = dense_network(
      {.layers = 2, .width = backbone_.width, .activation = "relu", .dropout = backbone_.dropout}, features,
      classes);
  network.set_input_dropout(backbone_.dropout);
  return network;
}

bool LocalMethod::needs_labeller(const Request& request) const {
  return groups() == Groups::clusters && request.wants_privacy();
}

LocalMethod::Labeller LocalMethod::learn_labeller(const privacy::ProtectedDataset& data, Run& run) const {
  nn::Network network = labeller_network(data.facts.features, data.facts.classes);
  const auto train = [&] {
    const std::unique_ptr<RandomStream> weights = run.stream.fork("labeller weights", 0);
    const std::unique_ptr<RandomStream> order = run.stream.fork("labeller order", 0);
    const auto examples = [&](graph::Role role) {
      return nn::examples_of(data.features.visible(), data.labels.visible(), data.facts.split.nodes(role));
    };
    return nn::Trainer(network, training_.trainer_options("labels for the clusters"))
        .fit(examples(graph::Role::train), examples(graph::Role::validation),
             network.initial_parameters(*weights), *order)
        .parameters;
  };
  // The same for every budget and graph of a comparison, and for two methods.
  static Remembered<nn::Parameters> known;
  const std::string settings =
      fmt::format("labeller {} {}; {}", backbone_.width, backbone_.dropout, training_.text());
  nn::Parameters parameters = *known.get(PublicInputs().add(data).add(settings), run.stream, train);
  return {std::move(network), std::move(parameters)};
}

LocalMethod::Labeller LocalMethod::labeller_of(const Model& model) const {
  nn::Network network = labeller_network(model.features, model.classes);
  nn::Parameters parameters = restore(network, kLabeller, model);
  return {std::move(network), std::move(parameters)};
}

std::vector<std::uint32_t> LocalMethod::memberships(const privacy::ProtectedDataset& data,
                                                    const Labeller& labeller, privacy::Rigor rigor) const {
  tensor::Matrix rows =
      nn::outputs_of(labeller.network, labeller.parameters, nn::all_rows(data.features.visible()));
  if (temperature() > 0) {
    for (float& one : rows.values()) one /= static_cast<float>(temperature());
    tensor::softmax_rows(rows, rows);
  } else {
    std::vector<std::int32_t> largest(rows.rows());
    tensor::largest_column(rows, largest);
    std::ranges::fill(rows.values(), 0.0F);
    for (std::size_t i = 0; i < rows.rows(); ++i) rows(i, static_cast<std::size_t>(largest[i])) = 1;
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const graph::Role role = data.facts.split.roles[i];
    // A graph made with the labels of validation nodes would flatter itself on them, and the gate would
    // believe it.
    const bool known =
        role == graph::Role::train || (role == graph::Role::validation && rigor == privacy::Rigor::kPaper);
    if (!known) continue;
    std::ranges::fill(rows.row(i), 0.0F);
    rows(i, static_cast<std::size_t>(data.labels.visible()[i])) = 1;
  }
  return privacy::memberships_of(rows);
}

Reconstruction LocalMethod::release(const Request& request, const privacy::ProtectedDataset& data, Run& run,
                                    const Labeller* labeller) const {
  if (!request.unit.protects_anything()) {
    if (graph_ == "soft") return {.weights = graph::plain_adjacency(data.graph.visible())};
    return {.graph = data.graph.visible()};
  }
  const Shape shape{.nodes = data.facts.nodes,
                    .clusters = labeller != nullptr ? labeller->network.outputs() : 0};
  const Budget each = budget(request.epsilon->value(), shape);
  privacy::LocalQuery query{.nodes = data.facts.nodes,
                            .bits_epsilon = std::min(each.bits, kLargestBits),
                            .degrees_epsilon = each.degrees,
                            .asked = asked(request.rigor),
                            .pair_key = run.stream.fork("pairs", 0)->bits()};
  if (each.degrees > 0) {
    query.clusters = labeller != nullptr ? shape.clusters : 1;
    query.memberships = labeller != nullptr
                            ? memberships(data, *labeller, request.rigor)
                            : std::vector<std::uint32_t>(query.nodes, privacy::kMembershipSteps);
  }
  const privacy::LocalQuestion question(std::move(query));
  const Reports reports = reports_of(question.query(), question.query_digest(),
                                     privacy::collect(data.graph.secret(), question, run.log, run.noise));
  const std::unique_ptr<RandomStream> stream = run.noise.fork("reconstruction", 0);
  return reconstruct(request, question, reports, *stream);
}

Reconstruction LocalMethod::graph_of(LinkPosterior links, const RandomStream& stream) const {
  if (graph_ == "hard") return {.graph = links.hard()};
  if (graph_ == "sampled") return {.graph = links.sampled(stream)};
  if (graph_ == "top") return {.weights = links.top()};
  return {.links = std::make_shared<const LinkPosterior>(std::move(links))};
}

Reconstruction LocalMethod::refined(const Request&, Reconstruction reconstruction,
                                    const privacy::ProtectedDataset&, Run&) const {
  return reconstruction;
}

std::vector<std::int32_t> LocalMethod::training_labels(const privacy::ProtectedDataset& data) {
  return labels_of(data, graph::Role::train);
}

nn::TrainingResult LocalMethod::learn(const privacy::ProtectedDataset& data, Run& run,
                                      const nn::Network& network, const nn::Propagation& propagation) const {
  const std::unique_ptr<RandomStream> weights = run.stream.fork("weights", 0);
  const std::unique_ptr<RandomStream> masks = run.stream.fork("order", 0);
  nn::TrainerOptions options = training_.trainer_options(name());
  if (compares_nodes()) options.loss = nn::Loss::likelihood;
  return nn::Trainer(network, std::move(options))
      .fit_on_graph(data.features.visible(), propagation, training_labels(data),
                    labels_of(data, graph::Role::validation), network.initial_parameters(*weights), *masks);
}

std::shared_ptr<const nn::TrainingResult> LocalMethod::learn_without_edges(
    const privacy::ProtectedDataset& data, Run& run, const nn::Network& network) const {
  static Remembered<nn::TrainingResult> known;
  return known.get(PublicInputs().add(data).add(
                       fmt::format("{} {}; {}", backbone_.text(), compares_nodes(), training_.text())),
                   run.stream, [&] { return learn(data, run, network, without_edges(data.facts.nodes)); });
}

Fit LocalMethod::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  Fit fit;
  std::optional<Labeller> labeller;
  if (needs_labeller(request)) {
    labeller = learn_labeller(data, run);
    store(labeller->network, labeller->parameters, kLabeller, fit.model);
  }
  Reconstruction reconstruction =
      refined(request, release(request, data, run, labeller ? &*labeller : nullptr), data, run);
  if (reconstruction.graph)
    fit.findings.emplace_back("edges of the reconstructed graph",
                              fmt::format("{}", reconstruction.graph->edges()));
  const nn::Propagation propagation = backbone_.propagation(reconstruction);
  if (request.wants_privacy()) {
    if (data.facts.directed && asked(request.rigor) == privacy::PairReports::one_end)
      fit.findings.emplace_back("directed edges", "half of those that go one way are not heard of");
    if (reconstruction.graph)
      hand_out(*std::move(reconstruction.graph), fit.model);
    else
      fit.findings.emplace_back("released graph", "none is saved of edges with weights");
  }
  const nn::Network net = network(data.facts.features, data.facts.classes);
  const nn::TrainingResult result = learn(data, run, net, propagation);
  fit.epochs = result.epochs;
  fit.validation_accuracy = result.validation_accuracy;
  fit.model.features = data.facts.features;
  fit.model.classes = data.facts.classes;
  const nn::Propagation no_edges = without_edges(data.facts.nodes);
  std::shared_ptr<const nn::TrainingResult> bare;
  if (gate_.asks(request)) bare = learn_without_edges(data, run, net);
  const FeatureGate::Reads reads =
      gate_.ask(request, data, run, fit, bare ? bare->validation_accuracy : std::nullopt);
  const bool on_graph = reads != FeatureGate::Reads::alike;
  const nn::Parameters& kept = on_graph ? result.parameters : bare->parameters;
  store(net, kept, kNetwork, fit.model);
  fit.model.tensors.push_back({kScores, nn::outputs_of(net, kept, nn::all_rows(data.features.visible()),
                                                       on_graph ? &propagation : &no_edges)});
  return fit;
}

privacy::Guarded<tensor::Matrix> LocalMethod::scores(const Model& model,
                                                     const privacy::ProtectedDataset& data) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  return privacy::Guarded<tensor::Matrix>::public_value(
      model.tensor(kScores, data.facts.nodes, model.classes));
}

Plan LocalMethod::inference_plan(const Request& request, const Model& model,
                                 const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  if (gate_is_closed(model)) return {};
  require_directions(request, facts);
  if (needs_labeller(request)) (void)labeller_of(model);  // a DataError before anything is paid for
  return plan_for(request, {.nodes = facts.nodes, .clusters = model.classes});
}

nn::Propagation LocalMethod::without_edges(std::size_t nodes) const {
  return backbone_.propagation({.graph = graph::Graph(nodes, {}, graph::Direction::undirected, "no edges")});
}

nn::Propagation LocalMethod::propagation_of_release(const Request& request, const Model& model,
                                                    const privacy::ProtectedDataset& data, Run& run) const {
  std::optional<Labeller> labeller;
  if (needs_labeller(request)) labeller = labeller_of(model);
  return backbone_.propagation(release(request, data, run, labeller ? &*labeller : nullptr));
}

privacy::Guarded<tensor::Matrix> LocalMethod::infer(const Request& request, const Model& model,
                                                    const privacy::ProtectedDataset& data, Run& run) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  const nn::Propagation propagation = gate_is_closed(model)
                                          ? without_edges(data.facts.nodes)
                                          : propagation_of_release(request, model, data, run);
  const nn::Network net = network(model.features, model.classes);
  return privacy::Guarded<tensor::Matrix>::public_value(nn::outputs_of(
      net, restore(net, kNetwork, model), nn::all_rows(data.features.visible()), &propagation));
}

std::optional<graph::Graph> LocalMethod::released_graph(const Request& request,
                                                        const privacy::ProtectedDataset& data,
                                                        Run& run) const {
  if (graph_ == "soft" || graph_ == "top") return {};
  std::optional<Labeller> labeller;
  if (needs_labeller(request)) labeller = learn_labeller(data, run);
  return release(request, data, run, labeller ? &*labeller : nullptr).graph;
}

std::optional<AuditSampler> LocalMethod::audit_sampler(const Request& request,
                                                       const privacy::PublicFacts& facts,
                                                       const AuditPair&) const {
  if (!request.wants_privacy()) return {};
  const Budget each = budget(request.epsilon->value(), {.nodes = facts.nodes, .clusters = facts.classes});
  return local_report_sampler(std::min(each.bits, kLargestBits), each.degrees);
}

}  // namespace privet::methods
