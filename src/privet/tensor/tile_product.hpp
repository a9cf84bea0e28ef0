#pragma once

#include "privet/tensor/view.hpp"

namespace privet::tensor {

/// Products with a small matrix both ways, for symmetric matrices that are made by tiles and multiply few
/// columns: below the 64 columns or so from which a general dense product, which copies its factors first, is
/// as fast. On one thread, for callers that divide tiles among threads.

/// sums += tile x.
void add_tile_product(ConstMatrixView tile, ConstMatrixView x, MatrixView sums);

/// sums += tile^T x.
void add_transposed_tile_product(ConstMatrixView tile, ConstMatrixView x, MatrixView sums);

}  // namespace privet::tensor
