#include "privet/nn/optimizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"

namespace privet::nn {
namespace {

constexpr std::size_t kParameters = 37;
constexpr std::uint64_t kSteps = 20;
constexpr double kScale = 0.125;

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
  SeededStream stream(seed);
  std::vector<float> all(count);
  for (float& value : all) value = static_cast<float>(stream.uniform() * 2 - 1);
  return all;
}

// One parameter's way in double precision: from its gradient (scaled) and itself to its change.
struct State {
  double first = 0;
  double second = 0;
};
using Rule = std::function<double(double gradient, double parameter, std::uint64_t step, State& state)>;

void expect_follows(const OptimizerOptions& options, const Rule& rule) {
  Optimizer optimizer(options, kParameters, kSteps);
  std::vector<float> parameters = numbers(kParameters, 1);
  std::vector<double> expected(parameters.begin(), parameters.end());
  std::vector<State> states(kParameters);
  for (std::uint64_t t = 0; t < kSteps; ++t) {
    EXPECT_EQ(optimizer.steps_done(), t);
    const std::vector<float> gradient = numbers(kParameters, 100 + t);
    optimizer.step(gradient, kScale, parameters);
    for (std::size_t i = 0; i < kParameters; ++i)
      expected[i] += rule(static_cast<double>(gradient[i]) * kScale, expected[i], t, states[i]);
    for (std::size_t i = 0; i < kParameters; ++i)
      ASSERT_NEAR(static_cast<double>(parameters[i]), expected[i], 2e-6) << "step " << t;
  }
}

TEST(Optimizer, GradientDescent) {
  expect_follows({.kind = OptimizerOptions::Kind::sgd, .learning_rate = 0.3},
                 [](double g, double, std::uint64_t, State&) { return -0.3 * g; });
}

TEST(Optimizer, GradientDescentWithMomentumAndDecay) {
  expect_follows(
      {.kind = OptimizerOptions::Kind::sgd, .learning_rate = 0.3, .weight_decay = 0.05, .momentum = 0.9},
      [](double g, double p, std::uint64_t, State& state) {
        state.first = 0.9 * state.first + g + 0.05 * p;
        return -0.3 * state.first;
      });
}

TEST(Optimizer, RateFallsInAStraightLine) {
  expect_follows({.kind = OptimizerOptions::Kind::sgd, .learning_rate = 0.3, .final_share = 0.1},
                 [](double g, double, std::uint64_t t, State&) {
                   return -(0.3 + (0.03 - 0.3) * static_cast<double>(t) / 19) * g;
                 });
}

// Kingma and Ba, algorithm 1.
TEST(Optimizer, Adam) {
  for (const double decay : {0.0, 0.05}) {
    for (const double final_share : {1.0, 0.2}) {
      expect_follows({.learning_rate = 0.02,
                      .weight_decay = decay,
                      .beta1 = 0.85,
                      .beta2 = 0.99,
                      .stability = 0.01,
                      .final_share = final_share},
                     [&](double g, double p, std::uint64_t t, State& state) {
                       const double direction = g + decay * p;
                       const auto count = static_cast<double>(t + 1);
                       state.first = 0.85 * state.first + 0.15 * direction;
                       state.second = 0.99 * state.second + 0.01 * direction * direction;
                       const double mean = state.first / (1 - std::pow(0.85, count));
                       const double square = state.second / (1 - std::pow(0.99, count));
                       const double rate = 0.02 * (1 + (final_share - 1) * static_cast<double>(t) / 19);
                       return -rate * mean / (std::sqrt(square) + 0.01);
                     });
    }
  }
}

TEST(Optimizer, AZeroGradientMovesNothing) {
  for (const auto kind : {OptimizerOptions::Kind::sgd, OptimizerOptions::Kind::adam}) {
    Optimizer optimizer({.kind = kind, .momentum = 0.5}, 3, 1);
    std::vector<float> parameters = {1, 2, 3};
    optimizer.step(std::vector<float>(3), 1, parameters);
    EXPECT_EQ(parameters, (std::vector<float>{1, 2, 3}));
  }
}

TEST(Optimizer, KeepsItsLastRateBeyondThePlannedSteps) {
  Optimizer optimizer({.kind = OptimizerOptions::Kind::sgd, .learning_rate = 1, .final_share = 0.5}, 1, 2);
  std::vector<float> parameter = {0};
  for (int i = 0; i < 3; ++i) optimizer.step(std::vector<float>{1}, 1, parameter);
  EXPECT_FLOAT_EQ(parameter[0], -2.0F);
}

TEST(Optimizer, IsTheSameOnAnyNumberOfThreads) {
  const auto run = [](std::size_t threads) {
    set_thread_count(threads);
    constexpr std::size_t kMany = 100003;
    Optimizer optimizer({.weight_decay = 0.01}, kMany, 5);
    std::vector<float> parameters = numbers(kMany, 1);
    for (std::uint64_t t = 0; t < 5; ++t) optimizer.step(numbers(kMany, 100 + t), 1, parameters);
    return parameters;
  };
  const std::size_t threads = thread_count();
  const auto alone = run(1);
  const auto together = run(2);
  set_thread_count(threads);
  EXPECT_EQ(alone, together);
}

// Pieces that end where rows do are projected one by one, others together: the same bytes either way.
TEST(Optimizer, PiecesMakeTheSameStepAndRowsStayInTheirBall) {
  constexpr std::size_t kRows = 10;
  constexpr std::size_t kColumns = 4;
  constexpr std::size_t kCount = kRows * kColumns + 3;
  for (const auto kind : {OptimizerOptions::Kind::sgd, OptimizerOptions::Kind::adam}) {
    const OptimizerOptions options{
        .kind = kind, .learning_rate = 0.5, .ball = {.rows = kRows, .columns = kColumns, .radius = 0.7F}};
    for (const std::size_t piece : {4, 8, 43, 5}) {
      SCOPED_TRACE(piece);
      Optimizer at_once(options, kCount, 3);
      Optimizer in_pieces(options, kCount, 3);
      std::vector<float> expected(kCount, 0.1F);
      std::vector<float> parameters = expected;
      for (int step = 0; step < 3; ++step) {
        std::vector<float> gradient(kCount);
        for (std::size_t i = 0; i < kCount; ++i)
          gradient[i] = std::sin(static_cast<float>(i * 7 + static_cast<std::size_t>(step)));
        at_once.step(gradient, 1, expected);
        in_pieces.next_step(1);
        for (std::size_t first = 0; first < kCount; first += piece) {
          const std::size_t count = std::min(piece, kCount - first);
          in_pieces.step_piece(first, std::span(gradient).subspan(first, count), parameters);
        }
        in_pieces.end_step(parameters);
        EXPECT_EQ(parameters, expected);
        double longest = 0;
        for (std::size_t row = 0; row < kRows; ++row) {
          double square = 0;
          for (std::size_t j = 0; j < kColumns; ++j) {
            const auto value = static_cast<double>(expected[row * kColumns + j]);
            square += value * value;
          }
          longest = std::max(longest, std::sqrt(square));
        }
        EXPECT_NEAR(longest, 0.7, 1e-6);  // the steps are long enough to reach the ball's edge
      }
    }
  }
}

TEST(Optimizer, KnowsItsNames) {
  EXPECT_EQ(parse_optimizer("sgd"), OptimizerOptions::Kind::sgd);
  EXPECT_EQ(parse_optimizer("adam"), OptimizerOptions::Kind::adam);
  EXPECT_THROW((void)parse_optimizer("adma"), InvalidArgument);
}

}  // namespace
}  // namespace privet::nn
