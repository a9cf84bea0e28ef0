#include "privet/learn/vote_combiner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/minimize.hpp"
#include "privet/base/parallel.hpp"
#include "privet/learn/tied_votes.hpp"
#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kHidden = 32;
constexpr std::size_t kAveraged = 3;

// [v, tanh v, softmax 2v] of each block.
tensor::Matrix features_of(const tensor::Matrix& votes, double scale, std::size_t blocks) {
  const std::size_t width = votes.columns() / blocks;
  tensor::Matrix all(votes.rows(), 3 * votes.columns());
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::span<const float> in = votes.row(i).subspan(block * width, width);
      const std::span<float> out = all.row(i).subspan(3 * block * width, 3 * width);
      double largest = -std::numeric_limits<double>::infinity();
      for (const float vote : in) largest = std::max(largest, scale * static_cast<double>(vote));
      double sum = 0;
      for (const float vote : in) sum += std::exp(2 * (scale * static_cast<double>(vote) - largest));
      for (std::size_t c = 0; c < width; ++c) {
        const double vote = scale * static_cast<double>(in[c]);
        out[c] = static_cast<float>(vote);
        out[width + c] = static_cast<float>(std::tanh(vote));
        out[2 * width + c] = static_cast<float>(std::exp(2 * (vote - largest)) / sum);
      }
    }
  }
  return all;
}

tensor::Matrix rows_of(const tensor::Matrix& matrix, std::span<const graph::NodeId> rows) {
  tensor::Matrix picked(rows.size(), matrix.columns());
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(matrix.row(rows[i]), picked.row(i).begin());
  return picked;
}

tensor::Matrix side_by_side(const tensor::Matrix& left, const tensor::Matrix& right) {
  tensor::Matrix both(left.rows(), left.columns() + right.columns());
  for (std::size_t i = 0; i < both.rows(); ++i) {
    std::ranges::copy(left.row(i), both.row(i).begin());
    std::ranges::copy(right.row(i), both.row(i).subspan(left.columns()).begin());
  }
  return both;
}

std::vector<double> losses_of(const tensor::Matrix& scores, std::span<const std::int32_t> labels) {
  std::vector<double> losses;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::span<const float> row = scores.row(i);
    const auto largest = static_cast<double>(*std::ranges::max_element(row));
    double sum = 0;
    for (const float score : row) sum += std::exp(static_cast<double>(score) - largest);
    losses.push_back(std::log(sum) + largest - static_cast<double>(row[static_cast<std::size_t>(labels[i])]));
  }
  return losses;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// What a candidate may learn.
struct Shape {
  bool matrix;  // B is any matrix, not a multiple of the identity
  bool hidden;  // a small network beside
  double ridge;
};

// Penalised cross-entropy of the rows as a function of all weights in one vector:
//   a, [D], M, b, [U, c, W]:  scores = P (a I + D) + F M + b + tanh([P F] U + c) W.
class Fitting {
 public:
  Fitting(const tensor::Matrix& prior, const tensor::Matrix& features, std::vector<std::int32_t> labels,
          const Shape& shape)
      : prior_(prior),
        features_(features),
        labels_(std::move(labels)),
        shape_(shape),
        classes_(prior.columns()),
        weights_(size()),
        scores_(prior.rows(), classes_),
        errors_(prior.rows(), classes_),
        losses_(prior.rows()) {
    if (!shape.hidden) return;
    inputs_ = side_by_side(prior, features);
    hidden_ = tensor::Matrix(prior.rows(), kHidden);
    hidden_errors_ = tensor::Matrix(prior.rows(), kHidden);
  }

  [[nodiscard]] std::vector<double> start(RandomStream& stream) const {
    std::vector<double> x(size(), 0);
    x[0] = 0.5;
    if (shape_.hidden) {
      const double width = std::sqrt(3.0 / static_cast<double>(inputs_.columns()));
      for (std::size_t i = 0; i < inputs_.columns() * kHidden; ++i)
        x[hidden_at() + i] = width * (2 * stream.uniform() - 1);
    }
    return x;
  }

