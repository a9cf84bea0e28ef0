#include "privet/tensor/fill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "privet/base/error.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

constexpr std::size_t kDraws = 1000000;

using Fill = std::function<void(RandomStream&, std::span<float>)>;

void gaussian(RandomStream& stream, std::span<float> values) { fill_gaussian(stream, 2, values); }
void laplace(RandomStream& stream, std::span<float> values) { fill_laplace(stream, 3, values); }
void uniform(RandomStream& stream, std::span<float> values) { fill_uniform(stream, -1, 3, values); }

double gaussian_below(double x) { return std::erfc(-x / 2 / std::numbers::sqrt2) / 2; }
double laplace_below(double x) { return x < 0 ? std::exp(x / 3) / 2 : 1 - std::exp(-x / 3) / 2; }
double uniform_below(double x) { return std::clamp((x + 1) / 4, 0.0, 1.0); }

// Largest distance of the two distribution functions, times the root of the number of draws. By the
// inequality of Dvoretzky, Kiefer and Wolfowitz it is above 2.7 with probability below 2 exp(-2 * 2.7^2) =
// 1e-6, the false-alarm rate of each comparison.
constexpr double kFarApart = 2.7;

double distance(std::vector<float> values, double (*below)(double)) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double at = below(values[i]);
    most = std::max({most, at - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - at});
  }
  return most * std::sqrt(count);
}

std::vector<float> draw(const Fill& fill, std::uint64_t seed, std::size_t per_call) {
  SeededStream stream(seed);
  std::vector<float> values(kDraws);
  for (std::size_t i = 0; i < kDraws; i += per_call)
    fill(stream, std::span(values).subspan(i, std::min(per_call, kDraws - i)));
  return values;
}

TEST(Fill, HasTheRightLaw) {
  for (const std::size_t per_call : {std::size_t{63}, std::size_t{1000}, kDraws}) {  // few, blocks, pieces
    EXPECT_LT(distance(draw(gaussian, 1, per_call), gaussian_below), kFarApart);
    EXPECT_LT(distance(draw(laplace, 2, per_call), laplace_below), kFarApart);
    EXPECT_LT(distance(draw(uniform, 3, per_call), uniform_below), kFarApart);
  }
}

// Counts of rare events are within five standard deviations but for a probability of 6e-7 each.
TEST(Fill, HasTheRightTails) {
  const auto expect_count = [](std::size_t count, double probability) {
    const double mean = kDraws * probability;
    EXPECT_NEAR(static_cast<double>(count), mean, 5 * std::sqrt(mean));
  };
  const auto normal = draw(gaussian, 4, kDraws);
  const auto wide = draw(laplace, 5, kDraws);
  for (const double z : {3.0, 3.5, 4.0}) {
    expect_count(static_cast<std::size_t>(std::ranges::count_if(normal, [&](float x) { return x > 2 * z; })),
                 gaussian_below(-2 * z));
    expect_count(static_cast<std::size_t>(std::ranges::count_if(normal, [&](float x) { return x < -2 * z; })),
                 gaussian_below(-2 * z));
  }
  // And close to zero, where a coarse uniform number would leave gaps.
  expect_count(
      static_cast<std::size_t>(std::ranges::count_if(normal, [](float x) { return std::abs(x) < 2e-3F; })),
      1 - 2 * gaussian_below(-2e-3));
  for (const double z : {5.0, 8.0, 10.0}) {
    expect_count(static_cast<std::size_t>(std::ranges::count_if(wide, [&](float x) { return x > 3 * z; })),
                 laplace_below(-3 * z));
    expect_count(static_cast<std::size_t>(std::ranges::count_if(wide, [&](float x) { return x < -3 * z; })),
                 laplace_below(-3 * z));
  }
}

// Moments within five standard deviations of their estimates.
TEST(Fill, HasTheRightMoments) {
  const auto normal = draw(gaussian, 6, kDraws);
  double powers[5] = {};
  double neighbours = 0;
  double halves = 0;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double x = normal[i] / 2.0;
    for (int p = 1; p <= 4; ++p) powers[p] += std::pow(x, p) / kDraws;
    if (i + 1 < kDraws) neighbours += x * normal[i + 1] / 2 / kDraws;
    if (i + 512 < kDraws) halves += x * normal[i + 512] / 2 / kDraws;  // the two of a pair
  }
  const double error = 5 / std::sqrt(static_cast<double>(kDraws));
  EXPECT_NEAR(powers[1], 0, error);
  EXPECT_NEAR(powers[2], 1, error * std::sqrt(2.0));
  EXPECT_NEAR(powers[3], 0, error * std::sqrt(15.0));
  EXPECT_NEAR(powers[4], 3, error * std::sqrt(96.0));
  EXPECT_NEAR(neighbours, 0, error);
  EXPECT_NEAR(halves, 0, error);
}

TEST(Fill, UniformStaysBelowTheUpperEnd) {
  SeededStream stream(7);
  std::vector<float> values(kDraws);
  fill_uniform(stream, 1, std::nextafter(1.0F, 2.0F), values);  // only 1 fits
  EXPECT_TRUE(std::ranges::all_of(values, [](float x) { return x == 1; }));
  fill_uniform(stream, -3, 1e-3F, values);
  EXPECT_TRUE(std::ranges::all_of(values, [](float x) { return x >= -3 && x < 1e-3F; }));
}

TEST(Fill, SameBytesOnAnyNumberOfThreadsAndInstructionSet) {
  for (const Fill& fill : {Fill(gaussian), Fill(laplace), Fill(uniform)}) {
    for (const std::size_t size : {1u, 5u, 64u, 65u, 100001u}) {
      const auto make = [&] {
        SeededStream stream(8);
        std::vector<float> values(size);
        fill(stream, values);
        fill(stream, values);
        return values;
      };
      const auto [one, three] = testing::on_one_and_three_threads(make);
      ASSERT_EQ(one, three);
      const auto& expected = one;
      testing::on_every_instruction_set([&] { ASSERT_EQ(make(), expected) << size; });
    }
  }
}

TEST(Fill, NeverRepeatsItself) {
  SeededStream stream(9);
  std::vector<float> first(50000);
  std::vector<float> second(first.size());
  for (const Fill& fill : {Fill(gaussian), Fill(laplace), Fill(uniform)}) {
    fill(stream, first);
    fill(stream, second);
    std::size_t same = 0;
    for (std::size_t i = 0; i < first.size(); ++i) same += first[i] == second[i];
    EXPECT_LT(same, 20u);  // by chance one in a million values
  }
}

TEST(Fill, RefusesWidthsThatMakeNoSense) {
  SeededStream stream(10);
  std::vector<float> values(3);
  EXPECT_THROW(fill_uniform(stream, 1, 1, values), InvalidArgument);
  EXPECT_THROW(fill_gaussian(stream, -1, values), InvalidArgument);
  EXPECT_THROW(fill_laplace(stream, INFINITY, values), InvalidArgument);
}

}  // namespace
}  // namespace privet::tensor
