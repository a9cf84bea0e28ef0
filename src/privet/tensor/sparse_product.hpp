#pragma once

#include "privet/tensor/view.hpp"

namespace privet::tensor {

/// out = a x, for a sparse and x dense. `out` has as many rows as `a` and columns as `x` and is overwritten;
/// sizes that do not fit are an InvalidArgument. The sum of a row is taken in the order of its entries, so
/// the result does not depend on the number of threads.
void multiply(SparseView a, ConstMatrixView x, MatrixView out);

/// out += a^T x, the rows of `a` in their order: the gradient of the weights behind sparse features. For the
/// transpose of a whole graph it is faster to keep a.transposed() and multiply by that.
void add_transposed_product(SparseView a, ConstMatrixView x, MatrixView out);

}  // namespace privet::tensor