  double operator()(std::span<const double> x, std::span<double> gradient) {
    std::ranges::transform(x, weights_.begin(), [](double value) { return static_cast<float>(value); });
    forward();
    tensor::softmax_cross_entropy(scores_, labels_, errors_, losses_);
    double loss = 0;
    for (const float one : losses_) loss += static_cast<double>(one);
    const double share = 1 / static_cast<double>(labels_.size());
    std::vector<float>& slopes = slopes_;
    slopes.assign(size(), 0.0F);
    backward(slopes);
    double penalty = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double ridge = i == 0 ? 0 : shape_.ridge;
      penalty += ridge * x[i] * x[i] / 2;
      gradient[i] = share * static_cast<double>(slopes[i]) + ridge * x[i];
    }
    return loss * share + penalty;
  }

  [[nodiscard]] Combiner combiner(std::span<const double> x) const {
    const auto matrix = [&](std::size_t at, std::size_t rows, std::size_t columns) {
      tensor::Matrix values(rows, columns);
      std::ranges::transform(x.subspan(at, rows * columns), values.values().begin(),
                             [](double value) { return static_cast<float>(value); });
      return values;
    };
    Combiner result;
    result.prior_weights = shape_.matrix ? matrix(1, classes_, classes_) : tensor::Matrix(classes_, classes_);
    for (std::size_t c = 0; c < classes_; ++c) result.prior_weights(c, c) += static_cast<float>(x[0]);
    result.vote_weights = matrix(votes_at(), features_.columns(), classes_);
    result.offsets = matrix(offsets_at(), 1, classes_);
    if (shape_.hidden) {
      result.hidden_weights = matrix(hidden_at(), inputs_.columns(), kHidden);
      result.hidden_offsets = matrix(hidden_at() + inputs_.columns() * kHidden, 1, kHidden);
      result.output_weights = matrix(output_at(), kHidden, classes_);
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t votes_at() const { return 1 + (shape_.matrix ? classes_ * classes_ : 0); }
  [[nodiscard]] std::size_t offsets_at() const { return votes_at() + features_.columns() * classes_; }
  [[nodiscard]] std::size_t hidden_at() const { return offsets_at() + classes_; }
  [[nodiscard]] std::size_t output_at() const {
    return hidden_at() + (prior_.columns() + features_.columns() + 1) * kHidden;
  }
  [[nodiscard]] std::size_t size() const {
    return shape_.hidden ? output_at() + kHidden * classes_ : hidden_at();
  }
  [[nodiscard]] tensor::ConstMatrixView weight(std::size_t at, std::size_t rows, std::size_t columns) const {
    return {weights_.data() + at, rows, columns};
  }
  static tensor::MatrixView slope(std::vector<float>& slopes, std::size_t at, std::size_t rows,
                                  std::size_t columns) {
    return {slopes.data() + at, rows, columns};
  }

  void forward() {
    const auto values = prior_.values();
    std::ranges::transform(values, scores_.values().begin(), [&](float p) { return weights_[0] * p; });
    if (shape_.matrix) tensor::product(prior_, weight(1, classes_, classes_), scores_, 1);
    if (features_.columns() > 0)
      tensor::product(features_, weight(votes_at(), features_.columns(), classes_), scores_, 1);
    tensor::add_to_rows(std::span(weights_).subspan(offsets_at(), classes_), scores_);
    if (!shape_.hidden) return;
    tensor::product(inputs_, weight(hidden_at(), inputs_.columns(), kHidden), hidden_);
    tensor::add_to_rows(std::span(weights_).subspan(hidden_at() + inputs_.columns() * kHidden, kHidden),
                        hidden_);
    tensor::activate(tensor::Activation::tanh, hidden_, hidden_);
    tensor::product(hidden_, weight(output_at(), kHidden, classes_), scores_, 1);
  }

  void backward(std::vector<float>& slopes) {
    double of_scale = 0;
    for (std::size_t i = 0; i < prior_.size(); ++i)
      of_scale += static_cast<double>(prior_.values()[i]) * static_cast<double>(errors_.values()[i]);
    slopes[0] = static_cast<float>(of_scale);
    if (shape_.matrix) tensor::transposed_product(prior_, errors_, slope(slopes, 1, classes_, classes_));
    if (features_.columns() > 0)
      tensor::transposed_product(features_, errors_,
                                 slope(slopes, votes_at(), features_.columns(), classes_));
    tensor::add_column_sums(errors_, std::span(slopes).subspan(offsets_at(), classes_));
    if (!shape_.hidden) return;
    tensor::transposed_product(hidden_, errors_, slope(slopes, output_at(), kHidden, classes_));
    tensor::product_transposed(errors_, weight(output_at(), kHidden, classes_), hidden_errors_);
    tensor::activate_backward(tensor::Activation::tanh, hidden_, hidden_errors_);
    tensor::transposed_product(inputs_, hidden_errors_,
                               slope(slopes, hidden_at(), inputs_.columns(), kHidden));
    tensor::add_column_sums(hidden_errors_,
                            std::span(slopes).subspan(hidden_at() + inputs_.columns() * kHidden, kHidden));
  }

  const tensor::Matrix& prior_;
  const tensor::Matrix& features_;
  std::vector<std::int32_t> labels_;
  Shape shape_;
  std::size_t classes_;
  std::vector<float> weights_;
  std::vector<float> slopes_;
  tensor::Matrix scores_;
  tensor::Matrix errors_;
  std::vector<float> losses_;
  tensor::Matrix inputs_;
  tensor::Matrix hidden_;
  tensor::Matrix hidden_errors_;
};

// The prior alone, its logarithms multiplied by a number.
Combiner scaled_prior(std::size_t classes, double scale, std::string name) {
  Combiner combiner{.name = std::move(name)};
  combiner.prior_weights = tensor::Matrix(classes, classes);
  for (std::size_t c = 0; c < classes; ++c) combiner.prior_weights(c, c) = static_cast<float>(scale);
  combiner.vote_weights = tensor::Matrix(0, classes);
  combiner.offsets = tensor::Matrix(1, classes);
  return combiner;
}

std::vector<double> fitted(Fitting& fitting, RandomStream& stream) {
  return minimize(
      [&](std::span<const double> at, std::span<double> gradient) { return fitting(at, gradient); },
      fitting.start(stream), {.steps = 60});
}

// The votes without the prior, which a handful of training nodes may have got wrong.
Combiner votes_alone(const tensor::Matrix& features, const std::vector<std::int32_t>& labels,
                     std::size_t classes, RandomStream& stream) {
  const tensor::Matrix silent(features.rows(), classes);
  Fitting fitting(silent, features, labels, {.matrix = false, .hidden = false, .ridge = 1e-3});
  Combiner combiner = fitting.combiner(fitted(fitting, stream));
  combiner.name = "votes alone";
  combiner.uses_votes = true;
  combiner.prior_weights = tensor::Matrix(classes, classes);
  return combiner;
}

struct Candidate {
  Combiner combiner;
  bool whole = false;
  std::vector<double> losses = {};  // of the validation nodes
  double loss = 0;                  // their mean
};

// The average of the best few: choosing one of several by few validation nodes is mostly noise. Scores are
// linear in the weights here, so averaging these is averaging those.
Combiner average_of(const std::vector<const Candidate*>& best, std::string name) {
  Combiner average = best.front()->combiner;
  average.name = std::move(name);
  const auto add = [&](tensor::Matrix Combiner::*part) {
    std::span<float> sum = (average.*part).values();
    std::ranges::fill(sum, 0.0F);
    for (const Candidate* one : best) {
      const std::span<const float> values = (one->combiner.*part).values();
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i] / static_cast<float>(best.size());
    }
  };
  add(&Combiner::prior_weights);
  add(&Combiner::vote_weights);
  add(&Combiner::offsets);
  return average;
}

