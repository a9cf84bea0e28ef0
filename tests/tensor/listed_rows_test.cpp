#include "privet/tensor/listed_rows.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "privet/base/error.hpp"
#include "tensor/reference.hpp"

namespace privet::tensor {
namespace {

using testing::inner_columns;
using testing::random_matrix;

// Lists of no row, one, two and more, of one row several times, the last one empty or not; all widths up to
// more than a block of columns, rows with gaps between them.
TEST(ListedRows, AreSummedInDoublesAndRoundedOnce) {
  SeededStream stream(1);
  const std::vector<std::vector<std::uint32_t>> lists = {{}, {3},    {0, 3},          {2, 1, 0},
                                                         {}, {1, 1}, {4, 4, 4, 0, 2}, {4}};
  testing::on_every_instruction_set([&] {
    for (const std::size_t kept : {lists.size(), lists.size() - 3}) {
      std::vector<std::uint64_t> starts = {0};
      std::vector<std::uint32_t> places;
      for (std::size_t a = 0; a < kept; ++a) {
        places.insert(places.end(), lists[a].begin(), lists[a].end());
        starts.push_back(places.size());
      }
      for (std::size_t width = 1; width <= 150; ++width) {
        const Matrix wide_x = random_matrix(5, width + 5, stream);
        const ConstMatrixView x = inner_columns(wide_x);
        Matrix wide_out = random_matrix(kept, width + 5, stream);
        const Matrix before = wide_out;
        sum_listed_rows(x, starts, places, inner_columns(wide_out));
        for (std::size_t a = 0; a < kept; ++a) {
          for (std::size_t j = 0; j < width; ++j) {
            double sum = 0;
            for (const std::uint32_t row : lists[a]) sum += static_cast<double>(x.row(row)[j]);
            ASSERT_EQ(wide_out(a, j + 2), static_cast<float>(sum)) << "row " << a << ", width " << width;
          }
          for (const std::size_t gap : {std::size_t{0}, std::size_t{1}, width + 2, width + 4})
            ASSERT_EQ(wide_out(a, gap), before(a, gap)) << "outside of the sums";
        }
      }
    }
  });
}

TEST(ListedRows, RefuseSizesThatDoNotFit) {
  const Matrix x(5, 3);
  Matrix out(2, 3);
  const std::vector<std::uint64_t> starts = {0, 1, 2};
  const std::vector<std::uint32_t> places = {0, 1};
  EXPECT_NO_THROW(sum_listed_rows(x, starts, places, out));
  EXPECT_THROW(sum_listed_rows(x, starts, std::span(places).first(1), out), InvalidArgument);
  EXPECT_THROW(sum_listed_rows(x, std::span(starts).first(2), places, out), InvalidArgument);
  EXPECT_THROW(sum_listed_rows(Matrix(5, 4), starts, places, out), InvalidArgument);
}

}  // namespace
}  // namespace privet::tensor
