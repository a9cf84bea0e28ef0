#pragma once

#include "privet/tensor/view.hpp"

namespace privet::tensor {

/// A small matrix times few columns, both ways at once, for symmetric matrices that are made by tiles:
///
///     down += tile across    and    turned += tile^T beside
///
/// `down` and `beside` have a row for every row of the tile, `across` and `turned` one for every column. A
/// number of the tile is read once for both, for as many columns as a vector has: a tile that comes from
/// memory costs little more than to read it. The sums must overlap neither each other nor what is read. On
/// one thread, for callers that divide tiles among threads.
void add_tile_products(ConstMatrixView tile, ConstMatrixView across, MatrixView down, ConstMatrixView beside,
                       MatrixView turned);

}  // namespace privet::tensor
