#pragma once

#include "privet/tensor/view.hpp"

namespace privet::tensor {

/// Dense products (oneDNN). `out` is overwritten, or with keep = 1 added to; it must not overlap the factors.
/// Sizes that do not fit are an InvalidArgument. The result does not depend on the number of threads, and a
/// row of a b or a b^T is a function of its own row of a alone, to the last bit: wherever it stands and
/// whatever stands beside it (private training counts on that; the tests check it on the machine they run
/// on).

/// out = a b
void product(ConstMatrixView a, ConstMatrixView b, MatrixView out, float keep = 0);
/// out = a^T b
void transposed_product(ConstMatrixView a, ConstMatrixView b, MatrixView out, float keep = 0);
/// out = a b^T
void product_transposed(ConstMatrixView a, ConstMatrixView b, MatrixView out, float keep = 0);

}  // namespace privet::tensor
