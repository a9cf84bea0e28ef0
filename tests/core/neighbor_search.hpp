#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/unit.hpp"
#include "privet/graph/graph.hpp"
#include "privet/tensor/matrix.hpp"

/// Looks for neighbouring data sets on which a query moves far: exhaustively on small graphs, by hill
/// climbing on larger ones. A test asserts that what it finds is never above the stated sensitivity, and
/// reaches it where the bound is said to be tight.
namespace privet::privacy::testing {

inline constexpr int kBlankLabel = -1;

/// A small data set, spelled out: A[i][j], one row of numbers and one label per node.
struct World {
  std::size_t nodes = 0;
  std::vector<std::uint8_t> entries;
  std::vector<std::vector<double>> rows;
  std::vector<int> labels;

  World(std::size_t count, std::size_t columns)
      : nodes(count), entries(count * count), rows(count, std::vector<double>(columns)), labels(count) {}

  [[nodiscard]] bool has(std::size_t i, std::size_t j) const { return entries[i * nodes + j] != 0; }
  void flip(std::size_t i, std::size_t j, bool both_ways) {
    entries[i * nodes + j] ^= 1;
    if (both_ways) entries[j * nodes + i] ^= 1;
  }
  [[nodiscard]] std::size_t row_sum(std::size_t i) const {
    return static_cast<std::size_t>(std::count(entries.begin() + static_cast<std::ptrdiff_t>(i * nodes),
                                               entries.begin() + static_cast<std::ptrdiff_t>((i + 1) * nodes),
                                               std::uint8_t{1}));
  }
  [[nodiscard]] std::size_t column_sum(std::size_t j) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < nodes; ++i) sum += has(i, j);
    return sum;
  }

  [[nodiscard]] graph::Graph graph(bool undirected) const {
    graph::EdgeList edges;
    for (std::size_t i = 0; i < nodes; ++i) {
      for (std::size_t j = 0; j < nodes; ++j) {
        if (has(i, j)) edges.add(static_cast<graph::NodeId>(i), static_cast<graph::NodeId>(j));
      }
    }
    return {nodes, std::move(edges), undirected ? graph::Direction::undirected : graph::Direction::directed,
            "world"};
  }
  [[nodiscard]] tensor::Matrix matrix() const {
    tensor::Matrix x(nodes, rows[0].size());
    for (std::size_t i = 0; i < nodes; ++i) {
      for (std::size_t j = 0; j < x.columns(); ++j) x(i, j) = static_cast<float>(rows[i][j]);
    }
    return x;
  }
};

/// Two data sets and the node in which they differ (of the units that are about a person).
struct Pair {
  World first;
  World second;
  std::size_t person = 0;
};

/// A query sees one world and the protected person, whose own row it may have to leave out.
using Query = std::function<std::vector<double>(const World&, std::size_t person)>;

enum class Norm { l1, l2 };

inline double distance(const std::vector<double>& a, const std::vector<double>& b, Norm norm) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    total += norm == Norm::l1 ? std::abs(a[i] - b[i]) : (a[i] - b[i]) * (a[i] - b[i]);
  }
  return norm == Norm::l1 ? total : std::sqrt(total);
}

/// What the two worlds may draw their rows and labels from. With `rows_change` row `person` differs too,
/// where the unit protects it; otherwise rows are nobody's.
struct Alphabet {
  std::vector<std::vector<double>> rows = {{1.0}, {-1.0}};
  int classes = 1;
  bool rows_change = false;
};

inline bool blanks(const Unit& unit) {
  return (unit.kind() == Unit::Kind::node || unit.kind() == Unit::Kind::record) &&
         unit.adjacency() == Adjacency::add_remove;
}

inline bool symmetric(const Unit& unit) {
  return unit.kind() == Unit::Kind::edge || unit.kind() == Unit::Kind::k_neighbor ||
         unit.kind() == Unit::Kind::node;
}

/// The definition of each unit once more, independent of the code under test: whether the *graphs* of the
/// pair are neighbours (rows and labels are kept so by the search).
inline bool are_neighbors(const Pair& pair, const Unit& unit) {
  const World& a = pair.first;
  const World& b = pair.second;
  const std::size_t n = a.nodes;
  std::size_t differing = 0;
  std::size_t in_row = 0;
  std::size_t in_column = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (a.has(i, i) || b.has(i, i)) return false;
    for (std::size_t j = 0; j < n; ++j) {
      if (symmetric(unit) && (a.has(i, j) != a.has(j, i) || b.has(i, j) != b.has(j, i))) return false;
      if (a.has(i, j) == b.has(i, j)) continue;
      ++differing;
      in_row += i == pair.person;
      in_column += j == pair.person;
    }
  }
  switch (unit.kind()) {
    case Unit::Kind::edge:
      return differing == 2;
    case Unit::Kind::directed_edge:
    case Unit::Kind::local_edge:
      return differing == 1;
    case Unit::Kind::k_neighbor:
      return differing == in_row + in_column && in_row <= unit.k() && in_column <= unit.k();
    case Unit::Kind::node: {
      if (differing != in_row + in_column) return false;
      if (blanks(unit) && b.row_sum(pair.person) + b.column_sum(pair.person) != 0) return false;
      for (std::size_t i = 0; i < n; ++i) {
        if (std::max({a.row_sum(i), a.column_sum(i), b.row_sum(i), b.column_sum(i)}) > unit.max_degree()) {
          return false;
        }
      }
      return true;
    }
    case Unit::Kind::record:
      return differing == in_row && (!blanks(unit) || b.row_sum(pair.person) == 0);
    case Unit::Kind::none:
      return false;
  }
  return false;
}

