#include "privet/methods/lists/smooth_links.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "privet/tensor/dense_product.hpp"
#include "privet/tensor/odds.hpp"

namespace privet::methods {
namespace {

// Products of two columns of a basis with more of them than this would be too many: their square is left out.
constexpr std::size_t kMostColumns = 24;

}  // namespace

std::optional<SmoothLinks> SmoothLinks::of(const LinkPosterior& links) {
  const std::optional<PriorFactors> factors = links.prior().factors();
  if (!factors || !links.symmetric()) return {};
  const tensor::EvidenceRule rule = links.rule_of(0);
  const std::size_t n = factors->basis.rows();
  const std::size_t r = factors->basis.columns();
  // v ratio / (1 + v (ratio - subtract)), to the second power of v.
  const float first = rule.ratio;
  const float second = -rule.ratio * (rule.ratio - rule.subtract);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (r <= kMostColumns) {
    for (std::size_t a = 0; a < r; ++a) {
      for (std::size_t b = a; b < r; ++b) pairs.emplace_back(a, b);
    }
  }
  tensor::Matrix basis(n, r + pairs.size());
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<const float> row = factors->basis.row(i);
    std::ranges::copy(row, basis.row(i).begin());
    for (std::size_t p = 0; p < pairs.size(); ++p)
      basis(i, r + p) = row[pairs[p].first] * row[pairs[p].second];
  }
  // A negative prior becomes the probability 0: where nodes are in one cluster each, this is that.
  const auto entry = [&](std::size_t a, std::size_t b) { return std::max(0.0F, factors->core(a, b)); };
  tensor::Matrix core(r + pairs.size(), r + pairs.size());
  for (std::size_t a = 0; a < r; ++a) {
    for (std::size_t b = 0; b < r; ++b) core(a, b) = first * entry(a, b);
  }
  // (sum over a, b of x_a core_ab y_b)^2 in products x_a x_c and y_b y_d: each unordered pair of different
  // columns stands for two orders.
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto [a, c] = pairs[p];
    for (std::size_t q = 0; q < pairs.size(); ++q) {
      const auto [b, d] = pairs[q];
      float sum = entry(a, b) * entry(c, d);
      if (a != c) sum += entry(c, b) * entry(a, d);
      if (b != d) sum += entry(a, d) * entry(c, b);
      if (a != c && b != d) sum += entry(c, d) * entry(a, b);
      core(r + p, r + q) = second * sum;
    }
  }
  return SmoothLinks(std::move(basis), std::move(core));
}

SmoothLinks::SmoothLinks(tensor::Matrix basis, tensor::Matrix core)
    : basis_(std::move(basis)), core_(std::move(core)), transposed_(basis_.columns(), basis_.rows()) {
  for (std::size_t i = 0; i < basis_.rows(); ++i) {
    for (std::size_t a = 0; a < basis_.columns(); ++a) transposed_(a, i) = basis_(i, a);
  }
}

void SmoothLinks::row(std::size_t i, std::size_t first, std::span<float> out) const {
  static thread_local std::vector<float> factors;
  factors.assign(core_.columns(), 0.0F);
  for (std::size_t a = 0; a < core_.rows(); ++a) {
    const float own = basis_(i, a);
    if (own == 0) continue;
    for (std::size_t b = 0; b < factors.size(); ++b) factors[b] += own * core_(a, b);
  }
  tensor::combine_row(factors, transposed_.values().data() + first, basis_.rows(), out);
}

void SmoothLinks::add_product(tensor::ConstMatrixView x, tensor::MatrixView out) const {
  tensor::Matrix gathered(core_.rows(), x.columns);
  tensor::transposed_product(basis_, x, gathered);
  tensor::Matrix turned(core_.rows(), x.columns);
  tensor::product(core_, gathered, turned);
  tensor::product(basis_, turned, out, 1);
}

}  // namespace privet::methods