// 1 over the root mean square of the votes on the rows.
double scale_of(const tensor::Matrix& votes, std::span<const graph::NodeId> rows) {
  double squares = 0;
  for (const graph::NodeId node : rows) {
    for (const float vote : votes.row(node)) squares += static_cast<double>(vote) * static_cast<double>(vote);
  }
  const double size = static_cast<double>(rows.size() * votes.columns());
  return squares > 0 ? std::sqrt(size / squares) : 1;
}

}  // namespace

tensor::Matrix Combiner::scores(const tensor::Matrix& prior, const tensor::Matrix& votes) const {
  const tensor::Matrix features =
      uses_votes ? features_of(votes, vote_scale, blocks) : tensor::Matrix(prior.rows(), 0);
  tensor::Matrix result(prior.rows(), prior_weights.columns());
  tensor::product(prior, prior_weights, result);
  if (uses_votes) tensor::product(features, vote_weights, result, 1);
  tensor::add_to_rows(offsets.values(), result);
  if (hidden_weights.size() == 0) return result;
  tensor::Matrix hidden(prior.rows(), hidden_weights.columns());
  tensor::product(side_by_side(prior, features), hidden_weights, hidden);
  tensor::add_to_rows(hidden_offsets.values(), hidden);
  tensor::activate(tensor::Activation::tanh, hidden, hidden);
  tensor::product(hidden, output_weights, result, 1);
  return result;
}

