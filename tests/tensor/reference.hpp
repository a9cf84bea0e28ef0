#pragma once

#include <gtest/gtest.h>

#include <hwy/highway.h>

#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::tensor::testing {

/// Runs `body` once on each instruction set that was compiled and that this processor has.
template <typename Body>
void on_every_instruction_set(const Body& body) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    ASSERT_EQ(instruction_set(), hwy::TargetName(target));
    SCOPED_TRACE(hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Runs `body` on one thread and on three and returns both results.
template <typename Body>
auto on_one_and_three_threads(const Body& body) {
  const std::size_t before = thread_count();
  set_thread_count(1);
  auto one = body();
  set_thread_count(3);
  auto three = body();
  set_thread_count(before);
  return std::pair(std::move(one), std::move(three));
}

/// Numbers from -1 to 1.
inline Matrix random_matrix(std::size_t rows, std::size_t columns, RandomStream& stream) {
  Matrix m(rows, columns);
  for (float& value : m.values()) value = static_cast<float>(2 * stream.uniform() - 1);
  return m;
}

/// A part of a wider matrix: rows with gaps between them.
template <typename AnyMatrix>
auto inner_columns(AnyMatrix& matrix) {
  using View = std::conditional_t<std::is_const_v<AnyMatrix>, ConstMatrixView, MatrixView>;
  return View(matrix).column_range(2, matrix.columns() - 5);
}

inline float at(ConstMatrixView view, std::size_t i, std::size_t j) { return view.row(i)[j]; }

}  // namespace privet::tensor::testing
