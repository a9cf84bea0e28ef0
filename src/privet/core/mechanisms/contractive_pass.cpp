#include "privet/core/mechanisms/contractive_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "privet/core/mechanisms/contractive_pass.cpp"  // once per instruction set
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/noise/gaussian.hpp"

#ifndef PRIVET_CONTRACTIVE_PASS_ONCE_
#define PRIVET_CONTRACTIVE_PASS_ONCE_
namespace privet::privacy {

// What one pass reads and writes.
struct Pass {
  const std::uint64_t* offsets;
  const graph::NodeId* columns;
  std::uint64_t entries;
  std::size_t width;
  const float* rows;           // P(X) over sqrt(b), as they are gathered
  const float* x0;             // P(X0)
  const double* row_scale;     // C s / sqrt(a)
  const double* column_scale;  // 1 / sqrt(b)
  const double* mean;          // C (1 - s) mean(X)
  double residual;
  double grid;  // 0: no rounding
  bool is_last;
  float* next;  // P(X) over sqrt(b), or X itself after the last hop
};

}  // namespace privet::privacy
#endif

HWY_BEFORE_NAMESPACE();
namespace privet::privacy {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::uint64_t kAhead = 32;  // entries between asking for a row and adding it

// Asks for the row of an entry, or for its beginning where it is long: the processor sees the rest coming.
HWY_INLINE void ask_for(const Pass& pass, std::uint64_t entry) {
  if (entry >= pass.entries) return;
  const auto* row = reinterpret_cast<const char*>(pass.rows + pass.columns[entry] * pass.width);
  const std::size_t bytes = std::min<std::size_t>(pass.width * sizeof(float), 256);
  for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(row + line);
}

// Columns [first, first + kVectors x lanes) of the sums of row `i`, own row included: in registers. The first
// stripe of a row asks for the rows of later entries, one for each that it adds.
template <std::size_t kVectors, class D>
HWY_INLINE void sum_stripe(D d, const Pass& pass, std::size_t i, std::size_t first, double* sums) {
  const hn::Rebind<float, D> narrow;
  const std::size_t lanes = hn::Lanes(d);
  const float* const origin = pass.rows + first;
  const std::size_t width = pass.width;
  const auto load = [&](const float* row, std::size_t part)
                        HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(narrow, row + part * lanes)); };
  const float* const own = origin + i * width;
  auto sum0 = load(own, 0), sum1 = hn::Zero(d), sum2 = sum1, sum3 = sum1;
  if constexpr (kVectors > 1) sum1 = load(own, 1);
  if constexpr (kVectors > 2) {
    sum2 = load(own, 2);
    sum3 = load(own, 3);
  }
  const std::uint64_t last = pass.offsets[i + 1];
  for (std::uint64_t k = pass.offsets[i]; k < last; ++k) {
    if (first == 0) ask_for(pass, k + kAhead);
    const float* const row = origin + pass.columns[k] * width;
    sum0 = hn::Add(sum0, load(row, 0));
    if constexpr (kVectors > 1) sum1 = hn::Add(sum1, load(row, 1));
    if constexpr (kVectors > 2) {
      sum2 = hn::Add(sum2, load(row, 2));
      sum3 = hn::Add(sum3, load(row, 3));
    }
  }
  hn::StoreU(sum0, d, sums);
  if constexpr (kVectors > 1) hn::StoreU(sum1, d, sums + lanes);
  if constexpr (kVectors > 2) {
    hn::StoreU(sum2, d, sums + 2 * lanes);
    hn::StoreU(sum3, d, sums + 3 * lanes);
  }
}

HWY_INLINE void sum_row(const Pass& pass, std::size_t i, double* sums) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t first = 0;
  for (; first + 4 * lanes <= pass.width; first += 4 * lanes) sum_stripe<4>(d, pass, i, first, sums + first);
  for (; first + 2 * lanes <= pass.width; first += 2 * lanes) sum_stripe<2>(d, pass, i, first, sums + first);
  for (; first + lanes <= pass.width; first += lanes) sum_stripe<1>(d, pass, i, first, sums + first);
  const hn::CappedTag<double, 1> one;
  for (; first < pass.width; ++first) sum_stripe<1>(one, pass, i, first, sums + first);
}

