// A compiler that inlines only one of operators new and delete takes the pair below for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "privet/tensor/rows.hpp"
#include "privet/tensor/sparse_product.hpp"
#include "tensor/reference.hpp"

namespace {
std::atomic<std::size_t> allocations{0};
}

// Counts for the whole test program; aligned memory does not pass here, but kernels have no use for it
// either.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// The form that doesn't throw, too: a sanitizer's own would hand out what the operators below can't free.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace privet::tensor {
namespace {

// A step of training calls them many times on small matrices.
TEST(Kernels, AllocateNothing) {
  for (const std::size_t rows : {std::size_t{8}, std::size_t{4000}}) {  // in place, and in pieces on threads
    Matrix x(rows, 64);
    Matrix out(rows, 64);
    std::vector<std::uint64_t> offsets(rows + 1);
    std::vector<std::uint32_t> columns(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      offsets[i + 1] = i + 1;
      columns[i] = static_cast<std::uint32_t>(i);
    }
    const SparseMatrix identity(rows, rows, offsets, columns, {});
    std::vector<float> floats(rows);
    std::vector<double> doubles(rows);
    std::vector<float> sums(64);
    std::vector<std::int32_t> labels(rows, 3);
    const auto run = [&] {
      multiply(identity, x, out);
      add_transposed_product(identity, x, out);
      normalize_rows_l2(x, out, floats);
      normalize_rows_l2_backward(out, floats, x);
      project_rows(x, 1);
      squared_row_norms(x, doubles);
      scale_rows(x, floats, out);
      add_to_rows(sums, out);
      add_column_sums(x, sums);
      activate(Activation::selu, x, out);
      activate_backward(Activation::selu, out, x);
      softmax_rows(x, out);
      softmax_cross_entropy(x, labels, out, floats);
      largest_column(x, labels);
    };
    run();
    const std::size_t before = allocations;
    run();
    EXPECT_EQ(allocations - before, 0u) << rows << " rows";
  }
  const std::size_t before = allocations;
  const auto some = std::make_unique<int>(1);
  EXPECT_EQ(allocations - before, 1u);  // they are counted
}

}  // namespace
}  // namespace privet::tensor
