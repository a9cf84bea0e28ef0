#include "privet/methods/lists/link_posterior.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "privet/base/parallel.hpp"
#include "privet/graph/mirror.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kRowsPerPiece = 128;

// Positive floats compare as their bits do.
std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

struct Piece {
  std::vector<std::uint32_t> lengths;
  std::vector<graph::NodeId> columns;
};

std::size_t pieces_of(std::size_t nodes) { return (nodes + kRowsPerPiece - 1) / kRowsPerPiece; }

}  // namespace

LinkPosterior::LinkPosterior(std::shared_ptr<const LinkPrior> prior, std::shared_ptr<const Evidence> evidence,
                             const PriorBounds& bounds, std::shared_ptr<const LinkPrior> turned)
    : prior_(std::move(prior)), turned_(std::move(turned)), evidence_(std::move(evidence)), bounds_(bounds) {
  for (unsigned ones = 0; ones < 3; ++ones) rules_[ones] = rule(ones);
}

std::span<const Triangle> LinkPosterior::triangles() const {
  static constexpr std::array<Triangle, 2> both = {Triangle::upper, Triangle::lower};
  return std::span(both).first(symmetric() ? 1 : 2);
}

tensor::EvidenceRule LinkPosterior::rule(unsigned ones) const {
  const auto least = static_cast<float>(bounds_.least);
  // Below 1 in float32 too: else no evidence could speak against it.
  const float most = std::min(static_cast<float>(bounds_.most), 1 - 0x1p-20F);
  tensor::EvidenceRule rule{.ratio = static_cast<float>(evidence_->ratio(ones)), .subtract = 1};
  if (prior_->odds()) {
    rule.subtract = 0;
    rule.least = least / (1 - least);
    rule.most = most / (1 - most);
  } else if (bounds_.published) {
    rule.least = -std::numeric_limits<float>::max();
    rule.most = std::numeric_limits<float>::max();
  } else {
    rule.least = least;
    rule.most = most;
  }
  return rule;
}

double LinkPosterior::at(std::size_t i, std::size_t j) const {
  if (i == j && !(bounds_.published && !prior_->odds())) return 0;
  const auto [low, high] = std::minmax(i, j);
  unsigned ones = 0;
  for (const Evidence::Told& told : evidence_->row(low)) {
    if (told.other() == high) ones = told.ones();
  }
  const LinkPrior& prior = i > j && turned_ ? *turned_ : *prior_;
  return static_cast<double>(rules_[ones].apply(prior.at(low, high)));
}

void LinkPosterior::upper_row(std::size_t i, std::size_t first, std::span<float> out, std::size_t& cursor,
                              Triangle triangle) const {
  const LinkPrior& prior = triangle == Triangle::lower && turned_ ? *turned_ : *prior_;
  const std::span<const Evidence::Told> told = evidence_->row(i);
  const std::size_t end = first + out.size();
  while (cursor < told.size() && told[cursor].other() < first) ++cursor;
  // Where many were told as 1 every pair has a ratio of its own; else those few are looked at one by one.
  if (told.size() > nodes() / 64) {
    static thread_local std::vector<float> memory;
    memory.assign(out.size(), rules_[0].ratio);
    const std::span<float> ratios = memory;
    const std::array<float, 3> by_ones = {rules_[0].ratio, rules_[1].ratio, rules_[2].ratio};
    for (; cursor < told.size() && told[cursor].other() < end; ++cursor)
      ratios[told[cursor].other() - first] = by_ones[told[cursor].ones()];
    prior.row_by_rule(i, first, rules_[0], ratios, out);
  } else {
    prior.row_by_rule(i, first, rules_[0], {}, out);
    for (; cursor < told.size() && told[cursor].other() < end; ++cursor) {
      const std::size_t j = told[cursor].other();
      out[j - first] = rules_[told[cursor].ones()].apply(prior.at(i, j));
    }
  }
  if (i >= first && i < end && !(bounds_.published && !prior_->odds())) out[i - first] = 0;
}

template <typename Body>
void LinkPosterior::for_each_row(Triangle triangle, const Body& body) const {
  const std::size_t n = nodes();
  parallel_for(n, kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<float> row(n);
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t cursor = 0;
      const std::span<float> upper = std::span(row).subspan(i + 1);
      upper_row(i, i + 1, upper, cursor, triangle);
      body(i, std::span<const float>(upper));
    }
  });
}