// One number of the new state: the layer, the grid, the noise.
template <class D>
HWY_INLINE hn::Vec<D> state_of(D d, const Pass& pass, hn::Vec<D> sum, std::size_t i, std::size_t j,
                               const std::int32_t* noise) {
  const hn::Rebind<float, D> narrow;
  const hn::Rebind<std::int32_t, D> whole;
  auto value = hn::MulAdd(sum, hn::Set(d, pass.row_scale[i]), hn::LoadU(d, pass.mean + j));
  const auto start = hn::PromoteTo(d, hn::LoadU(narrow, pass.x0 + i * pass.width + j));
  value = hn::MulAdd(start, hn::Set(d, pass.residual), value);
  if (pass.grid == 0) return value;
  const auto most = hn::Set(d, static_cast<double>(kMostSteps));
  auto steps = hn::Round(hn::Mul(value, hn::Set(d, 1 / pass.grid)));
  steps = hn::Min(hn::Max(steps, hn::Neg(most)), most);
  steps = hn::Add(steps, hn::PromoteTo(d, hn::LoadU(whole, noise + j)));
  return hn::Mul(steps, hn::Set(d, pass.grid));
}

template <class D>
HWY_INLINE void store_part(D, hn::Vec<D> values, float* to) {
  const hn::Rebind<float, D> narrow;
  hn::StoreU(hn::DemoteTo(narrow, values), narrow, to);
}

