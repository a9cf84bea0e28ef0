#pragma once

#include <cstdint>
#include <span>

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

/// One of the two, for matrices that are not symmetric.
void add_tile_product(ConstMatrixView tile, ConstMatrixView across, MatrixView down);
void add_turned_tile_product(ConstMatrixView tile, ConstMatrixView beside, MatrixView turned);

/// A tile of which only some numbers are there, the others being 0: those of row r at places
/// [ends[r - 1], ends[r]) of `columns` and `values`, the first row's from place 0.
struct ListedTile {
  std::span<const std::uint32_t> ends;  ///< one for each row
  std::span<const std::uint16_t> columns;
  std::span<const float> values;
};

/// Both products of such a tile. Rows of `across` and of `turned` must lie equally far apart, and its columns
/// must be less than there are of them, which is not checked.
void add_listed_products(const ListedTile& tile, ConstMatrixView across, MatrixView down,
                         ConstMatrixView beside, MatrixView turned);

}  // namespace privet::tensor
