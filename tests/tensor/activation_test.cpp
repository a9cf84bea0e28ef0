#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "privet/tensor/rows.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

using testing::at;
using testing::random_matrix;

constexpr Activation kAll[] = {Activation::none, Activation::relu, Activation::selu, Activation::tanh};

double value(Activation activation, double x) {
  // Klambauer et al. (2017), equation 14.
  constexpr double kScale = 1.0507009873554804934193349852946;
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::selu:
      return kScale * (x > 0 ? x : kAlpha * std::expm1(x));
    case Activation::tanh:
      return std::tanh(x);
  }
  return 0;
}

Matrix some_numbers(std::size_t columns, RandomStream& stream) {
  Matrix x = random_matrix(9, columns, stream);
  constexpr float kScales[] = {1e-5F, 0.1F, 1, 3, 10, 30, 100, 1e4F, 1e30F};
  for (std::size_t i = 0; i < 9; ++i) {
    for (float& number : x.row(i)) number *= kScales[i];
  }
  return x;
}

TEST(Activation, AgreesWithTheReferenceOnEveryInstructionSet) {
  SeededStream stream(1);
  testing::on_every_instruction_set([&] {
    for (const Activation activation : kAll) {
      for (const std::size_t columns : {1u, 7u, 16u, 45u}) {
        const Matrix wide = some_numbers(columns + 5, stream);
        const auto x = testing::inner_columns(wide);
        Matrix out(9, columns);
        activate(activation, x, out);
        Matrix in_place = wide;
        activate(activation, in_place, in_place);
        for (std::size_t i = 0; i < 9; ++i) {
          for (std::size_t j = 0; j < columns; ++j) {
            const double expected = value(activation, at(x, i, j));
            ASSERT_NEAR(out(i, j), expected, 1e-6 * std::abs(expected)) << at(x, i, j);
            ASSERT_EQ(out(i, j), in_place(i, j + 2));
          }
        }
      }
    }
  });
}

TEST(Activation, GradientIsTheDifferenceQuotient) {
  SeededStream stream(2);
  testing::on_every_instruction_set([&] {
    for (const Activation activation : kAll) {
      for (const std::size_t columns : {1u, 7u, 16u, 45u}) {
        Matrix wide = random_matrix(9, columns + 5, stream);
        for (float& number : wide.values()) number *= 3;
        const auto x = testing::inner_columns(wide);
        Matrix out(9, columns);
        activate(activation, x, out);
        const Matrix before = random_matrix(9, columns, stream);
        Matrix error = before;
        activate_backward(activation, out, error);
        for (std::size_t i = 0; i < 9; ++i) {
          for (std::size_t j = 0; j < columns; ++j) {
            const double at_x = at(x, i, j);
            const double h = 1e-6;
            if (std::abs(at_x) < 2 * h) continue;  // the bend
            const double slope = (value(activation, at_x + h) - value(activation, at_x - h)) / (2 * h);
            ASSERT_NEAR(error(i, j), before(i, j) * slope, 1e-6) << at_x;
          }
        }
      }
    }
  });
}

TEST(Activation, SameBytesOnAnyNumberOfThreads) {
  SeededStream stream(3);
  const Matrix x = random_matrix(3000, 70, stream);
  const auto [one, three] = testing::on_one_and_three_threads([&] {
    Matrix out(3000, 70);
    activate(Activation::selu, x, out);
    return out;
  });
  EXPECT_EQ(one, three);
}

TEST(Activation, RefusesSizesThatDoNotFit) {
  Matrix out(3, 2);
  EXPECT_THROW(activate(Activation::relu, Matrix(3, 4), out), InvalidArgument);
  EXPECT_THROW(activate_backward(Activation::relu, Matrix(2, 2), out), InvalidArgument);
}

}  // namespace
}  // namespace privet::tensor
