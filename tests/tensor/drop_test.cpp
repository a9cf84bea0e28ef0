#include "privet/tensor/drop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/tensor/fill.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

std::vector<float> draws(std::size_t count, std::uint64_t seed) {
  SeededStream stream(seed);
  std::vector<float> values(count);
  fill_uniform(stream, 0, 1, values);
  return values;
}

TEST(Drop, AgreesWithItsReferenceForEveryLength) {
  for (const std::size_t count : {0, 1, 7, 8, 15, 16, 17, 33, 100, 8191, 8192, 20000}) {
    const std::vector<float> drawn = draws(count, count);
    const std::vector<float> from = draws(count, count + 1);
    for (const float rate : {0.25F, 0.5F}) {
      std::vector<float> factors = drawn;
      std::vector<float> to(count, -1);
      drop(rate, factors, from, to);
      std::vector<float> in_place = drawn;
      drop(rate, in_place, from, in_place);
      EXPECT_EQ(in_place, to) << count;
      for (std::size_t i = 0; i < count; ++i) {
        const float factor = drawn[i] < rate ? 0.0F : 1 / (1 - rate);
        EXPECT_EQ(factors[i], factor) << i << " of " << count;
        EXPECT_EQ(to[i], from[i] * factor) << i << " of " << count;
      }
    }
  }
}

TEST(Drop, WithoutNumbersTheyAreOnes) {
  std::vector<float> factors = draws(50, 1);
  std::vector<float> to(50, -1);
  drop(0.5F, factors, {}, to);
  EXPECT_EQ(to, factors);
  EXPECT_NE(std::ranges::count(to, 0.0F), 0);
  EXPECT_NE(std::ranges::count(to, 2.0F), 0);
}

TEST(Drop, ADrawAtTheRateIsKept) {
  std::vector<float> factors = {0.25F, 0.2499F};
  std::vector<float> to(2);
  drop(0.25F, factors, {}, to);
  EXPECT_GT(to[0], 1);
  EXPECT_EQ(to[1], 0);
}

TEST(Drop, RowsOfAMatrixWithGapsOnAnyNumberOfThreads) {
  SeededStream stream(3);
  const Matrix wide = testing::random_matrix(301, 50, stream);
  Matrix drawn(301, 40);
  fill_uniform(stream, 0, 1, drawn.values());
  std::vector<Matrix> results;
  const std::size_t before = thread_count();
  for (const std::size_t threads : {1, 3}) {
    set_thread_count(threads);
    Matrix factors = drawn;
    results.emplace_back(301, 40);
    drop(0.4F, factors, ConstMatrixView(wide).column_range(5, 40), results.back());
  }
  set_thread_count(before);
  for (std::size_t i = 0; i < 301; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      EXPECT_EQ(results[0](i, j), drawn(i, j) < 0.4F ? 0 : wide(i, j + 5) * (1 / (1 - 0.4F)));
      EXPECT_EQ(results[0](i, j), results[1](i, j));
    }
  }
}

}  // namespace
}  // namespace privet::tensor
