#include "privet/accounting/pld_convolution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "privet/base/random.hpp"

namespace privet::privacy {
namespace {

using Law = std::map<std::int64_t, double>;

Law plus(const Law& a, const Law& b) {
  Law sum;
  for (const auto& [i, p] : a)
    for (const auto& [j, q] : b) sum[i + j] += p * q;
  return sum;
}

Summand random_summand(SeededStream& stream, std::size_t count, double times) {
  Summand summand;
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    summand.index.push_back(static_cast<std::int64_t>(i * i) - 7);
    summand.mass.push_back(stream.uniform() + 1e-3);
    total += summand.mass.back();
  }
  for (double& mass : summand.mass) mass /= total;
  summand.times = times;
  return summand;
}

Law direct_sum(const std::vector<Summand>& summands) {
  Law sum = {{0, 1.0}};
  for (const Summand& summand : summands) {
    Law one;
    for (std::size_t i = 0; i < summand.index.size(); ++i) one[summand.index[i]] += summand.mass[i];
    for (int t = 0; t < static_cast<int>(summand.times); ++t) sum = plus(sum, one);
  }
  return sum;
}

TEST(PldConvolution, IsWithinItsErrorOfTheDirectSum) {
  SeededStream stream(1);
  const std::vector<Summand> summands = {random_summand(stream, 6, 5), random_summand(stream, 3, 12),
                                         random_summand(stream, 9, 1)};
  const Law exact = direct_sum(summands);
  const WrappedSum sum = sum_distribution(summands, -300, 1024);
  EXPECT_GT(sum.error, 0);
  EXPECT_LT(sum.error, 1e-12);
  for (std::size_t i = 0; i < sum.mass.size(); ++i) {
    const auto found = exact.find(sum.first + static_cast<std::int64_t>(i));
    EXPECT_NEAR(sum.mass[i], found == exact.end() ? 0 : found->second, sum.error) << i;
  }
}

TEST(PldConvolution, WrapsWhatIsOutsideTheWindow) {
  SeededStream stream(1);
  const std::vector<Summand> summands = {random_summand(stream, 6, 8)};
  Law wrapped;
  for (const auto& [index, mass] : direct_sum(summands)) wrapped[((index % 64) + 64) % 64] += mass;
  const WrappedSum sum = sum_distribution(summands, 11, 64);
  for (std::int64_t i = 0; i < 64; ++i)
    EXPECT_NEAR(sum.mass[static_cast<std::size_t>(i)], wrapped[(i + 11) % 64], sum.error) << i;
}

// A fair coin ten million times over: the probability of the middle is 1 / sqrt(pi n / 2) (1 - 1/(4n) + ...).
TEST(PldConvolution, KeepsItsDigitsOverMillionsOfDraws) {
  const double n = 1e7;
  const WrappedSum sum = sum_distribution({{{-1, 1}, {0.5, 0.5}, n}}, -32768, 65536);
  const double middle = 1 / std::sqrt(M_PI * n / 2) * (1 - 1 / (4 * n));
  EXPECT_NEAR(sum.mass[32768], middle, sum.error);
  EXPECT_LT(sum.error, 1e-4 * middle);
}

}  // namespace
}  // namespace privet::privacy
