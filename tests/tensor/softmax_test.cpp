#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "privet/base/error.hpp"
#include "privet/tensor/rows.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

using testing::at;
using testing::random_matrix;

constexpr std::size_t kWidths[] = {1, 2, 3, 7, 15, 16, 17, 40, 100};

std::vector<double> softmax(std::span<const float> row) {
  double largest = row[0];
  for (const float value : row) largest = std::max<double>(largest, value);
  double sum = 0;
  for (const float value : row) sum += std::exp(value - largest);
  std::vector<double> result;
  for (const float value : row) result.push_back(std::exp(value - largest) / sum);
  return result;
}

Matrix some_logits(std::size_t columns, RandomStream& stream) {
  Matrix x = random_matrix(6, columns, stream);
  constexpr float kScales[] = {0, 1, 10, 100, 1e4F, 1e38F};
  for (std::size_t i = 0; i < 6; ++i) {
    for (float& value : x.row(i)) value = value * kScales[i] - (i == 1 ? 500.0F : 0.0F);
  }
  return x;
}

TEST(Softmax, AgreesWithTheReferenceOnEveryInstructionSet) {
  SeededStream stream(1);
  testing::on_every_instruction_set([&] {
    for (const std::size_t columns : kWidths) {
      const Matrix wide = some_logits(columns + 5, stream);
      const auto logits = testing::inner_columns(wide);
      Matrix out(6, columns);
      softmax_rows(logits, out);
      for (std::size_t i = 0; i < 6; ++i) {
        const auto expected = softmax(logits.row(i));
        for (std::size_t j = 0; j < columns; ++j) ASSERT_NEAR(out(i, j), expected[j], 1e-6) << "row " << i;
      }
    }
  });
}

TEST(CrossEntropy, LossAndGradientOnEveryInstructionSet) {
  SeededStream stream(2);
  testing::on_every_instruction_set([&] {
    for (const std::size_t columns : kWidths) {
      const Matrix logits = some_logits(columns, stream);
      std::vector<std::int32_t> labels;
      for (std::size_t i = 0; i < 6; ++i) labels.push_back(static_cast<std::int32_t>(stream.below(columns)));
      labels[2] = -1;
      Matrix error = logits;  // in place
      std::vector<float> losses(6, 99.0F);
      softmax_cross_entropy(error, labels, error, losses);
      for (std::size_t i = 0; i < 6; ++i) {
        if (labels[i] < 0) {
          EXPECT_EQ(losses[i], 0.0F);
          for (const float value : error.row(i)) EXPECT_EQ(value, 0.0F);
          continue;
        }
        const auto label = static_cast<std::size_t>(labels[i]);
        const auto expected = softmax(logits.row(i));
        double largest = -std::numeric_limits<double>::infinity();
        for (const float value : logits.row(i)) largest = std::max<double>(largest, value);
        double sum = 0;
        for (const float value : logits.row(i)) sum += std::exp(value - largest);
        const double loss = std::log(sum) + largest - static_cast<double>(logits(i, label));
        ASSERT_NEAR(losses[i], loss, 1e-6 * (1 + loss));
        for (std::size_t j = 0; j < columns; ++j)
          ASSERT_NEAR(error(i, j), expected[j] - (j == label ? 1 : 0), 1e-6);
      }
    }
  });
}

TEST(CrossEntropy, RefusesLabelsThatAreNoColumns) {
  Matrix logits(2, 3);
  std::vector<float> losses(2);
  Matrix error(2, 3);
  EXPECT_THROW(softmax_cross_entropy(logits, std::vector<std::int32_t>{0, 3}, error, losses),
               InvalidArgument);
  EXPECT_THROW(softmax_cross_entropy(logits, std::vector<std::int32_t>{-2, 1}, error, losses),
               InvalidArgument);
  EXPECT_THROW(softmax_cross_entropy(logits, std::vector<std::int32_t>{0}, error, losses), InvalidArgument);
}

TEST(LargestColumn, IsTheFirstOfTheLargestOnEveryInstructionSet) {
  SeededStream stream(3);
  testing::on_every_instruction_set([&] {
    for (const std::size_t columns : kWidths) {
      Matrix wide = random_matrix(30, columns + 5, stream);
      for (float& value : wide.values()) value = std::round(value * 3) - 10;  // many ties, all negative
      const auto x = testing::inner_columns(wide);
      std::vector<std::int32_t> found(30);
      largest_column(x, found);
      for (std::size_t i = 0; i < 30; ++i) {
        std::size_t expected = 0;
        for (std::size_t j = 1; j < columns; ++j) {
          if (at(x, i, j) > at(x, i, expected)) expected = j;
        }
        ASSERT_EQ(found[i], static_cast<std::int32_t>(expected));
      }
    }
  });
}

}  // namespace
}  // namespace privet::tensor
