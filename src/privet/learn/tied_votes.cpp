#include "privet/learn/tied_votes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "privet/base/minimize.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

constexpr double kRidge = 1e-3;

// Of [v, tanh v, softmax 2v] of each block, for each class its own column of v.
void tie(Combiner& combiner, std::size_t block, double factor) {
  const std::size_t classes = combiner.prior_weights.columns();
  for (std::size_t c = 0; c < classes; ++c)
    combiner.vote_weights(3 * block * classes + c, c) = static_cast<float>(factor);
}

}  // namespace

Combiner tied_votes(const tensor::Matrix& prior, const tensor::Matrix& votes, std::size_t blocks,
                    double vote_scale, const std::vector<std::int32_t>& labels) {
  const std::size_t rows = prior.rows();
  const std::size_t classes = prior.columns();
  if (votes.rows() != rows || votes.columns() != blocks * classes || labels.size() != rows)
    throw std::logic_error("tied votes need one column for every class and block");
  tensor::Matrix scores(rows, classes);
  tensor::Matrix errors(rows, classes);
  std::vector<float> losses(rows);
  // x: a, one factor for every block, one offset for every class.
  const auto loss_of = [&](std::span<const double> x, std::span<double> gradient) {
    const auto vote = [&](std::size_t i, std::size_t b, std::size_t c) {
      return vote_scale * static_cast<double>(votes(i, b * classes + c));
    };
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t c = 0; c < classes; ++c) {
        double score = x[0] * static_cast<double>(prior(i, c)) + x[1 + blocks + c];
        for (std::size_t b = 0; b < blocks; ++b) score += x[1 + b] * vote(i, b, c);
        scores(i, c) = static_cast<float>(score);
      }
    }
    tensor::softmax_cross_entropy(scores, labels, errors, losses);
    std::ranges::fill(gradient, 0.0);
    double loss = 0;
    const double share = 1 / static_cast<double>(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      loss += share * static_cast<double>(losses[i]);
      for (std::size_t c = 0; c < classes; ++c) {
        const double error = share * static_cast<double>(errors(i, c));
        gradient[0] += error * static_cast<double>(prior(i, c));
        for (std::size_t b = 0; b < blocks; ++b) gradient[1 + b] += error * vote(i, b, c);
        gradient[1 + blocks + c] += error;
      }
    }
    for (std::size_t k = 1; k < x.size(); ++k) {
      loss += kRidge * x[k] * x[k] / 2;
      gradient[k] += kRidge * x[k];
    }
    return loss;
  };
  std::vector<double> start(1 + blocks + classes, 0);
  start[0] = 0.5;
  const std::vector<double> x = minimize(loss_of, start, {.steps = 60});
  Combiner combiner{.name = "tied votes", .uses_votes = true, .vote_scale = vote_scale, .blocks = blocks};
  combiner.prior_weights = tensor::Matrix(classes, classes);
  combiner.vote_weights = tensor::Matrix(3 * blocks * classes, classes);
  combiner.offsets = tensor::Matrix(1, classes);
  for (std::size_t c = 0; c < classes; ++c) {
    combiner.prior_weights(c, c) = static_cast<float>(x[0]);
    combiner.offsets(0, c) = static_cast<float>(x[1 + blocks + c]);
  }
  for (std::size_t b = 0; b < blocks; ++b) tie(combiner, b, x[1 + b]);
  return combiner;
}

std::vector<Combiner> with_votes_added(const Combiner& plain, std::size_t blocks, double vote_scale) {
  std::vector<Combiner> all;
  for (std::size_t block = 0; block < blocks; ++block) {
    for (const double factor : {0.1, 0.2, 0.4, 0.8}) {
      Combiner combiner = plain;
      combiner.name = fmt::format("{} + {} x votes {}", plain.name, factor, block + 1);
      combiner.uses_votes = true;
      combiner.vote_scale = vote_scale;
      combiner.blocks = blocks;
      const std::size_t classes = plain.prior_weights.columns();
      combiner.vote_weights = tensor::Matrix(3 * blocks * classes, classes);
      tie(combiner, block, factor);
      if (plain.hidden_weights.size() > 0) {  // the network goes on reading the prior alone
        combiner.hidden_weights =
            tensor::Matrix(classes + combiner.vote_weights.rows(), plain.hidden_weights.columns());
        std::ranges::copy(plain.hidden_weights.values(), combiner.hidden_weights.values().begin());
      }
      all.push_back(std::move(combiner));
    }
  }
  return all;
}

}  // namespace privet::methods
