#pragma once

#include "privet/tensor/matrix.hpp"
#include "privet/tensor/sparse_matrix.hpp"

namespace privet::tensor {

/// out = a x, for a sparse and x dense. `out` has a.rows() rows and x.columns() columns and is overwritten;
/// sizes that do not fit are an InvalidArgument. The sum of a row is taken in the order of its entries, so
/// the result does not depend on the number of threads. For a^T x keep a.transposed() and multiply by that.
void multiply(const SparseMatrix& a, const Matrix& x, Matrix& out);

}  // namespace privet::tensor