Choice choose_combiner(const CombinerData& data, RandomStream& stream) {
  const std::size_t classes = data.prior.columns();
  const double scale = scale_of(data.votes, data.rows);
  const tensor::Matrix nothing(data.rows.size(), 0);
  const tensor::Matrix prior = rows_of(data.prior, data.rows);
  const tensor::Matrix features = features_of(rows_of(data.votes, data.rows), scale, data.blocks);
  std::vector<std::int32_t> labels;
  for (const graph::NodeId node : data.rows) labels.push_back(data.labels[node]);

  std::vector<Candidate> candidates;
  std::vector<Candidate> averages;
  for (const double factor : {0.2, 0.3, 0.5, 0.7, 1.0}) {
    candidates.push_back({scaled_prior(classes, factor, fmt::format("prior x {}", factor))});
    candidates.push_back({scaled_prior(classes, factor, fmt::format("single network x {}", factor)), true});
  }
  if (data.tied)
    candidates.push_back({tied_votes(prior, rows_of(data.votes, data.rows), data.blocks, scale, labels)});
  if (data.alone) {
    candidates.push_back({votes_alone(features, labels, classes, stream)});
    candidates.back().combiner.vote_scale = scale;
    candidates.back().combiner.blocks = data.blocks;
  }
  struct Job {
    Shape shape;
    bool votes;
    std::string name;
  };
  std::vector<Job> jobs;
  for (const bool votes : {false, true}) {
    for (const double ridge : {1e-3, 1e-2, 1e-1}) {
      const std::string with = fmt::format("{}, ridge {}", votes ? "votes" : "no votes", ridge);
      jobs.push_back({{.matrix = false, .hidden = false, .ridge = ridge}, votes, "offset, " + with});
      jobs.push_back({{.matrix = true, .hidden = false, .ridge = ridge}, votes, "matrix, " + with});
      if (ridge < 0.05)
        jobs.push_back({{.matrix = false, .hidden = true, .ridge = ridge}, votes, "network, " + with});
    }
  }
  std::vector<std::unique_ptr<RandomStream>> streams;
  for (std::size_t i = 0; i < jobs.size(); ++i) streams.push_back(stream.fork("combiner", i));
  const std::size_t simple = candidates.size();
  candidates.resize(simple + jobs.size());
  parallel_for(jobs.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Fitting fitting(prior, jobs[i].votes ? features : nothing, labels, jobs[i].shape);
      Combiner& combiner = candidates[simple + i].combiner;
      combiner = fitting.combiner(fitted(fitting, *streams[i]));
      combiner.name = jobs[i].name;
      combiner.uses_votes = jobs[i].votes;
      combiner.vote_scale = scale;
      combiner.blocks = data.blocks;
    }
  });

  const tensor::Matrix validation_prior = rows_of(data.prior, data.validation);
  const tensor::Matrix validation_whole = rows_of(data.whole_prior, data.validation);
  const tensor::Matrix validation_votes = rows_of(data.votes, data.validation);
  std::vector<std::int32_t> validation_labels;
  for (const graph::NodeId node : data.validation) validation_labels.push_back(data.labels[node]);
  const auto judge = [&](Candidate& candidate) {
    candidate.losses = losses_of(
        candidate.combiner.scores(candidate.whole ? validation_whole : validation_prior, validation_votes),
        validation_labels);
    candidate.loss = mean(candidate.losses);
  };
  for (Candidate& candidate : candidates) judge(candidate);
  for (const bool votes : {false, true}) {
    std::vector<const Candidate*> linear;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (jobs[i].votes == votes && !jobs[i].shape.hidden) linear.push_back(&candidates[simple + i]);
    }
    std::ranges::sort(linear, {}, &Candidate::loss);
    linear.resize(kAveraged);
    Candidate blend{average_of(linear, votes ? "linear, votes" : "linear, no votes")};
    judge(blend);
    averages.push_back(std::move(blend));
  }
  // The averages stand for the linear ones.
  const Candidate* best = &averages[1];
  const Candidate* best_without = &averages[0];
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    if (i >= simple && !jobs[i - simple].shape.hidden) continue;
    const Candidate*& place = candidate.combiner.uses_votes ? best : best_without;
    if (candidate.loss < place->loss) place = &candidate;
  }
  std::vector<Candidate> added;
  if (data.tied) {
    for (Combiner& combiner : with_votes_added(best_without->combiner, data.blocks, scale))
      added.push_back({std::move(combiner), best_without->whole});
    for (Candidate& candidate : added) {
      judge(candidate);
      if (candidate.loss < best->loss) best = &candidate;
    }
  }
  std::vector<double> gains(validation_labels.size());
  for (std::size_t i = 0; i < gains.size(); ++i) gains[i] = best_without->losses[i] - best->losses[i];
  const double gain = mean(gains);
  double squares = 0;
  for (const double one : gains) squares += (one - gain) * (one - gain);
  const auto count = static_cast<double>(gains.size());
  const double error = count > 1 ? std::sqrt(squares / (count - 1) / count) : 0;
  using Votes = CombinerData::Votes;
  const bool taken = data.when == Votes::taken || gain > (data.when == Votes::clearly_better ? error : 0);
  const Candidate& chosen = taken ? *best : *best_without;
  return {.combiner = chosen.combiner,
          .whole = chosen.whole,
          .without_votes = best_without->combiner.name,
          .gain = gain,
          .standard_error = error};
}

