#include "privet/tensor/tile_product.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

using testing::at;
using testing::inner_columns;
using testing::random_matrix;

// What stands in `after` is `before` plus the tile, turned or not, times x; the gaps between rows are as
// before.
void expect_sums(const ConstMatrixView& tile, bool turned, const ConstMatrixView& x, const Matrix& before,
                 const Matrix& after) {
  const std::size_t width = x.columns;
  for (std::size_t i = 0; i < before.rows(); ++i) {
    for (std::size_t a = 0; a < width; ++a) {
      double sum = static_cast<double>(before(i, a + 2));
      double size = std::abs(sum);
      for (std::size_t t = 0; t < x.rows; ++t) {
        const double term =
            static_cast<double>(turned ? at(tile, t, i) : at(tile, i, t)) * static_cast<double>(at(x, t, a));
        sum += term;
        size += std::abs(term);
      }
      ASSERT_NEAR(after(i, a + 2), sum, static_cast<double>(x.rows + 2) * 0x1p-24 * size)
          << tile.rows << 'x' << tile.columns << ", width " << width << (turned ? ", turned" : "");
    }
    for (const std::size_t gap : {std::size_t{0}, std::size_t{1}, width + 2, width + 4})
      ASSERT_EQ(after(i, gap), before(i, gap)) << "outside of the sums";
  }
}

// Tiles that end in the middle of every loop, all widths up to several vectors, rows with gaps between them.
TEST(TileProducts, AgreeWithTheReference) {
  SeededStream stream(1);
  testing::on_every_instruction_set([&] {
    for (const auto& [rows, columns] : {std::pair{1U, 1U}, {7U, 9U}, {8U, 16U}, {19U, 33U}}) {
      for (std::size_t width = 1; width <= 37; ++width) {
        const Matrix tile = random_matrix(rows, columns + 5, stream);
        const Matrix across = random_matrix(columns, width + 5, stream);
        const Matrix beside = random_matrix(rows, width + 5, stream);
        Matrix down = random_matrix(rows, width + 5, stream);
        Matrix turned = random_matrix(columns, width + 5, stream);
        const Matrix down_before = down;
        const Matrix turned_before = turned;
        add_tile_products(inner_columns(tile), inner_columns(across), inner_columns(down),
                          inner_columns(beside), inner_columns(turned));
        expect_sums(inner_columns(tile), false, inner_columns(across), down_before, down);
        expect_sums(inner_columns(tile), true, inner_columns(beside), turned_before, turned);
      }
    }
  });
}

TEST(TileProducts, RefuseSizesThatDoNotFit) {
  Matrix three(3, 2);
  Matrix four(4, 2);
  const Matrix tile(3, 4);
  EXPECT_NO_THROW(add_tile_products(tile, four, three, three, four));
  EXPECT_THROW(add_tile_products(tile, three, three, three, four), InvalidArgument);
  EXPECT_THROW(add_tile_products(tile, four, four, three, four), InvalidArgument);
  EXPECT_THROW(add_tile_products(tile, four, three, four, four), InvalidArgument);
  EXPECT_THROW(add_tile_products(tile, four, three, three, three), InvalidArgument);
  EXPECT_THROW(add_tile_products(tile, Matrix(4, 3), three, three, four), InvalidArgument);
}

}  // namespace
}  // namespace privet::tensor