// Rows [begin, end); `noise` and `sums` (one row) belong to the piece, `total` adds up what is kept.
void pass_rows(const Pass& pass, std::size_t begin, std::size_t end, const std::int32_t* noise, double* sums,
               double* total) {
  const hn::ScalableTag<double> d;
  const hn::CappedTag<double, 1> one;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t width = pass.width;
  for (std::size_t i = begin; i < end; ++i, noise += width) {
    sum_row(pass, i, sums);
    float* const next = pass.next + i * width;
    auto squares = hn::Zero(d);
    double rest = 0;
    std::size_t j = 0;
    for (; j + lanes <= width; j += lanes) {
      const auto state = state_of(d, pass, hn::LoadU(d, sums + j), i, j, noise);
      squares = hn::MulAdd(state, state, squares);
      hn::StoreU(state, d, sums + j);
    }
    for (; j < width; ++j) {
      const auto state = state_of(one, pass, hn::LoadU(one, sums + j), i, j, noise);
      rest += hn::GetLane(state) * hn::GetLane(state);
      hn::StoreU(state, one, sums + j);
    }
    const double norm = hn::GetLane(hn::SumOfLanes(d, squares)) + rest;
    const double kept = pass.is_last || norm <= 1 ? 1 : 1 / std::sqrt(norm);
    const double scale = pass.is_last ? 1 : kept * pass.column_scale[i];
    for (j = 0; j + lanes <= width; j += lanes) {
      const auto state = hn::LoadU(d, sums + j);
      store_part(d, hn::Mul(state, hn::Set(d, scale)), next + j);
      hn::StoreU(hn::MulAdd(state, hn::Set(d, kept), hn::LoadU(d, total + j)), d, total + j);
    }
    for (; j < width; ++j) {
      next[j] = static_cast<float>(sums[j] * scale);
      total[j] += sums[j] * kept;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace privet::privacy
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace privet::privacy {
namespace {

HWY_EXPORT(pass_rows);

constexpr std::size_t kNumbersPerPiece = std::size_t{1} << 14;

// P: rows of norm at most 1, up to the rounding that hop_rounding knows of.
tensor::Matrix projected(const tensor::Matrix& x) {
  tensor::Matrix result = x;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    double squares = 0;
    for (const float value : x.row(i)) squares += static_cast<double>(value) * static_cast<double>(value);
    const double scale = !std::isfinite(squares) ? 0 : squares <= 1 ? 1 : 1 / std::sqrt(squares);
    for (float& value : result.row(i))
      value = scale == 0 ? 0.0F : static_cast<float>(static_cast<double>(value) * scale);
  }
  return result;
}

struct Scales {
  std::vector<double> of_rows;     // C s / sqrt(a)
  std::vector<double> of_columns;  // 1 / sqrt(b)
};

Scales scales_of(const graph::Graph& graph, const ContractiveLayer& layer) {
  const std::size_t nodes = graph.nodes();
  const double strength = layer.contraction * layer.graph_share;
  if (layer.kind == ContractiveLayer::Kind::bounded) {
    return {std::vector<double>(nodes, strength / (static_cast<double>(layer.bound) + 1)),
            std::vector<double>(nodes, 1)};
  }
  const graph::Graph turned = graph.transposed();
  const auto root = [&](std::size_t degree) {
    return std::sqrt(static_cast<double>(std::max<std::uint64_t>(degree + 1, layer.bound)));
  };
  Scales scales{std::vector<double>(nodes), std::vector<double>(nodes)};
  for (std::size_t i = 0; i < nodes; ++i) {
    scales.of_rows[i] = strength / root(graph.degree(static_cast<graph::NodeId>(i)));
    scales.of_columns[i] = 1 / root(turned.degree(static_cast<graph::NodeId>(i)));
  }
  return scales;
}

}  // namespace

tensor::Matrix contractive_states(const graph::Graph& graph, const ContractiveLayer& layer,
                                  std::uint64_t hops, const tensor::Matrix& x0, const HopNoise& noise,
                                  RandomStream& stream) {
  require_sensible(layer);
  if (x0.rows() != graph.nodes()) throw std::logic_error("contractive hops need a row for every node");
  assert(graph.nodes() > 100'000 || stretching(graph, layer) <= layer.contraction * (1 + 1e-9));
  const std::size_t nodes = x0.rows();
  const std::size_t width = x0.columns();
  const tensor::Matrix start = projected(x0);
  if (hops == 0 || width == 0 || nodes == 0) return start;
  const Scales scales = scales_of(graph, layer);
  const std::size_t grain = std::max<std::size_t>(1, kNumbersPerPiece / width);
  const std::size_t pieces = (nodes + grain - 1) / grain;
  std::vector<double> totals(pieces * width);
  std::vector<double> mean(width);
  // The mean of what the totals hold, in the order of the pieces.
  const auto take_mean = [&] {
    std::ranges::fill(mean, 0.0);
    for (std::size_t p = 0; p < pieces; ++p)
      for (std::size_t j = 0; j < width; ++j) mean[j] += totals[p * width + j];
    for (double& value : mean)
      value *= layer.contraction * (1 - layer.graph_share) / static_cast<double>(nodes);
  };
  tensor::Matrix rows(nodes, width);
  tensor::Matrix next(nodes, width);
  std::ranges::fill(totals, 0.0);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const auto value = static_cast<double>(start(i, j));
      rows(i, j) = static_cast<float>(value * scales.of_columns[i]);
      totals[i / grain * width + j] += value;
    }
  }
  const auto kernel = HWY_DYNAMIC_DISPATCH(pass_rows);
  const std::unique_ptr<RandomStream> base = stream.fork("contractive", stream.bits());
  for (std::uint64_t hop = 0; hop < hops; ++hop) {
    take_mean();
    std::ranges::fill(totals, 0.0);
    const Pass pass{.offsets = graph.offsets().data(),
                    .columns = graph.columns().data(),
                    .entries = graph.stored_entries(),
                    .width = width,
                    .rows = rows.values().data(),
                    .x0 = start.values().data(),
                    .row_scale = scales.of_rows.data(),
                    .column_scale = scales.of_columns.data(),
                    .mean = mean.data(),
                    .residual = layer.residual,
                    .grid = noise.stddev > 0 ? noise.grid : 0,
                    .is_last = hop + 1 == hops,
                    .next = next.values().data()};
    const std::unique_ptr<RandomStream> of_hop = base->fork("hop", hop);
    const auto body = [&](std::size_t begin, std::size_t end) {
      thread_local std::vector<std::int32_t> drawn;
      thread_local std::vector<double> sums;
      drawn.assign((end - begin) * width, 0);
      sums.resize(width);
      if (noise.stddev > 0) {
        const std::unique_ptr<RandomStream> own = of_hop->fork("piece", begin / grain);
        fill_rounded_gaussian(*own, noise.stddev / noise.grid, drawn);
      }
      kernel(pass, begin, end, drawn.data(), sums.data(), totals.data() + begin / grain * width);
    };
    parallel_for(nodes, grain, std::cref(body));
    std::swap(rows, next);
  }
  return rows;
}

double hop_rounding(const ContractiveLayer& layer, std::uint64_t nodes, std::uint64_t columns, double grid) {
  const auto n = static_cast<double>(nodes);
  const double on_grid = grid * std::sqrt(n * static_cast<double>(columns));
  const double in_floats = 0x1p-22 * std::sqrt(n);
  const double in_doubles =
      0x1p-50 * std::sqrt(n) * (n + static_cast<double>(columns) + 16) * (1 + layer.residual);
  return on_grid + in_floats + in_doubles;
}

}  // namespace privet::privacy

#endif  // HWY_ONCE
