#include "privet/methods/lists/learnt_weights.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "privet/graph/normalize.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/message_passing.hpp"
#include "privet/nn/optimizer.hpp"

namespace privet::methods {
namespace {

// Sends along a stored graph and remembers what was sent, forth and back.
class Recorder final : public nn::AdjacencyMap {
 public:
  explicit Recorder(nn::Propagation along) : along_(std::move(along)) {}

  [[nodiscard]] std::size_t nodes() const override { return along_.forward.rows(); }
  void multiply(tensor::ConstMatrixView x, tensor::MatrixView out) const override {
    sent_.push_back(copied(x));
    nn::send(along_, x, out);
  }
  void multiply_transposed(tensor::ConstMatrixView x, tensor::MatrixView out) const override {
    errors_.insert(errors_.begin(), copied(x));
    nn::send_back(along_, x, out);
  }
  [[nodiscard]] const std::vector<tensor::Matrix>& sent() const { return sent_; }
  [[nodiscard]] const std::vector<tensor::Matrix>& errors() const { return errors_; }

 private:
  static tensor::Matrix copied(tensor::ConstMatrixView x) {
    tensor::Matrix copy(x.rows, x.columns);
    for (std::size_t i = 0; i < x.rows; ++i) std::ranges::copy(x.row(i), copy.row(i).begin());
    return copy;
  }

  nn::Propagation along_;
  mutable std::vector<tensor::Matrix> sent_;
  mutable std::vector<tensor::Matrix> errors_;
};

tensor::SparseMatrix with_values(const tensor::SparseMatrix& pattern, tensor::AlignedVector<float> values) {
  return {pattern.rows(),
          pattern.columns(),
          {pattern.offsets().begin(), pattern.offsets().end()},
          {pattern.column_indices().begin(), pattern.column_indices().end()},
          std::move(values)};
}

// Where entry (j, i) is, for every entry (i, j) of a symmetric pattern.
std::vector<std::size_t> mirrors(const tensor::SparseMatrix& pattern) {
  std::vector<std::size_t> other(pattern.entries());
  std::vector<std::uint64_t> next(pattern.offsets().begin(), pattern.offsets().end() - 1);
  for (std::size_t i = 0; i < pattern.rows(); ++i) {
    for (std::uint64_t e = pattern.offsets()[i]; e < pattern.offsets()[i + 1]; ++e)
      other[e] = next[pattern.column_indices()[e]]++;
  }
  return other;
}

// Adds what the two penalties pull.
void add_penalties(std::span<const float> weights, const WeightLearning& learning,
                   std::span<float> gradient) {
  double squares = 0;
  for (const float weight : weights) squares += std::pow(static_cast<double>(weight) - 1, 2);
  const double distance = std::sqrt(squares);
  for (std::size_t e = 0; e < weights.size(); ++e) {
    const auto weight = static_cast<double>(weights[e]);
    const double sign = weight > 0 ? 1 : (weight < 0 ? -1 : 0);
    const double pull = distance > 0 ? learning.closeness * (weight - 1) / distance : 0;
    gradient[e] += static_cast<float>(pull + learning.sparsity * sign);
  }
}

}  // namespace

std::vector<float> weight_gradient(const tensor::SparseMatrix& weights, bool convolution,
                                   const std::vector<tensor::Matrix>& sent,
                                   const std::vector<tensor::Matrix>& errors) {
  const std::size_t n = weights.rows();
  // Of the scaled entry (i, j), before scaling.
  const auto slope = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < errors.size(); ++k) {
      const auto error = errors[k].row(i);
      const auto row = sent[sent.size() - errors.size() + k].row(j);
      for (std::size_t a = 0; a < row.size(); ++a)
        sum += static_cast<double>(error[a]) * static_cast<double>(row[a]);
    }
    return sum;
  };
  std::vector<double> degree(n, convolution ? 1.0 : 0.0);
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint64_t e = weights.offsets()[i]; e < weights.offsets()[i + 1]; ++e)
      degree[i] += static_cast<double>(weights.value(e));
    const double counted = std::max(1.0, degree[i]);
    scale[i] = convolution ? 1 / std::sqrt(counted) : 1 / counted;
  }
  std::vector<double> slopes(weights.entries());
  std::vector<double> of_scale(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (convolution) of_scale[i] += 2 * slope(i, i) * scale[i];
    for (std::uint64_t e = weights.offsets()[i]; e < weights.offsets()[i + 1]; ++e) {
      const std::uint32_t j = weights.column_indices()[e];
      const auto weight = static_cast<double>(weights.value(e));
      slopes[e] = slope(i, j);
      of_scale[i] += slopes[e] * weight * (convolution ? scale[j] : 1);
      if (convolution) of_scale[j] += slopes[e] * weight * scale[i];
    }
  }
  std::vector<float> gradient(weights.entries());
  for (std::size_t i = 0; i < n; ++i) {
    // The derivative of d^-1/2 is -d^-3/2 / 2, that of 1/d -1/d^2.
    const double shift = degree[i] <= 1 ? 0
                                        : of_scale[i] * (convolution ? -0.5 * scale[i] * scale[i] * scale[i]
                                                                     : -scale[i] * scale[i]);
    for (std::uint64_t e = weights.offsets()[i]; e < weights.offsets()[i + 1]; ++e) {
      const double other = convolution ? scale[weights.column_indices()[e]] : 1;
      gradient[e] = static_cast<float>(slopes[e] * scale[i] * other + shift);
    }
  }
  return gradient;
}