template <typename Keep>
graph::Graph LinkPosterior::pairs(const Keep& keep) const {
  const std::string name = "reconstructed graph";
  graph::EdgeList entries;
  for (const Triangle triangle : triangles()) {
    std::vector<Piece> pieces(pieces_of(nodes()));
    for_each_row(triangle, [&](std::size_t i, std::span<const float> upper) {
      Piece& piece = pieces[i / kRowsPerPiece];
      const std::size_t before = piece.columns.size();
      keep(triangle, i, upper, piece.columns);
      piece.lengths.push_back(static_cast<std::uint32_t>(piece.columns.size() - before));
    });
    std::vector<graph::UpperRows> rows;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      rows.push_back({.first_row = static_cast<graph::NodeId>(p * kRowsPerPiece),
                      .lengths = pieces[p].lengths,
                      .columns = pieces[p].columns});
    }
    if (symmetric()) return graph::Graph::from_upper_rows(nodes(), rows, name);
    for (const graph::UpperRows& piece : rows) {
      std::size_t next = 0;
      for (std::size_t r = 0; r < piece.lengths.size(); ++r) {
        const auto i = static_cast<graph::NodeId>(piece.first_row + r);
        for (const graph::NodeId j : piece.columns.subspan(next, piece.lengths[r])) {
          if (triangle == Triangle::upper) {
            entries.add(j, i);
          } else {
            entries.add(i, j);
          }
        }
        next += piece.lengths[r];
      }
    }
  }
  return {nodes(), std::move(entries), graph::Direction::directed, name};
}

graph::Graph LinkPosterior::hard() const {
  return pairs(
      [](Triangle, std::size_t i, std::span<const float> upper, std::vector<graph::NodeId>& columns) {
        std::size_t left = tensor::count_above(upper, 0.5F);
        for (std::size_t j = 0; left > 0; ++j) {
          if (upper[j] <= 0.5F) continue;
          columns.push_back(static_cast<graph::NodeId>(i + 1 + j));
          --left;
        }
      });
}

graph::Graph LinkPosterior::sampled(const RandomStream& stream) const {
  return pairs([&](Triangle triangle, std::size_t i, std::span<const float> upper,
                   std::vector<graph::NodeId>& columns) {
    const std::unique_ptr<RandomStream> coins =
        stream.fork(triangle == Triangle::upper ? "row" : "turned row", i);
    for (std::size_t j = 0; j < upper.size(); ++j) {
      if (coins->uniform() < static_cast<double>(upper[j]))
        columns.push_back(static_cast<graph::NodeId>(i + 1 + j));
    }
  });
}