void store(const Combiner& combiner, const std::string& prefix, Model& model) {
  const auto keep = [&](const char* name, const tensor::Matrix& values) {
    if (values.size() > 0) model.tensors.push_back({prefix + name, values});
  };
  tensor::Matrix facts(1, 4);
  facts(0, 0) = combiner.uses_votes ? 1 : 0;
  facts(0, 1) = static_cast<float>(combiner.vote_scale);
  facts(0, 2) = static_cast<float>(combiner.blocks);
  facts(0, 3) = combiner.hidden_weights.size() > 0 ? 1 : 0;
  keep("facts", facts);
  keep("prior_weights", combiner.prior_weights);
  keep("vote_weights", combiner.vote_weights);
  keep("offsets", combiner.offsets);
  keep("hidden_weights", combiner.hidden_weights);
  keep("hidden_offsets", combiner.hidden_offsets);
  keep("output_weights", combiner.output_weights);
}

Combiner restore_combiner(const std::string& prefix, const Model& model, std::size_t vote_columns) {
  const tensor::Matrix& facts = model.tensor(prefix + "facts", 1, 4);
  Combiner combiner;
  combiner.uses_votes = facts(0, 0) != 0;
  combiner.vote_scale = static_cast<double>(facts(0, 1));
  combiner.blocks = static_cast<std::size_t>(std::clamp(facts(0, 2), 1.0F, 16.0F));
  if (vote_columns % combiner.blocks != 0)
    throw DataError({.what = fmt::format("{} blocks of votes", combiner.blocks), .where = "model"});
  combiner.prior_weights = model.tensor(prefix + "prior_weights", model.classes, model.classes);
  combiner.offsets = model.tensor(prefix + "offsets", 1, model.classes);
  const std::size_t features = combiner.uses_votes ? 3 * vote_columns : 0;
  combiner.vote_weights = combiner.uses_votes ? model.tensor(prefix + "vote_weights", features, model.classes)
                                              : tensor::Matrix(0, model.classes);
  if (facts(0, 3) == 0) return combiner;
  combiner.hidden_weights = model.tensor(prefix + "hidden_weights", model.classes + features, kHidden);
  combiner.hidden_offsets = model.tensor(prefix + "hidden_offsets", 1, kHidden);
  combiner.output_weights = model.tensor(prefix + "output_weights", kHidden, model.classes);
  return combiner;
}

}  // namespace privet::methods
