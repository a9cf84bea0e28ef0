#include "privet/tensor/odds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "privet/base/random.hpp"

namespace privet::tensor {
namespace {

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
  SeededStream stream(seed);
  std::vector<float> all(count);
  for (float& one : all) one = static_cast<float>(3 * stream.uniform() - 1);
  return all;
}

// Every length up to several vectors: all loops and their rests.
TEST(Odds, CombinesRowsAsTheReferenceDoes) {
  constexpr std::size_t kStride = 201;
  for (const std::size_t rank : {1U, 4U, 7U}) {
    const std::vector<float> factors = numbers(rank, 1);
    const std::vector<float> columns = numbers(rank * kStride, 2);
    for (std::size_t size = 0; size < 150; ++size) {
      std::vector<float> out(size);
      std::vector<float> ruled(size);
      const EvidenceRule rule{.ratio = 0.01F, .least = 0.001F, .most = 0.99F};
      combine_row(factors, columns.data() + 3, kStride, out);
      combine_and_apply(factors, columns.data() + 3, kStride, rule, {}, ruled);
      for (std::size_t j = 0; j < size; ++j) {
        double sum = 0;
        for (std::size_t a = 0; a < rank; ++a)
          sum += static_cast<double>(factors[a]) * static_cast<double>(columns[a * kStride + 3 + j]);
        EXPECT_NEAR(static_cast<double>(out[j]), sum, 1e-5);
        EXPECT_NEAR(ruled[j], rule.apply(out[j]), 1e-5F * std::abs(ruled[j]) + 1e-6F);
      }
    }
  }
}

TEST(Odds, EveryNumberMayHaveARatioOfItsOwn) {
  constexpr std::size_t kStride = 201;
  const std::vector<float> factors = numbers(3, 1);
  const std::vector<float> columns = numbers(3 * kStride, 2);
  const EvidenceRule rule{.ratio = 100, .least = 0.001F, .most = 0.99F};
  for (std::size_t size = 1; size < 150; ++size) {
    std::vector<float> ratios = numbers(size, 4);
    for (float& one : ratios) one = std::abs(one) + 0.01F;
    std::vector<float> before(size);
    std::vector<float> combined(size);
    combine_row(factors, columns.data(), kStride, before);
    combine_and_apply(factors, columns.data(), kStride, rule, ratios, combined);
    std::vector<float> applied = before;
    apply_evidence(rule, ratios, applied);
    for (std::size_t j = 0; j < size; ++j) {
      EvidenceRule own = rule;
      own.ratio = ratios[j];
      EXPECT_NEAR(applied[j], own.apply(before[j]), 1e-5F);
      EXPECT_NEAR(combined[j], applied[j], 1e-6F);
    }
  }
}

TEST(Odds, AppliesTheRule) {
  const float huge = std::numeric_limits<float>::max();
  for (const EvidenceRule& rule : {EvidenceRule{.ratio = 20, .least = 0.01F, .most = 0.999F},
                                   EvidenceRule{.ratio = 0.05F, .subtract = 0, .least = 0, .most = 1e6F},
                                   EvidenceRule{.ratio = 7, .least = -huge, .most = huge}}) {
    std::vector<float> row = numbers(77, 3);
    const std::vector<float> before = row;
    apply_evidence(rule, {}, row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      EXPECT_NEAR(row[j], rule.apply(before[j]), 1e-4F);
      EXPECT_TRUE(row[j] >= 0 && row[j] <= 1);
    }
  }
  // A coin that says nothing changes nothing; even odds and evidence of 3 to 1 are 3/4.
  EXPECT_FLOAT_EQ((EvidenceRule{.ratio = 1}.apply(0.3F)), 0.3F);
  EXPECT_FLOAT_EQ((EvidenceRule{.ratio = 3}.apply(0.5F)), 0.75F);
  EXPECT_FLOAT_EQ((EvidenceRule{.ratio = 3, .subtract = 0, .most = 10}.apply(1)), 0.75F);
}

TEST(Odds, CountsAndAddsUp) {
  for (const std::size_t size : {0U, 1U, 15U, 16U, 700U, 5000U}) {
    std::vector<float> row = numbers(size, 4);
    std::size_t above = 0;
    for (const float one : row) above += one > 0.5F ? 1U : 0U;
    EXPECT_EQ(count_above(row, 0.5F), above);
    double sum = 0;
    for (float& one : row) {
      one = std::abs(one) + 0.1F;
      sum += 1 / (static_cast<double>(one) + 0.25);
    }
    EXPECT_NEAR(sum_of_reciprocals(0.25F, row), sum, 1e-6 * sum + 1e-12);
  }
}

}  // namespace
}  // namespace privet::tensor
