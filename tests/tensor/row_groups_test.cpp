#include "privet/tensor/row_groups.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"
#include "privet/tensor/fill.hpp"

namespace privet::tensor {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Matrix matrix(rows, columns);
  SeededStream stream(seed);
  fill_gaussian(stream, 1, matrix.values());
  return matrix;
}

TEST(RowGroups, GramProductsAreThoseOfPairs) {
  for (const std::size_t columns : {1, 3, 16, 37, 130}) {
    const Matrix x = random_matrix(40, columns, 1);
    const Matrix e = random_matrix(40, columns + 2, 2);
    const std::vector<std::uint32_t> starts = {0, 1, 1, 9, 40};
    for (const double shift : {0.0, 1.0}) {
      std::vector<double> sums(4, 0.5);
      add_gram_products(x, e, starts, shift, sums);
      for (std::size_t g = 0; g < 4; ++g) {
        double expected = 0.5;
        for (std::size_t k = starts[g]; k < starts[g + 1]; ++k) {
          for (std::size_t l = starts[g]; l < starts[g + 1]; ++l) {
            double xx = shift;
            double ee = 0;
            for (std::size_t j = 0; j < x.columns(); ++j)
              xx += static_cast<double>(x(k, j)) * static_cast<double>(x(l, j));
            for (std::size_t j = 0; j < e.columns(); ++j)
              ee += static_cast<double>(e(k, j)) * static_cast<double>(e(l, j));
            expected += xx * ee;
          }
        }
        EXPECT_NEAR(sums[g], expected, 1e-10 * (1 + std::abs(expected)));
      }
    }
  }
}

TEST(RowGroups, OuterProductsAddUpInDoublePrecision) {
  for (const std::size_t columns : {1, 5, 16, 33, 100}) {
    const Matrix x = random_matrix(600, 7, 3);
    const Matrix e = random_matrix(600, columns, 4);
    std::vector<double> total(7 * columns, 2.0);
    add_outer_products(x, e, total);
    for (std::size_t a = 0; a < 7; ++a) {
      for (std::size_t b = 0; b < columns; ++b) {
        double expected = 2;
        for (std::size_t r = 0; r < 600; ++r)
          expected += static_cast<double>(x(r, a)) * static_cast<double>(e(r, b));
        EXPECT_NEAR(total[a * columns + b], expected, 1e-11);
      }
    }
  }
}

TEST(RowGroups, ThreadsChangeNothing) {
  const Matrix x = random_matrix(3000, 50, 5);
  const Matrix e = random_matrix(3000, 30, 6);
  std::vector<std::uint32_t> starts;
  for (std::uint32_t i = 0; i <= 3000; i += 10) starts.push_back(i);
  std::vector<std::vector<double>> sums;
  std::vector<std::vector<double>> totals;
  const std::size_t before = thread_count();
  for (const std::size_t threads : {1, 2, 5}) {
    set_thread_count(threads);
    sums.emplace_back(300);
    totals.emplace_back(1500);
    add_gram_products(x, e, starts, 1, sums.back());
    add_outer_products(x, e, totals.back());
  }
  set_thread_count(before);
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
  EXPECT_EQ(totals[0], totals[1]);
  EXPECT_EQ(totals[0], totals[2]);
}

TEST(RowGroups, SizesMustFit) {
  const Matrix x(4, 2);
  const Matrix e(5, 2);
  std::vector<double> two(2);
  const std::vector<std::uint32_t> starts = {0, 2, 4};
  EXPECT_THROW(add_gram_products(x, e, starts, 1, two), InvalidArgument);
  EXPECT_THROW(add_outer_products(x, x, two), InvalidArgument);
}

}  // namespace
}  // namespace privet::tensor
