#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "privet/tensor/view.hpp"

namespace privet::tensor {

/// Row-wise kernels. Each is compiled for every instruction set of the architecture and the best one the
/// processor has is picked at run time. Views that are read and written may be the same one; sizes that do
/// not fit are an InvalidArgument.

/// Scales each row so that its absolute values add up to 1; zero rows stay zero.
void normalize_rows_l1(Matrix& matrix);
SparseMatrix normalized_rows_l1(const SparseMatrix& matrix);

/// out = x with every row scaled to Euclidean norm 1; zero rows stay zero. `norms`, if not empty, receives
/// the norms of x.
void normalize_rows_l2(ConstMatrixView x, MatrixView out, std::span<float> norms = {});
/// What the loss's gradient `error` with respect to normalize_rows_l2's result `out` is with respect to x.
void normalize_rows_l2_backward(ConstMatrixView out, std::span<const float> norms, MatrixView error);

/// Scales the rows whose norm exceeds `radius` down to it: the projection onto the ball. No norm is above the
/// radius afterwards, not even by rounding (those of scaled rows end up to 2^-21 of it inside); a row with
/// numbers that are not finite becomes zero.
void project_rows(MatrixView x, float radius);

/// Squared Euclidean norms of the rows, added up in double precision.
void squared_row_norms(ConstMatrixView x, std::span<double> norms);
void squared_row_norms(SparseView x, std::span<double> norms);

/// out = x with row i multiplied by factors[i].
void scale_rows(ConstMatrixView x, std::span<const float> factors, MatrixView out);

/// Adds the same row to every row; and the sum of all rows, in order, added to `sum`.
void add_to_rows(std::span<const float> row, MatrixView out);
void add_column_sums(ConstMatrixView x, std::span<float> sum);

enum class Activation : std::uint8_t { none, relu, selu, tanh };

void activate(Activation activation, ConstMatrixView x, MatrixView out);
/// Multiplies `error` by the derivative, which all of them have as a function of their own output.
void activate_backward(Activation activation, ConstMatrixView out, MatrixView error);

/// probabilities = softmax of every row of logits.
void softmax_rows(ConstMatrixView logits, MatrixView probabilities);
/// Cross-entropy of every row against its label: losses[i] = -log softmax(logits_i)[labels[i]], and `error`
/// its gradient, softmax minus one-hot. Rows with label -1 have loss and error 0.
void softmax_cross_entropy(ConstMatrixView logits, std::span<const std::int32_t> labels, MatrixView error,
                           std::span<float> losses);

/// Index of the largest number of every row, the first where several are.
void largest_column(ConstMatrixView x, std::span<std::int32_t> columns);

/// Name of the instruction set the kernels run on, such as "AVX2" or "NEON".
std::string instruction_set();

}  // namespace privet::tensor
