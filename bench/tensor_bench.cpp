#include <benchmark/benchmark.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "privet/base/parallel.hpp"
#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/fill.hpp"
#include "privet/tensor/sparse_product.hpp"
#include "times.hpp"

/// Kernels beside what they are measured by. Ratios compare the best of runs in turns within one process, on
/// one thread by processor time, so that other work on the machine does not count.
namespace privet::tensor {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t columns) {
  SeededStream stream(rows + columns);
  Matrix m(rows, columns);
  fill_uniform(stream, -1, 1, m.values());
  return m;
}

void dense(benchmark::State& state) {
  set_thread_count(static_cast<std::size_t>(state.range(3)));
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto inner = static_cast<std::size_t>(state.range(1));
  const auto columns = static_cast<std::size_t>(state.range(2));
  const Matrix a = random_matrix(rows, inner);
  const Matrix b = random_matrix(inner, columns);
  Matrix out(rows, columns);
  for (auto _ : state) product(a, b, out);
  state.counters["GFLOPS"] = benchmark::Counter(2e-9 * static_cast<double>(rows * inner * columns),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

/// The gradient of the weights: the long dimension is summed.
void dense_transposed(benchmark::State& state) {
  set_thread_count(static_cast<std::size_t>(state.range(3)));
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto inner = static_cast<std::size_t>(state.range(1));
  const auto columns = static_cast<std::size_t>(state.range(2));
  const Matrix a = random_matrix(rows, inner);
  const Matrix b = random_matrix(rows, columns);
  Matrix out(inner, columns);
  for (auto _ : state) transposed_product(a, b, out);
  state.counters["GFLOPS"] = benchmark::Counter(2e-9 * static_cast<double>(rows * inner * columns),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

void shapes(benchmark::internal::Benchmark* bench) {
  for (const int threads : {1, 2}) {
    bench->Args({256, 1433, 64, threads})->Args({2708, 64, 7, threads})->Args({20000, 500, 64, threads});
    bench->Args({8, 64, 7, threads});
  }
  bench->Unit(benchmark::kMicrosecond)->UseRealTime();
}
BENCHMARK(dense)->Apply(shapes);
BENCHMARK(dense_transposed)->Apply(shapes);

constexpr std::size_t kNodes = 26000;
constexpr std::size_t kEntries = 2100000;
constexpr std::size_t kColumns = 64;

/// Degrees by a power law, neighbours anywhere in proportion to their degree.
SparseMatrix random_graph() {
  SeededStream stream(1);
  std::vector<std::uint32_t> ends;
  std::vector<double> weight(kNodes);
  double total = 0;
  for (double& w : weight) total += w = std::pow(stream.uniform_positive(), -0.5);
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    const auto copies = static_cast<std::size_t>(weight[i] / total * 8e6 + 1);
    ends.insert(ends.end(), copies, i);
  }
  std::vector<std::vector<std::uint32_t>> rows(kNodes);
  std::size_t entries = 0;
  while (entries < kEntries) {
    for (std::size_t k = entries; k < kEntries; ++k) {
      rows[ends[stream.below(ends.size())]].push_back(ends[stream.below(ends.size())]);
    }
    entries = 0;
    for (auto& row : rows) {
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      entries += row.size();
    }
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (const auto& row : rows) {
    columns.insert(columns.end(), row.begin(), row.end());
    offsets.push_back(columns.size());
  }
  AlignedVector<float> values(columns.size());
  fill_uniform(stream, 0, 1, values);
  return {kNodes, kNodes, std::move(offsets), std::move(columns), std::move(values)};
}

using EigenSparse = Eigen::SparseMatrix<float, Eigen::RowMajor, std::int32_t>;
using EigenDense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

EigenSparse to_eigen(const SparseMatrix& a) {
  EigenSparse result(static_cast<Eigen::Index>(a.rows()), static_cast<Eigen::Index>(a.columns()));
  std::vector<Eigen::Triplet<float>> triplets;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::uint64_t k = a.offsets()[i]; k < a.offsets()[i + 1]; ++k) {
      triplets.emplace_back(static_cast<int>(i), static_cast<int>(a.column_indices()[k]), a.value(k));
    }
  }
  result.setFromTriplets(triplets.begin(), triplets.end());
  result.makeCompressed();
  return result;
}

/// Runs `body(begin, end)` over 64 pieces of rows of about as many entries: how Eigen, which has no threads
/// for this product without OpenMP, is given ours.
template <typename Body>
void share_rows(const SparseMatrix& a, const Body& body) {
  constexpr std::size_t kPieces = 64;
  const auto bound = [&](std::size_t piece) {
    const auto offsets = a.offsets();
    const auto found = std::lower_bound(offsets.begin(), offsets.end() - 1, a.entries() * piece / kPieces);
    return piece == kPieces ? a.rows() : static_cast<std::size_t>(found - offsets.begin());
  };
  parallel_for(kPieces, 1, [&](std::size_t piece, std::size_t) { body(bound(piece), bound(piece + 1)); });
}

/// Loads what the product must load, the indices and the rows of x, and stores what it must store; in between
/// one addition per vector, so that nothing is optimised away. What it reaches is the memory's limit for this
/// access pattern: x (6.7 MB) lies in the outer caches, so the limit is theirs and not the main memory's.
void gather_only(const SparseMatrix& a, const Matrix& x, Matrix& out, std::size_t begin, std::size_t end) {
  using Vector = float __attribute__((vector_size(64)));
  static_assert(kColumns == 64);
  constexpr std::uint64_t kAhead = 8;
  const std::uint64_t last = a.offsets()[end];
  const std::uint32_t* columns = a.column_indices().data();
  for (std::size_t i = begin; i < end; ++i) {
    Vector sum[4] = {};
    for (std::uint64_t k = a.offsets()[i]; k < a.offsets()[i + 1]; ++k) {
      const float* ahead = x.values().data() + kColumns * columns[std::min(k + kAhead, last - 1)];
      for (int line = 0; line < 4; ++line) __builtin_prefetch(ahead + 16 * line);
      const auto* row = reinterpret_cast<const Vector*>(x.values().data() + kColumns * columns[k]);
      for (int line = 0; line < 4; ++line) sum[line] += row[line];
    }
    std::memcpy(out.row(i).data(), sum, sizeof sum);
  }
}

/// Sparse times dense on a graph of 26,000 nodes and 2.1 million entries, 64 columns.
void sparse(benchmark::State& state) {
  set_thread_count(static_cast<std::size_t>(state.range(0)));
  const SparseMatrix a = random_graph();
  const Matrix x = random_matrix(kNodes, kColumns);
  Matrix out(kNodes, kColumns);
  Matrix gathered(kNodes, kColumns);
  const EigenSparse eigen_a = to_eigen(a);
  const EigenDense eigen_x = Eigen::Map<const EigenDense>(x.values().data(), kNodes, kColumns);
  EigenDense eigen_out(kNodes, kColumns);

  for (auto _ : state) multiply(a, x, out);

  const auto [ours, eigens, gathering] = bench::times_of(
      25, [&] { multiply(a, x, out); },
      [&] {
        share_rows(a, [&](std::size_t begin, std::size_t end) {
          const auto first = static_cast<Eigen::Index>(begin);
          const auto count = static_cast<Eigen::Index>(end - begin);
          eigen_out.middleRows(first, count).noalias() = eigen_a.middleRows(first, count) * eigen_x;
        });
      },
      [&] {
        share_rows(a, [&](std::size_t begin, std::size_t end) { gather_only(a, x, gathered, begin, end); });
      });
  for (std::size_t i = 0; i < kNodes; i += 100) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      const float other = eigen_out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      if (std::abs(out(i, j) - other) > 1e-3F) state.SkipWithError("differs from Eigen");
    }
  }
  const double bytes = static_cast<double>(a.entries()) * (kColumns * 4 + 8) + kNodes * (kColumns * 4.0 + 8);
  state.counters["GB/s"] = bytes * 1e-9 / ours.best;
  state.counters["times_faster_than_eigen"] = eigens.best / ours.best;
  state.counters["times_faster_than_eigen_median"] = eigens.median / ours.median;
  state.counters["percent_of_gather_limit"] = 100 * gathering.best / ours.best;
}
BENCHMARK(sparse)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