double LinkPosterior::total() const {
  std::vector<double> sums(nodes());
  for (const Triangle triangle : triangles()) {
    for_each_row(triangle, [&](std::size_t i, std::span<const float> upper) {
      double sum = 0;
      for (const float one : upper) sum += static_cast<double>(one);
      sums[i] += sum;
    });
  }
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

std::vector<double> LinkPosterior::row_sums() const {
  const std::size_t n = nodes();
  // Columns are added up by piece of rows and the pieces in order, whatever the number of threads.
  constexpr std::size_t kShares = 16;
  std::vector<std::vector<double>> shares(kShares);
  parallel_for(kShares, 1, [&](std::size_t share, std::size_t) {
    std::vector<double>& sums = shares[share];
    sums.resize(n);
    std::vector<float> row(n);
    std::vector<float> turned_row(symmetric() ? 0 : n);
    for (std::size_t i = share; i < n; i += kShares) {
      std::size_t cursor = 0;
      const std::span<float> upper = std::span(row).subspan(i);
      upper_row(i, i, upper, cursor);
      std::span<float> lower = upper;
      if (!symmetric()) {
        lower = std::span(turned_row).subspan(i);
        cursor = 0;
        upper_row(i, i, lower, cursor, Triangle::lower);
      }
      double own = static_cast<double>(upper[0]);
      for (std::size_t j = 1; j < upper.size(); ++j) {
        own += static_cast<double>(upper[j]);
        sums[i + j] += static_cast<double>(lower[j]);
      }
      sums[i] += own;
    }
  });
  std::vector<double> total(n);
  for (const std::vector<double>& sums : shares) {
    for (std::size_t i = 0; i < n; ++i) total[i] += sums[i];
  }
  return total;
}

tensor::SparseMatrix LinkPosterior::top() const {
  const std::size_t n = nodes();
  const double sum = total();
  if (!std::isfinite(sum))
    throw Error({.what = "probabilities of links that are no numbers", .where = "top of a graph"});
  const auto keep = static_cast<std::uint64_t>(sum);
  // The bits of the keep-th largest, first their upper half, then the lower one.
  const auto histogram = [&](std::uint32_t prefix, bool lower) {
    std::vector<std::vector<std::uint64_t>> counts(pieces_of(n) < 8 ? 1 : 8,
                                                   std::vector<std::uint64_t>(0x10000));
    const std::size_t shares = counts.size();
    parallel_for(shares, 1, [&](std::size_t share, std::size_t) {
      std::vector<float> row(n);
      for (std::size_t i = share; i < n; i += shares) {
        for (const Triangle triangle : triangles()) {
          std::size_t cursor = 0;
          const std::span<float> upper = std::span(row).subspan(i + 1);
          upper_row(i, i + 1, upper, cursor, triangle);
          for (const float one : upper) {
            const std::uint32_t word = bits_of(one);
            if (!lower) {
              ++counts[share][word >> 16U];
            } else if (word >> 16U == prefix) {
              ++counts[share][word & 0xffffU];
            }
          }
        }
      }
    });
    for (std::size_t share = 1; share < shares; ++share) {
      for (std::size_t cell = 0; cell < 0x10000; ++cell) counts[0][cell] += counts[share][cell];
    }
    return counts[0];
  };
  std::uint64_t wanted = keep;
  const auto cell_of = [&](const std::vector<std::uint64_t>& counts) {
    for (std::uint32_t cell = 0x10000; cell-- > 0;) {
      if (counts[cell] >= wanted) return cell;
      wanted -= counts[cell];
    }
    return std::uint32_t{0};
  };
  std::uint32_t least = 0xffffffffU;
  if (keep > 0) {
    const std::uint32_t upper = cell_of(histogram(0, false));
    least = upper << 16U | cell_of(histogram(upper, true));
  }
  // `wanted` of those with exactly these bits are kept: the first, in the order of rows. A pair is an entry
  // above the diagonal and one below it, or one of them where P is not symmetric.
  struct Weighted {
    graph::NodeId i;
    graph::NodeId j;
    float weight;
  };
  std::vector<Weighted> above;
  std::vector<Weighted> below;
  for (const Triangle triangle : triangles()) {
    std::vector<std::vector<Weighted>> found(pieces_of(n));
    for_each_row(triangle, [&](std::size_t i, std::span<const float> upper) {
      for (std::size_t j = 0; j < upper.size(); ++j) {
        if (bits_of(upper[j]) >= least && upper[j] > 0)
          found[i / kRowsPerPiece].push_back(
              {static_cast<graph::NodeId>(i), static_cast<graph::NodeId>(i + 1 + j), upper[j]});
      }
    });
    std::vector<Weighted>& kept = symmetric() || triangle == Triangle::lower ? above : below;
    for (const std::vector<Weighted>& piece : found) {
      for (const Weighted& one : piece) {
        if (bits_of(one.weight) == least && wanted-- == 0) {
          wanted = 0;
          continue;
        }
        kept.push_back(one);
      }
    }
  }
  if (symmetric()) below = above;
  std::vector<std::uint64_t> offsets(n + 1);
  for (const Weighted& one : above) ++offsets[one.i + 1];
  for (const Weighted& one : below) ++offsets[one.j + 1];
  for (std::size_t i = 0; i < n; ++i) offsets[i + 1] += offsets[i];
  std::vector<std::uint32_t> columns(offsets[n]);
  tensor::AlignedVector<float> values(offsets[n]);
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  const auto place = [&](graph::NodeId row, graph::NodeId column, float weight) {
    const std::uint64_t at = next[row]++;
    columns[at] = column;
    values[at] = weight;
  };
  // First what lies below the diagonal, whose columns come before.
  for (const Weighted& one : below) place(one.j, one.i, one.weight);
  for (const Weighted& one : above) place(one.i, one.j, one.weight);
  return {n, n, std::move(offsets), std::move(columns), std::move(values), "likeliest pairs"};
}

}  // namespace privet::methods
