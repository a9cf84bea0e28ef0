#include "privet/tensor/tile_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

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
        // Each by itself: the same numbers.
        Matrix down_alone = down_before;
        Matrix turned_alone = turned_before;
        add_tile_product(inner_columns(tile), inner_columns(across), inner_columns(down_alone));
        add_turned_tile_product(inner_columns(tile), inner_columns(beside), inner_columns(turned_alone));
        EXPECT_EQ(down_alone, down);
        EXPECT_EQ(turned_alone, turned);
      }
    }
  });
}

// The same with most numbers of the tile away, and rows without any.
TEST(ListedProducts, AgreeWithTheReference) {
  SeededStream stream(2);
  testing::on_every_instruction_set([&] {
    for (const auto& [rows, columns] : {std::pair{1U, 1U}, {7U, 9U}, {8U, 16U}, {19U, 33U}}) {
      for (std::size_t width = 1; width <= 37; ++width) {
        Matrix tile = random_matrix(rows, columns + 5, stream);
        std::vector<std::uint32_t> ends;
        std::vector<std::uint16_t> listed;
        std::vector<float> values;
        for (std::size_t r = 0; r < rows; ++r) {
          const double share = stream.uniform() < 0.2 ? 0 : 0.4;
          for (std::size_t t = 0; t < columns; ++t) {
            float& number = inner_columns(tile).row(r)[t];
            if (stream.uniform() >= share) {
              number = 0;
              continue;
            }
            listed.push_back(static_cast<std::uint16_t>(t));
            values.push_back(number);
          }
          ends.push_back(static_cast<std::uint32_t>(values.size()));
        }
        const Matrix across = random_matrix(columns, width + 5, stream);
        const Matrix beside = random_matrix(rows, width + 5, stream);
        Matrix down = random_matrix(rows, width + 5, stream);
        Matrix turned = random_matrix(columns, width + 5, stream);
        const Matrix down_before = down;
        const Matrix turned_before = turned;
        add_listed_products({.ends = ends, .columns = listed, .values = values}, inner_columns(across),
                            inner_columns(down), inner_columns(beside), inner_columns(turned));
        expect_sums(inner_columns(tile), false, inner_columns(across), down_before, down);
        expect_sums(inner_columns(tile), true, inner_columns(beside), turned_before, turned);
      }
    }
  });
}

TEST(ListedProducts, RefuseSizesThatDoNotFit) {
  Matrix three(3, 2);
  Matrix four(4, 2);
  const std::vector<std::uint32_t> ends = {1, 1, 2};
  const std::vector<std::uint16_t> columns = {0, 3};
  const std::vector<float> values = {1, 2};
  const ListedTile tile{.ends = ends, .columns = columns, .values = values};
  EXPECT_NO_THROW(add_listed_products(tile, four, three, three, four));
  EXPECT_THROW(add_listed_products(tile, four, four, three, four), InvalidArgument);
  EXPECT_THROW(add_listed_products(tile, four, three, four, four), InvalidArgument);
  EXPECT_THROW(add_listed_products(tile, four, three, three, three), InvalidArgument);
  EXPECT_THROW(add_listed_products(tile, Matrix(4, 3), three, three, four), InvalidArgument);
  EXPECT_THROW(add_listed_products({.ends = ends, .columns = columns, .values = std::span(values).first(1)},
                                   four, three, three, four),
               InvalidArgument);
  EXPECT_THROW(add_listed_products({.ends = std::span(ends).first(2), .columns = columns, .values = values},
                                   four, three, three, four),
               InvalidArgument);
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
  EXPECT_NO_THROW(add_tile_product(tile, four, three));
  EXPECT_THROW(add_tile_product(tile, three, three), InvalidArgument);
  EXPECT_THROW(add_tile_product(tile, four, four), InvalidArgument);
  EXPECT_NO_THROW(add_turned_tile_product(tile, three, four));
  EXPECT_THROW(add_turned_tile_product(tile, four, four), InvalidArgument);
  EXPECT_THROW(add_turned_tile_product(tile, three, three), InvalidArgument);
}

}  // namespace
}  // namespace privet::tensor