tensor::SparseMatrix learn_weights(const graph::Graph& graph, const graph::Features& features,
                                   std::size_t classes, const std::vector<std::int32_t>& labels,
                                   const Backbone& backbone, const TrainingOptions& training,
                                   const WeightLearning& learning, RandomStream& stream) {
  const nn::Input input = nn::all_rows(features);
  const nn::Network network = backbone.network(input.columns(), classes);
  nn::Parameters parameters = network.initial_parameters(stream);
  const tensor::SparseMatrix pattern = graph::plain_adjacency(graph);
  const bool tied = learning.bounded && graph.direction() == graph::Direction::undirected;
  const std::vector<std::size_t> mirror = tied ? mirrors(pattern) : std::vector<std::size_t>();
  tensor::AlignedVector<float> weights(pattern.entries(), 1.0F);
  const auto examples =
      static_cast<double>(std::ranges::count_if(labels, [](std::int32_t label) { return label >= 0; }));
  nn::Optimizer for_network(training.optimizer_options(), network.parameters(), learning.epochs);
  nn::Optimizer for_weights({.learning_rate = learning.rate}, weights.size(), learning.epochs);
  tensor::AlignedVector<float> gradient(network.parameters());
  std::vector<float> losses(labels.size());
  nn::Tape tape;
  for (std::uint64_t epoch = 1; epoch <= learning.epochs; ++epoch) {
    const tensor::SparseMatrix now = with_values(pattern, weights);
    const auto recorder = std::make_shared<Recorder>(backbone.propagation({.weights = now}));
    const nn::Propagation propagation(recorder);
    const nn::Pass pass{.training = true, .seed = stream.bits(), .propagation = &propagation};
    const tensor::ConstMatrixView logits = network.forward(pass, parameters, input, tape);
    tensor::softmax_cross_entropy(logits, labels, network.output_error(pass, input, tape), losses);
    network.backward(pass, parameters, input, tape);
    if (epoch % 2 == 1) {
      network.gradient(pass, parameters, input, tape, gradient);
      for_network.step(gradient, 1 / examples, parameters.learnt);
      continue;
    }
    std::vector<float> step =
        weight_gradient(now, backbone.kind == "gcn", recorder->sent(), recorder->errors());
    for (float& one : step) one = static_cast<float>(static_cast<double>(one) / examples);
    add_penalties(weights, learning, step);
    std::vector<float> both = step;
    for (std::size_t e = 0; e < mirror.size(); ++e) both[e] = (step[e] + step[mirror[e]]) / 2;
    for_weights.step(both, 1, weights);
    if (!learning.bounded) continue;
    for (float& one : weights) one = std::clamp(one, 0.0F, 1.0F);
  }
  return with_values(pattern, std::move(weights));
}

}  // namespace privet::methods
