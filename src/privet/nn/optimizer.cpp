#include "privet/nn/optimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"
#include "privet/tensor/update.hpp"

namespace privet::nn {
Optimizer::Optimizer(const OptimizerOptions& options, std::size_t parameters, std::uint64_t steps)
    : options_(options), steps_(steps) {
  const bool adam = options.kind == OptimizerOptions::Kind::adam;
  if (adam || options.momentum > 0) first_.resize(parameters);
  if (adam) second_.resize(parameters);
}

void Optimizer::step(std::span<const float> gradient, double scale, std::span<float> parameters) {
  const double progress =
      steps_ > 1 ? static_cast<double>(std::min(done_, steps_ - 1)) / static_cast<double>(steps_ - 1) : 0;
  const double rate = options_.learning_rate * (1 + (options_.final_share - 1) * progress);
  ++done_;
  if (options_.kind == OptimizerOptions::Kind::sgd) {
    tensor::descend({.rate = static_cast<float>(rate),
                     .scale = static_cast<float>(scale),
                     .decay = static_cast<float>(options_.weight_decay),
                     .momentum = static_cast<float>(options_.momentum)},
                    gradient, first_, parameters);
    return;
  }
  const auto count = static_cast<double>(done_);
  tensor::descend(
      tensor::AdamStep{.rate = static_cast<float>(rate / (1 - std::pow(options_.beta1, count))),
                       .scale = static_cast<float>(scale),
                       .decay = static_cast<float>(options_.weight_decay),
                       .beta1 = static_cast<float>(options_.beta1),
                       .beta2 = static_cast<float>(options_.beta2),
                       .unbias = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, count))),
                       .stability = static_cast<float>(options_.stability)},
      gradient, first_, second_, parameters);
}

OptimizerOptions::Kind parse_optimizer(const std::string& name) {
  if (name == "sgd") return OptimizerOptions::Kind::sgd;
  if (name == "adam") return OptimizerOptions::Kind::adam;
  throw InvalidArgument(
      {.what = fmt::format("no optimiser '{}'", name), .where = "optimizer", .expected = "sgd or adam"});
}

}  // namespace privet::nn
