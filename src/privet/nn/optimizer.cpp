#include "privet/nn/optimizer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

namespace privet::nn {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 15;

}  // namespace

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
  const auto factor = static_cast<float>(scale);
  const auto decay = static_cast<float>(options_.weight_decay);
  if (options_.kind == OptimizerOptions::Kind::sgd) {
    const auto momentum = static_cast<float>(options_.momentum);
    const auto step_size = static_cast<float>(rate);
    parallel_for(parameters.size(), kPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        float direction = gradient[i] * factor + decay * parameters[i];
        if (momentum > 0) direction = first_[i] = momentum * first_[i] + direction;
        parameters[i] -= step_size * direction;
      }
    });
    return;
  }
  const auto beta1 = static_cast<float>(options_.beta1);
  const auto beta2 = static_cast<float>(options_.beta2);
  const auto count = static_cast<double>(done_);
  const auto step_size = static_cast<float>(rate / (1 - std::pow(options_.beta1, count)));
  const auto unbias = static_cast<float>(1 / std::sqrt(1 - std::pow(options_.beta2, count)));
  const auto stability = static_cast<float>(options_.stability);
  parallel_for(parameters.size(), kPiece, [&](std::size_t begin, std::size_t end) {
    const float* g = gradient.data();
    float* p = parameters.data();
    float* m = first_.data();
    float* v = second_.data();
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
      const float direction = g[i] * factor + decay * p[i];
      m[i] = beta1 * m[i] + (1 - beta1) * direction;
      v[i] = beta2 * v[i] + (1 - beta2) * direction * direction;
      p[i] -= step_size * m[i] / (std::sqrt(v[i]) * unbias + stability);
    }
  });
}

OptimizerOptions::Kind parse_optimizer(const std::string& name) {
  if (name == "sgd") return OptimizerOptions::Kind::sgd;
  if (name == "adam") return OptimizerOptions::Kind::adam;
  throw InvalidArgument(
      {.what = fmt::format("no optimiser '{}'", name), .where = "optimizer", .expected = "sgd or adam"});
}

}  // namespace privet::nn
