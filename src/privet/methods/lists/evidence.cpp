#include "privet/methods/lists/evidence.hpp"

#include <algorithm>
#include <cmath>

namespace privet::methods {

Evidence::Evidence(const Reports& reports, privacy::PairReports asked, double flip)
    : reports_(asked == privacy::PairReports::both_ends ? 2 : 1), flip_(flip) {
  const privacy::BitRows& ones = reports.ones;
  const std::size_t nodes = ones.rows();
  // What the upper end of a pair told, by the lower end: rows come in order, so the columns ascend.
  std::vector<std::uint64_t> begin(nodes + 1);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (const graph::NodeId j : ones.row(i)) {
      if (j >= i) break;
      ++begin[j + 1];
    }
  }
  for (std::size_t i = 0; i < nodes; ++i) begin[i + 1] += begin[i];
  std::vector<graph::NodeId> from_above(begin.back());
  std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (const graph::NodeId j : ones.row(i)) {
      if (j >= i) break;
      from_above[next[j]++] = static_cast<graph::NodeId>(i);
    }
  }
  offsets_.reserve(nodes + 1);
  offsets_.push_back(0);
  told_.reserve(ones.columns.size());
  for (std::size_t i = 0; i < nodes; ++i) {
    std::span<const graph::NodeId> own = ones.row(i);
    own = own.subspan(static_cast<std::size_t>(std::ranges::upper_bound(own, i) - own.begin()));
    const std::span<const graph::NodeId> others =
        std::span<const graph::NodeId>(from_above).subspan(begin[i], begin[i + 1] - begin[i]);
    std::size_t a = 0;
    std::size_t b = 0;
    while (a < own.size() || b < others.size()) {
      if (b == others.size() || (a < own.size() && own[a] < others[b])) {
        told_.push_back({own[a++]});
      } else if (a == own.size() || others[b] < own[a]) {
        told_.push_back({others[b++]});
      } else {
        told_.push_back({own[a++] | kTwice});
        ++b;
      }
    }
    offsets_.push_back(told_.size());
  }
}

double Evidence::ratio(unsigned ones) const {
  return std::pow((1 - flip_) / flip_, 2 * static_cast<double>(ones) - static_cast<double>(reports_));
}

}  // namespace privet::methods
