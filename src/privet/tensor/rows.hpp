#pragma once

#include <string>

#include "privet/tensor/matrix.hpp"
#include "privet/tensor/sparse_matrix.hpp"

namespace privet::tensor {

/// Row-wise kernels. Each is compiled for every instruction set of the architecture and the best one the
/// processor has is picked at run time.

/// Scales each row so that its absolute values add up to 1; zero rows stay zero.
void normalize_rows_l1(Matrix& matrix);
SparseMatrix normalized_rows_l1(const SparseMatrix& matrix);

/// Name of the instruction set the kernels run on, such as "AVX2" or "NEON".
std::string instruction_set();

}  // namespace privet::tensor
