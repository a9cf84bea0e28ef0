#include "privet/tensor/tile_product.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

using testing::at;
using testing::random_matrix;

// Tiles that end in the middle of every loop, all widths up to several vectors, rows with gaps between them.
TEST(TileProduct, AgreesWithTheReferenceBothWays) {
  SeededStream stream(1);
  testing::on_every_instruction_set([&] {
    for (const auto& [rows, columns] : {std::pair{1U, 1U}, {7U, 9U}, {8U, 16U}, {19U, 33U}}) {
      for (std::size_t width = 1; width <= 37; ++width) {
        const Matrix wide_tile = random_matrix(rows, columns + 5, stream);
        const ConstMatrixView tile = testing::inner_columns(wide_tile);
        for (const bool turned : {false, true}) {
          const std::size_t results = turned ? columns : rows;
          const std::size_t terms = turned ? rows : columns;
          const Matrix wide_x = random_matrix(terms, width + 5, stream);
          const ConstMatrixView x = testing::inner_columns(wide_x);
          Matrix wide_sums = random_matrix(results, width + 5, stream);
          const Matrix before = wide_sums;
          const MatrixView sums = testing::inner_columns(wide_sums);
          if (turned) {
            add_transposed_tile_product(tile, x, sums);
          } else {
            add_tile_product(tile, x, sums);
          }
          for (std::size_t i = 0; i < results; ++i) {
            for (std::size_t a = 0; a < width; ++a) {
              double sum = static_cast<double>(at(before, i, a + 2));
              double size = std::abs(sum);
              for (std::size_t t = 0; t < terms; ++t) {
                const double term = static_cast<double>(turned ? at(tile, t, i) : at(tile, i, t)) *
                                    static_cast<double>(at(x, t, a));
                sum += term;
                size += std::abs(term);
              }
              ASSERT_NEAR(at(sums, i, a), sum, static_cast<double>(terms + 2) * 0x1p-24 * size)
                  << rows << 'x' << columns << ", width " << width << (turned ? ", turned" : "");
            }
            for (const std::size_t gap : {std::size_t{0}, std::size_t{1}, width + 2, width + 4})
              ASSERT_EQ(wide_sums(i, gap), before(i, gap)) << "outside of the sums";
          }
        }
      }
    }
  });
}

TEST(TileProduct, RefusesSizesThatDoNotFit) {
  Matrix sums(3, 2);
  EXPECT_THROW(add_tile_product(Matrix(3, 4), Matrix(5, 2), sums), InvalidArgument);
  EXPECT_THROW(add_transposed_tile_product(Matrix(3, 4), Matrix(3, 2), sums), InvalidArgument);
}

}  // namespace
}  // namespace privet::tensor
