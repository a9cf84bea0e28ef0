#include "privet/methods/released/released_graph.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/geometric.hpp"
#include "privet/core/mechanisms/noisy_count.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/nn/linear.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/propagate.hpp"

namespace privet::methods {
namespace {

const std::string kScores = "scores";
const std::string kNetwork = "network";  // which one has learnt the arrays
constexpr float kConstantsTravel = 2;    // 1 added constants behind every sum, in arrays of the same names

void require_this_network(const Model& model) {
  const auto found = std::ranges::find(model.tensors, kNetwork, &tensor::NamedMatrix::name);
  if (found != model.tensors.end() && found->values.size() == 1 && found->values(0, 0) == kConstantsTravel)
    return;
  throw DataError({.what = "the model has another network than this version of Privet",
                   .where = model.method,
                   .remedy = "train it again"});
}

struct Shape {
  std::uint64_t layers;
  std::uint64_t width;
  double dropout;
  bool loops;  // D'^-1/2 (A + I) D'^-1/2; else I + D^-1/2 A D^-1/2
};

class Convolutions final : public GraphMethod {
 public:
  Convolutions(const Shape& shape, const TrainingOptions& training) : shape_(shape) { training_ = training; }
  [[nodiscard]] std::string name() const override { return "gcn"; }
  [[nodiscard]] std::string summary() const override { return "graph convolutions on a released graph"; }
  [[nodiscard]] std::string reference() const override { return "Kipf and Welling 2017"; }

 protected:
  [[nodiscard]] nn::Network network(std::size_t inputs, std::size_t outputs) const override {
    nn::Network net;
    std::size_t width = inputs;
    for (std::uint64_t i = 0; i + 1 < shape_.layers; ++i) {
      convolution(net, width, shape_.width);
      net.add<nn::Activate>(shape_.width, tensor::Activation::relu);
      if (shape_.dropout > 0) net.add<nn::Dropout>(shape_.width, shape_.dropout, i);
      width = shape_.width;
    }
    convolution(net, width, outputs);
    return net;
  }
  [[nodiscard]] tensor::SparseMatrix adjacency(const graph::Graph& graph) const override {
    return shape_.loops ? graph::symmetric_with_loops(graph) : graph::identity_plus_symmetric(graph);
  }
  void declare(OptionTable&) override {}

 private:
  static void convolution(nn::Network& net, std::size_t inputs, std::size_t outputs) {
    net.add<nn::Linear>(inputs, outputs);
    net.add<nn::Propagate>(outputs);
  }

  Shape shape_;
};

bool undirected(const privacy::Unit& unit) { return !unit.changes_entries(); }

privacy::Sensitivity count_sensitivity(const privacy::Unit& unit) {
  return privacy::edge_count_sensitivity(unit, graph::Direction::undirected);
}

}  // namespace

ReleasedGraph::ReleasedGraph() {
  training_.epochs = 500;
  training_.learning_rate = 0.01;
  training_.weight_decay = 5e-4;
  training_.final_rate = 0;
}

void ReleasedGraph::declare_network(OptionTable& table) {
  table.add("layers", layers_, "convolutions", 1, 64);
  table.add("width", width_, "numbers between the layers", 1, 65536);
  table.add("dropout", dropout_, "share of the numbers behind a hidden layer set to 0 while training", 0.0,
            0.99);
  table.add("normalization", normalization_,
            "of the released graph: D^-1/2 (A + I) D^-1/2, or I + D^-1/2 A D^-1/2", {"loops", "identity"});
  table.add("epochs", training_.epochs, "steps, each over the whole graph", 1, 1000000);
  table.add("optimizer", training_.optimizer, "what turns gradients into steps", {"adam", "sgd"});
  table.add("learning_rate", training_.learning_rate, "size of a step", 1e-9, 1e3);
  table.add("weight_decay", training_.weight_decay, "pull of the weights towards 0", 0.0, 1e3);
  table.add("final_rate", training_.final_rate, "share of the learning rate left at the last step", 0.0, 1.0);
  training_.declare_selection(table);
  gate_.declare(table);
}

std::unique_ptr<GraphMethod> ReleasedGraph::network() const {
  return std::make_unique<Convolutions>(
      Shape{.layers = layers_, .width = width_, .dropout = dropout_, .loops = normalization_ == "loops"},
      training_);
}

bool ReleasedGraph::requires_privacy(const Request& request) const {
  require_unit(request.unit);
  if (!request.unit.protects_anything()) return false;
  const std::vector<std::string> served = units();
  require_budget(request, name(),
                 std::ranges::find(served, "none") != served.end() ? "the unit none"
                                                                   : "the method gcn with the unit none");
  return true;
}

Fit ReleasedGraph::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  Released released = release(request, data, run, nullptr);
  const privacy::ProtectedDataset noisy = behind_release(data, released);
  const std::unique_ptr<GraphMethod> inner = network();
  Fit fit = inner->fit(request, noisy, run);
  fit.model.features = noisy.facts.features;
  fit.model.classes = data.facts.classes;
  tensor::Matrix shown = inner->scores(fit.model, noisy).visible();
  fit.model.features = data.facts.features;
  fit.model.tensors.push_back({kScores, std::move(shown)});
  fit.model.tensors.push_back({kNetwork, tensor::Matrix(1, 1)});
  fit.model.tensors.back().values(0, 0) = kConstantsTravel;
  std::ranges::move(released.tensors, std::back_inserter(fit.model.tensors));
  if (request.wants_privacy() && !released.rows) hand_out(std::move(released.graph), fit.model);
  gate_.ask(request, data, run, fit);
  return fit;
}