struct Found {
  double largest = 0;
  std::uint64_t pairs = 0;  ///< neighbours looked at; a search that looked at none proves nothing
  std::uint64_t improved = 0;
};

namespace detail {

inline void see(Found& found, const Pair& pair, const Query& query, Norm norm) {
  ++found.pairs;
  const double moved = distance(query(pair.first, pair.person), query(pair.second, pair.person), norm);
  if (moved > found.largest) {
    found.largest = moved;
    ++found.improved;
  }
}

// Calls `body` for every way of choosing `count` things out of `kinds`.
inline void for_each_choice(std::size_t count, std::size_t kinds,
                            const std::function<void(const std::vector<std::size_t>&)>& body) {
  std::vector<std::size_t> choice(count, 0);
  while (true) {
    body(choice);
    std::size_t at = 0;
    while (at < count && ++choice[at] == kinds) choice[at++] = 0;
    if (at == count) return;
  }
}

inline void dress(Pair& pair, const Unit& unit, const Alphabet& alphabet, const Query& query, Norm norm,
                  Found& found) {
  const std::size_t n = pair.first.nodes;
  const std::size_t r = pair.person;
  for_each_choice(n, alphabet.rows.size(), [&](const std::vector<std::size_t>& row_choice) {
    for_each_choice(n, static_cast<std::size_t>(alphabet.classes),
                    [&](const std::vector<std::size_t>& labels) {
                      for (std::size_t i = 0; i < n; ++i) {
                        pair.first.rows[i] = pair.second.rows[i] = alphabet.rows[row_choice[i]];
                        pair.first.labels[i] = pair.second.labels[i] = static_cast<int>(labels[i]);
                      }
                      if (!unit.protects_features()) {
                        see(found, pair, query, norm);
                        return;
                      }
                      if (blanks(unit)) {
                        if (alphabet.rows_change)
                          std::fill(pair.second.rows[r].begin(), pair.second.rows[r].end(), 0.0);
                        pair.second.labels[r] = kBlankLabel;
                        see(found, pair, query, norm);
                        return;
                      }
                      for (int label = 0; label < alphabet.classes; ++label) {
                        pair.second.labels[r] = label;
                        for (const auto& row : alphabet.rows) {
                          if (alphabet.rows_change) pair.second.rows[r] = row;
                          see(found, pair, query, norm);
                          if (!alphabet.rows_change) break;
                        }
                      }
                    });
  });
}

}  // namespace detail

/// All graphs on `nodes` nodes, all their neighbours (with the person being node 0: the others are the same
/// by renumbering), all rows and labels of the alphabet.
inline Found search_all(std::size_t nodes, const Unit& unit, const Alphabet& alphabet, const Query& query,
                        Norm norm) {
  const bool both = symmetric(unit);
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t j = both ? i + 1 : 0; j < nodes; ++j) {
      if (i != j) places.emplace_back(i, j);
    }
  }
  // The places in which neighbours may differ, as sets.
  std::vector<std::uint64_t> changes;
  std::vector<std::size_t> touching;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const bool at_person =
        places[p].first == 0 || (unit.kind() != Unit::Kind::record && places[p].second == 0);
    if (!unit.protects_features()) changes.push_back(std::uint64_t{1} << p);
    if (unit.protects_features() && at_person) touching.push_back(p);
  }
  if (unit.protects_features()) {
    for (std::uint64_t subset = 0; subset < std::uint64_t{1} << touching.size(); ++subset) {
      std::uint64_t change = 0;
      for (std::size_t t = 0; t < touching.size(); ++t) change |= (subset >> t & 1) << touching[t];
      changes.push_back(change);
    }
  }
  Found found;
  Pair pair{World(nodes, alphabet.rows[0].size()), World(nodes, alphabet.rows[0].size()), 0};
  const auto set_graph = [&](World& world, std::uint64_t bits) {
    std::fill(world.entries.begin(), world.entries.end(), std::uint8_t{0});
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (bits >> p & 1) world.flip(places[p].first, places[p].second, both);
    }
  };
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << places.size(); ++bits) {
    set_graph(pair.first, bits);
    for (const std::uint64_t change : changes) {
      set_graph(pair.second, bits ^ change);
      if (are_neighbors(pair, unit)) detail::dress(pair, unit, alphabet, query, norm, found);
    }
  }
  return found;
}

