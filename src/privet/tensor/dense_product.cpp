#include "privet/tensor/dense_product.hpp"

#include <dnnl.h>

#include <algorithm>
#include <functional>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/tensor/row_pieces.hpp"

// Two functions of the OpenMP runtime that oneDNN brings along; compilers without OpenMP have no <omp.h>.
extern "C" void omp_set_num_threads(int threads);
extern "C" int omp_get_max_threads();

namespace privet::tensor {
namespace {

// oneDNN must not start threads of its own: they would spin on cores that our pool is using.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

struct Factor {
  ConstMatrixView view;
  bool transposed;

  [[nodiscard]] std::size_t rows() const { return transposed ? view.columns : view.rows; }
  [[nodiscard]] std::size_t columns() const { return transposed ? view.rows : view.columns; }
  [[nodiscard]] Factor row_range(std::size_t first, std::size_t count) const {
    return {transposed ? view.column_range(first, count) : view.row_range(first, count), transposed};
  }
};

dnnl_dim_t dimension(std::size_t size) { return static_cast<dnnl_dim_t>(size); }

void multiply_block(const Factor& a, const Factor& b, MatrixView out, float keep) {
  const OneThread one_thread;
  const dnnl_status_t status = dnnl_sgemm(
      a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', dimension(out.rows), dimension(out.columns),
      dimension(a.columns()), 1.0F, a.view.data, dimension(std::max(a.view.stride, a.view.columns)),
      b.view.data, dimension(std::max(b.view.stride, b.view.columns)), keep, out.data,
      dimension(std::max(out.stride, out.columns)));
  if (status != dnnl_success) throw Error({.what = "oneDNN refused the sizes", .where = "dense product"});
}

// oneDNN's kernels take several rows at once, and what is left over goes to kernels that add up in another
// order. In whole blocks of this many rows, which every kernel's own number divides, a row's result is the
// same wherever the row stands and whatever stands beside it.
constexpr std::size_t kBlock = 48;

void multiply_padded(ConstMatrixView a, const Factor& b, MatrixView out, float keep) {
  thread_local Matrix padded;
  thread_local Matrix result;
  const std::size_t numbers = kBlock * std::max(a.columns, out.columns);
  if (padded.size() < numbers) padded = Matrix(1, numbers);
  if (result.size() < numbers) result = Matrix(1, numbers);
  const MatrixView rows(padded.values().data(), kBlock, a.columns);
  const MatrixView products(result.values().data(), kBlock, out.columns);
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (i < a.rows) {
      std::ranges::copy(a.row(i), rows.row(i).begin());
    } else {
      std::ranges::fill(rows.row(i), 0.0F);
    }
    if (i < a.rows && keep != 0) std::ranges::copy(out.row(i), products.row(i).begin());
  }
  multiply_block({rows, false}, b, products, keep);
  for (std::size_t i = 0; i < out.rows; ++i) std::ranges::copy(products.row(i), out.row(i).begin());
}

void keep_only(MatrixView out, float keep) {
  for (std::size_t i = 0; i < out.rows; ++i) {
    for (float& value : out.row(i)) value = keep == 0 ? 0.0F : keep * value;
  }
}

// Rows of `out` per piece: enough work to be worth waking a thread, enough rows for oneDNN's kernels, and
// not so many pieces that packing b again for each of them shows.
std::size_t rows_per_piece(std::size_t rows, std::size_t columns, std::size_t inner) {
  static constexpr std::size_t kLeastWork = std::size_t{1} << 18;  // multiplications
  static constexpr std::size_t kLeastRows = 3 * kBlock;
  static constexpr std::size_t kMostPieces = 16;
  const std::size_t for_work = kLeastWork / std::max<std::size_t>(1, columns * inner) + 1;
  const std::size_t for_count = (rows + kMostPieces - 1) / kMostPieces;
  const std::size_t least = std::max({for_work, for_count, kLeastRows});
  return (least + kLeastRows - 1) / kLeastRows * kLeastRows;
}

void multiply(const Factor& a, const Factor& b, MatrixView out, float keep) {
  require_sizes(a.columns() == b.rows() && out.rows == a.rows() && out.columns == b.columns(),
                "dense product");
  if (out.rows == 0 || out.columns == 0) return;
  if (a.columns() == 0) return keep_only(out, keep);
  const std::size_t rows = rows_per_piece(out.rows, out.columns, a.columns());
  const std::size_t pieces = (out.rows + rows - 1) / rows;
  const auto piece = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t begin = i * rows;
      const std::size_t count = std::min(rows, out.rows - begin);
      // Rows of a transposed factor are no examples: their order is fixed.
      const std::size_t whole = a.transposed ? count : count / kBlock * kBlock;
      if (whole > 0) multiply_block(a.row_range(begin, whole), b, out.row_range(begin, whole), keep);
      if (whole < count) {
        multiply_padded(a.view.row_range(begin + whole, count - whole), b,
                        out.row_range(begin + whole, count - whole), keep);
      }
    }
  };
  parallel_for(pieces, 1, std::cref(piece));
}

}  // namespace

void product(ConstMatrixView a, ConstMatrixView b, MatrixView out, float keep) {
  multiply({a, false}, {b, false}, out, keep);
}

void transposed_product(ConstMatrixView a, ConstMatrixView b, MatrixView out, float keep) {
  multiply({a, true}, {b, false}, out, keep);
}

void product_transposed(ConstMatrixView a, ConstMatrixView b, MatrixView out, float keep) {
  multiply({a, false}, {b, true}, out, keep);
}

}  // namespace privet::tensor
