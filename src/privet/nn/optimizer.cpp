#include "privet/nn/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "privet/base/error.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::nn {
Optimizer::Optimizer(const OptimizerOptions& options, std::size_t parameters, std::uint64_t steps)
    : options_(options), steps_(steps) {
  if (options.ball.rows * options.ball.columns > parameters)
    throw std::logic_error("a ball for more rows than there are parameters");
  const bool adam = options.kind == OptimizerOptions::Kind::adam;
  if (adam || options.momentum > 0) first_.resize(parameters);
  if (adam) second_.resize(parameters);
}

void Optimizer::step(std::span<const float> gradient, double scale, std::span<float> parameters) {
  next_step(scale);
  step_piece(0, gradient, parameters);
  end_step(parameters);
}

void Optimizer::next_step(double scale) {
  const double progress =
      steps_ > 1 ? static_cast<double>(std::min(done_, steps_ - 1)) / static_cast<double>(steps_ - 1) : 0;
  const double rate = options_.learning_rate * (1 + (options_.final_share - 1) * progress);
  ++done_;
  if (options_.kind == OptimizerOptions::Kind::sgd) {
    step_ = tensor::DescentStep{.rate = static_cast<float>(rate),
                                .scale = static_cast<float>(scale),
                                .decay = static_cast<float>(options_.weight_decay),
                                .momentum = static_cast<float>(options_.momentum)};
    return;
  }
  const auto count = static_cast<double>(done_);
  step_ = tensor::AdamStep{.rate = static_cast<float>(rate / (1 - std::pow(options_.beta1, count))),
                           .scale = static_cast<float>(scale),
                           .decay = static_cast<float>(options_.weight_decay),
                           .beta1 = static_cast<float>(options_.beta1),
                           .beta2 = static_cast<float>(options_.beta2),
                           .unbias = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, count))),
                           .stability = static_cast<float>(options_.stability)};
}

void Optimizer::step_piece(std::size_t first, std::span<const float> gradient, std::span<float> parameters) {
  const auto own = [&](std::span<float> all) {
    return all.empty() ? all : all.subspan(first, gradient.size());
  };
  if (const auto* adam = std::get_if<tensor::AdamStep>(&step_)) {
    tensor::descend(*adam, gradient, own(first_), own(second_), own(parameters));
  } else {
    tensor::descend(std::get<tensor::DescentStep>(step_), gradient, own(first_), own(parameters));
  }
  const RowBall& ball = options_.ball;
  const std::size_t held = ball.rows * ball.columns;
  if (first >= held) return;
  const std::size_t count = std::min(gradient.size(), held - first);
  if (first % ball.columns != 0 || count % ball.columns != 0) {
    rows_were_cut_ = true;
    return;
  }
  tensor::project_rows({parameters.data() + first, count / ball.columns, ball.columns}, ball.radius);
}

void Optimizer::end_step(std::span<float> parameters) {
  const RowBall& ball = options_.ball;
  if (rows_were_cut_.exchange(false))
    tensor::project_rows({parameters.data(), ball.rows, ball.columns}, ball.radius);
}

OptimizerOptions::Kind parse_optimizer(const std::string& name) {
  if (name == "sgd") return OptimizerOptions::Kind::sgd;
  if (name == "adam") return OptimizerOptions::Kind::adam;
  throw InvalidArgument(
      {.what = fmt::format("no optimiser '{}'", name), .where = "optimizer", .expected = "sgd or adam"});
}

}  // namespace privet::nn