privacy::Guarded<tensor::Matrix> ReleasedGraph::scores(const Model& model,
                                                       const privacy::ProtectedDataset& data) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  return privacy::Guarded<tensor::Matrix>::public_value(
      model.tensor(kScores, data.facts.nodes, model.classes));
}

Plan ReleasedGraph::inference_plan(const Request& request, const Model& model,
                                   const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  if (gate_is_closed(model)) return {};
  require_this_network(model);
  return plan(request, facts);
}

privacy::Guarded<tensor::Matrix> ReleasedGraph::infer(const Request& request, const Model& model,
                                                      const privacy::ProtectedDataset& data, Run& run) const {
  if (auto plain = scores_behind_gate(model, data)) return *std::move(plain);
  const privacy::ProtectedDataset noisy = behind_release(data, release(request, data, run, &model));
  Model wide = model;
  wide.features = noisy.facts.features;
  return network()->scores(wide, noisy);
}

std::optional<MessagePassing> ReleasedGraph::message_passing(const Model& model,
                                                             const graph::Graph& graph) const {
  if (gate_is_closed(model)) return {};
  require_this_network(model);
  return network()->message_passing(model, graph);
}

std::optional<graph::Graph> ReleasedGraph::released_graph(const Request& request,
                                                          const privacy::ProtectedDataset& data,
                                                          Run& run) const {
  Released released = release(request, data, run, nullptr);
  if (released.rows) return {};
  return std::move(released.graph);
}

graph::Features beside_features(const graph::Features& features, const tensor::Matrix& rows) {
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    tensor::Matrix all(dense->rows(), dense->columns() + rows.columns());
    for (std::size_t i = 0; i < all.rows(); ++i)
      std::ranges::copy(rows.row(i), std::ranges::copy(dense->row(i), all.row(i).begin()).out);
    return all;
  }
  const auto& sparse = std::get<tensor::SparseMatrix>(features);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  tensor::AlignedVector<float> values;
  for (std::size_t i = 0; i < sparse.rows(); ++i) {
    for (std::uint64_t k = sparse.offsets()[i]; k < sparse.offsets()[i + 1]; ++k) {
      columns.push_back(sparse.column_indices()[k]);
      values.push_back(sparse.value(k));
    }
    for (std::size_t j = 0; j < rows.columns(); ++j) {
      columns.push_back(static_cast<std::uint32_t>(sparse.columns() + j));
      values.push_back(rows(i, j));
    }
    offsets.push_back(columns.size());
  }
  return tensor::SparseMatrix(sparse.rows(), sparse.columns() + rows.columns(), std::move(offsets),
                              std::move(columns), std::move(values));
}

privacy::ProtectedDataset behind_release(const privacy::ProtectedDataset& data, const Released& released) {
  privacy::PublicFacts facts = data.facts;
  graph::Features features = data.features.visible();
  if (released.rows) {
    features = beside_features(features, *released.rows);
    facts.features += released.rows->columns();
  }
  return {.unit = privacy::Unit::none(),
          .facts = std::move(facts),
          .graph = privacy::Guarded<graph::Graph>::public_value(released.graph),
          .features = privacy::Guarded<graph::Features>::public_value(std::move(features)),
          .labels = privacy::Guarded<std::vector<std::int32_t>>::public_value(data.labels.visible())};
}

std::uint64_t released_edge_count(const privacy::ProtectedDataset& data, const privacy::Unit& unit,
                                  std::optional<double> epsilon, Run& run) {
  if (!epsilon) return data.graph.visible().edges();
  const bool pairs = undirected(unit);
  const privacy::Secret<std::int64_t> count =
      pairs ? data.graph.secret().map(
                  [](const graph::Graph& graph) { return static_cast<std::int64_t>(graph.edges()); })
            : data.graph.secret().map([](const graph::Graph& graph) {
                return static_cast<std::int64_t>(graph.stored_entries());
              });
  const std::int64_t noisy = privacy::noisy_count(count, count_sensitivity(unit), privacy::Epsilon(*epsilon),
                                                  "number of edges", run.log, run.noise);
  const auto nodes = static_cast<double>(data.facts.nodes);
  const double places = nodes * (nodes - 1) / (pairs ? 2 : 1);
  return static_cast<std::uint64_t>(std::clamp(static_cast<double>(noisy), 0.0, places));
}

privacy::Event edge_count_event(const privacy::Unit& unit, double epsilon) {
  return privacy::GeometricMechanism::with_epsilon(count_sensitivity(unit), privacy::Epsilon(epsilon))
      .event();
}

}  // namespace privet::methods
