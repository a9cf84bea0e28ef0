#include "privet/core/mechanisms/votes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

#include "privet/base/parallel.hpp"
#include "privet/core/mechanisms/keyed_hash.hpp"
#include "privet/core/memberships.hpp"

namespace privet::privacy {
namespace {

constexpr std::size_t kRowsPerPiece = 256;

bool picks_high(std::uint64_t key, graph::NodeId u, graph::NodeId v) {
  const auto [low, high] = std::minmax(u, v);
  return (keyed_hash(key, low, high) & 1) != 0;
}

// The rows times a weight, in grid steps: of norm at most weight x row bound.
std::vector<std::int64_t> rounded_rows(const tensor::Matrix& x, double weight, const RowRounding& rounding) {
  const std::size_t columns = x.columns();
  std::vector<std::int64_t> rows(x.size(), 0);
  if (weight == 0) return rows;
  const RowRounding own{.grid = rounding.grid, .row_bound = rounding.row_bound * weight};
  parallel_for(x.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    std::vector<float> scaled(columns);
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::transform(x.row(i), scaled.begin(), [&](float value) {
        return static_cast<float>(static_cast<double>(value) * weight);
      });
      add_bounded_row(scaled, own, std::span(rows).subspan(i * columns, columns));
    }
  });
  return rows;
}

// Row i = sum over terms that join i and some j of row j of `rows_for(weight)`, for the weight with which i
// hears j.
template <typename RowsFor>
std::vector<std::int64_t> summed_terms(const graph::Graph& graph, std::size_t columns, const VoteRule& rule,
                                       Term term, const RowsFor& rows_for) {
  if (rule.groups.size() != graph.nodes())
    throw std::logic_error("sums of votes need a group for every node");
  // Few weights occur; the rows are made once for each.
  std::vector<double> known = {1};
  for (const std::vector<double>& row : rule.weights) known.insert(known.end(), row.begin(), row.end());
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::vector<std::vector<std::int64_t>> terms;
  for (const double weight : known) terms.push_back(rows_for(weight));

  // Every term stands once in the row of each of its ends: as an entry of `out` or, for entries, of `in`.
  const graph::Graph out = term == Term::pair ? graph.symmetrized() : graph;
  const graph::Graph in = graph.transposed();
  std::vector<std::int64_t> sums(graph.nodes() * columns, 0);
  const auto add = [&](graph::NodeId i, std::span<const graph::NodeId> others) {
    std::int64_t* const row = sums.data() + i * columns;
    for (const graph::NodeId j : others) {
      const auto which = std::ranges::lower_bound(known, rule.weight(i, j)) - known.begin();
      const std::int64_t* const vote = terms[static_cast<std::size_t>(which)].data() + j * columns;
      for (std::size_t c = 0; c < columns; ++c) row[c] += vote[c];
    }
  };
  parallel_for(graph.nodes(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const auto i = static_cast<graph::NodeId>(row);
      add(i, out.neighbors(i));
      if (term == Term::entry) add(i, in.neighbors(i));
    }
  });
  return sums;
}

}  // namespace

double VoteRule::weight(graph::NodeId i, graph::NodeId j) const {
  if (ties_by_key && groups[i] == groups[j]) return picks_high(key, i, j) == (i > j) ? 1 : 0;
  return weights[groups[i]][groups[j]];
}

double VoteRule::loudest() const {
  double most = ties_by_key ? 1 : 0;
  for (std::size_t a = 0; a < weights.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (ties_by_key && a == b) continue;
      most = std::max(most, std::hypot(weights[a][b], weights[b][a]) * (1 + 0x1p-50));
    }
  }
  return most;
}

double VoteRule::loudest_together() const {
  double most = ties_by_key ? 1 : 0;
  for (std::size_t a = 0; a < weights.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (ties_by_key && a == b) continue;
      most = std::max(most, (weights[a][b] + weights[b][a]) * (1 + 0x1p-50));
    }
  }
  return most;
}

FixedPointMatrix vote_sums(const graph::Graph& graph, const tensor::Matrix& x, const VoteRule& rule,
                           Term term, const RowRounding& rounding) {
  if (x.rows() != graph.nodes()) throw std::logic_error("sums of votes need a row for every node");
  return {.rows = x.rows(),
          .columns = x.columns(),
          .grid = rounding.grid,
          .steps = summed_terms(graph, x.columns(), rule, term,
                                [&](double weight) { return rounded_rows(x, weight, rounding); })};
}

std::vector<std::int64_t> vote_counts(const graph::Graph& graph,
                                      const std::vector<std::uint32_t>& memberships, std::size_t columns,
                                      const VoteRule& rule, Term term) {
  if (columns == 0 || memberships.size() != graph.nodes() * columns)
    throw std::logic_error("counts of votes need memberships for every node");
  for (std::size_t i = 0; i < memberships.size(); i += columns) {
    const auto row = std::span(memberships).subspan(i, columns);
    if (std::accumulate(row.begin(), row.end(), std::uint64_t{0}) > kMembershipSteps)
      throw std::logic_error("counts of votes need memberships of at most one");
  }
  return summed_terms(graph, columns, rule, term, [&](double weight) {
    std::vector<std::int64_t> rows(memberships.size());
    // A product of a weight of at most 1 and 2^20 steps is far from where doubles skip integers.
    std::ranges::transform(memberships, rows.begin(), [&](std::uint32_t steps) {
      return static_cast<std::int64_t>(std::floor(weight * static_cast<double>(steps)));
    });
    return rows;
  });
}

FixedPointMatrix own_list_votes(const graph::Graph& graph, const std::vector<std::int32_t>& labels,
                                std::size_t classes, const OwnLists& lists, double grid) {
  const std::size_t nodes = graph.nodes();
  if (labels.size() != nodes || lists.sends.size() != nodes || lists.receives.size() != nodes)
    throw std::logic_error("votes along own lists need a label and roles for every node");
  FixedPointMatrix votes{.rows = nodes,
                         .columns = classes,
                         .grid = grid,
                         .steps = std::vector<std::int64_t>(nodes * classes, 0)};
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::int32_t label = labels[i];
    if (lists.sends[i] == 0 || label < 0 || static_cast<std::size_t>(label) >= classes) continue;
    const std::span<const graph::NodeId> list = graph.neighbors(static_cast<graph::NodeId>(i));
    const auto wants = [&](graph::NodeId j) { return lists.receives[j] != 0; };
    const auto receivers = static_cast<double>(std::ranges::count_if(list, wants));
    if (receivers == 0) continue;
    // The slack is above the roundings of the root and the quotients.
    const double weight = std::min(1.0, std::sqrt(lists.list_bound / receivers) * (1 - 0x1p-50));
    const auto steps = static_cast<std::int64_t>(weight / grid * (1 - 0x1p-52));
    for (const graph::NodeId j : list) {
      if (wants(j)) votes.steps[j * classes + static_cast<std::size_t>(label)] += steps;
    }
  }
  return votes;
}

}  // namespace privet::privacy