/// out += a^T x for a batch of 256 bags of words, 1433 words, 18 in each.
void sparse_transposed(benchmark::State& state) {
  set_thread_count(static_cast<std::size_t>(state.range(0)));
  SeededStream stream(2);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (int i = 0; i < 256; ++i) {
    for (std::uint32_t j = 0; j < 1433; ++j) {
      if (stream.below(1433) < 18) columns.push_back(j);
    }
    offsets.push_back(columns.size());
  }
  const SparseMatrix a(256, 1433, offsets, columns, {});
  const Matrix x = random_matrix(256, 64);
  Matrix out(1433, 64);
  for (auto _ : state) add_transposed_product(a, x, out);
}
BENCHMARK(sparse_transposed)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// What a loop over large arrays reaches, in bytes read and written: copy and triad of STREAM (McCalpin
/// 1995).
void memory_bandwidth(benchmark::State& state) {
  const auto threads = static_cast<std::size_t>(state.range(0));
  set_thread_count(threads);
  constexpr std::size_t kSize = std::size_t{1} << 25;  // 128 MB each
  AlignedVector<float> a(kSize, 1.0F);
  AlignedVector<float> b(kSize, 2.0F);
  AlignedVector<float> c(kSize, 3.0F);
  const auto triad = [&] {
    parallel_for(kSize, kSize / threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + 3.0F * c[i];
    });
    benchmark::DoNotOptimize(a.data());
  };
  const auto copy = [&] {
    parallel_for(kSize, kSize / threads, [&](std::size_t begin, std::size_t end) {
      std::memcpy(a.data() + begin, b.data() + begin, (end - begin) * sizeof(float));
    });
    benchmark::DoNotOptimize(a.data());
  };
  for (auto _ : state) triad();
  const auto [triad_times, copy_times] = bench::times_of(5, triad, copy);
  state.counters["triad_GB/s"] = 12e-9 * kSize / triad_times.best;
  state.counters["copy_GB/s"] = 8e-9 * kSize / copy_times.best;
}
BENCHMARK(memory_bandwidth)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace privet::tensor