/// Hill climbing over pairs on `nodes` nodes: random small changes of the common graph, of the difference and
/// of the rows (any rows of norm up to `row_bound`), kept when the query does not move less.
struct Climb {
  std::size_t nodes = 12;
  std::size_t columns = 3;
  double row_bound = 1;
  int classes = 1;
  bool rows_change = false;
  bool non_negative = false;
  std::size_t starts = 10;
  std::size_t steps = 3000;
};

inline Found search_uphill(const Climb& climb, const Unit& unit, const Query& query, Norm norm,
                           RandomStream& stream) {
  const std::size_t n = climb.nodes;
  const bool both = symmetric(unit);
  const auto random_row = [&] {
    std::vector<double> row(climb.columns);
    double squares = 0;
    do {
      squares = 0;
      for (double& value : row) {
        value = 2 * stream.uniform() - 1;
        if (climb.non_negative) value = std::abs(value);
        squares += value * value;
      }
    } while (squares == 0 || squares > 1);
    // Half of them along an axis, where the extremes often are.
    if (stream.below(2) == 0) {
      std::fill(row.begin(), row.end(), 0.0);
      row[stream.below(climb.columns)] = climb.non_negative || stream.below(2) == 0 ? 1 : -1;
      squares = 1;
    }
    for (double& value : row) value *= climb.row_bound / std::sqrt(squares);
    return row;
  };
  const auto random_label = [&] {
    return static_cast<int>(stream.below(static_cast<std::uint64_t>(climb.classes)));
  };

  Found found;
  for (std::size_t start = 0; start < climb.starts; ++start) {
    Pair best{World(n, climb.columns), World(n, climb.columns), 0};
    for (std::size_t i = 0; i < n; ++i) {
      best.first.rows[i] = best.second.rows[i] = random_row();
      best.first.labels[i] = best.second.labels[i] = random_label();
    }
    if (blanks(unit)) {
      if (climb.rows_change) std::fill(best.second.rows[0].begin(), best.second.rows[0].end(), 0.0);
      best.second.labels[0] = kBlankLabel;
    }
    if (!unit.protects_features()) best.second.flip(0, 1, both);
    double best_moved = distance(query(best.first, 0), query(best.second, 0), norm);
    for (std::size_t step = 0; step < climb.steps; ++step) {
      Pair next = best;
      for (std::uint64_t changes = 1 + stream.below(3); changes > 0; --changes) {
        const std::size_t i = stream.below(n);
        const std::size_t j = (i + 1 + stream.below(n - 1)) % n;
        switch (stream.below(6)) {
          case 0:
          case 1:
            next.first.flip(i, j, both);
            next.second.flip(i, j, both);
            break;
          case 2:
            if (unit.protects_features()) next.second.flip(0, j == 0 ? i : j, both);
            break;
          case 3:
            if (unit.protects_features()) next.first.flip(0, j == 0 ? i : j, both);
            break;
          case 4: {
            const bool own = i == 0 && climb.rows_change && unit.protects_features();
            next.first.rows[i] = random_row();
            if (!own) next.second.rows[i] = next.first.rows[i];
            if (own && !blanks(unit)) next.second.rows[i] = random_row();
            break;
          }
          default: {
            const bool own = i == 0 && unit.protects_features();
            next.first.labels[i] = random_label();
            if (!own) next.second.labels[i] = next.first.labels[i];
            if (own && !blanks(unit)) next.second.labels[i] = random_label();
          }
        }
      }
      if (!are_neighbors(next, unit)) continue;
      ++found.pairs;
      const double moved = distance(query(next.first, 0), query(next.second, 0), norm);
      if (moved < best_moved) continue;
      found.improved += moved > best_moved;
      best_moved = moved;
      best = std::move(next);
    }
    found.largest = std::max(found.largest, best_moved);
  }
  return found;
}

/// Queries on worlds, as plain as can be.
inline std::vector<double> neighbor_sum_query(const World& world, std::size_t left_out) {
  const std::size_t columns = world.rows[0].size();
  std::vector<double> sums(world.nodes * columns, 0.0);
  for (std::size_t i = 0; i < world.nodes; ++i) {
    if (i == left_out) continue;
    for (std::size_t j = 0; j < world.nodes; ++j) {
      for (std::size_t c = 0; world.has(i, j) && c < columns; ++c) sums[i * columns + c] += world.rows[j][c];
    }
  }
  return sums;
}

}  // namespace privet::privacy::testing
