#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "privet/accounting/affected_examples.hpp"
#include "privet/accounting/quantities.hpp"
#include "privet/core/reach.hpp"
#include "privet/core/unit.hpp"
#include "privet/graph/graph.hpp"

namespace privet::privacy {

/// How far a value can move between neighbouring data sets, together with the unit that says what
/// "neighbouring" means and the argument for the number. Mechanisms take a Sensitivity, never a bare number,
/// so that there is one place where it is worked out: the functions below, or for a method's own lemma
/// `stated`.
///
/// All numbers are upper bounds that hold for *every* pair of neighbours, rounded up in the last places.
/// tests/core/sensitivity_test.cpp searches for pairs that break them.
class Sensitivity {
 public:
  /// A method's own lemma. `value` says what the number is of; `argument` where it is shown.
  struct Statement {
    std::optional<double> l1 = {};
    std::optional<double> l2 = {};
    /// Of any one coordinate (L-infinity); where it is not given the others bound it.
    std::optional<double> each = {};
    /// How many coordinates of the value differ at most. Needed where a mechanism rounds real values.
    std::optional<std::uint64_t> coordinates = {};
    std::string value;
    std::string argument;
  };
  /// Throws Unsound for the unit `none`, InvalidArgument where a number is not positive and finite, no
  /// number is given or a text is missing.
  static Sensitivity stated(Unit unit, Statement statement);

  [[nodiscard]] const Unit& unit() const noexcept { return unit_; }
  /// An InvalidArgument where the argument gives no bound in that norm.
  [[nodiscard]] L1Sensitivity l1() const;
  [[nodiscard]] L2Sensitivity l2() const;
  [[nodiscard]] double each() const;
  [[nodiscard]] std::uint64_t coordinates() const;
  [[nodiscard]] const std::string& value() const noexcept { return statement_.value; }
  [[nodiscard]] const std::string& argument() const noexcept { return statement_.argument; }

 private:
  Sensitivity(Unit unit, Statement statement) : unit_(unit), statement_(std::move(statement)) {}
  Unit unit_;
  Statement statement_;
};

/// Whose the rows are that a neighbour sum adds up.
enum class RowsOf {
  nobody,        ///< public or already released: the same in both data sets (label votes, DPDGC's weights)
  their_owners,  ///< row r is part of what the unit protects, and may change with it (GAP's features)
};

/// The sum over neighbours, row i = sum of the rows X_j with A[i][j] = 1, every |X_j| <= row_bound.
struct NeighborSum {
  double row_bound = 1;
  std::uint64_t columns = 1;
  RowsOf rows = RowsOf::nobody;
  /// No entry of X is below zero: two different rows are then at most sqrt(2) row bounds apart, not 2.
  bool non_negative = false;
};

/// Undirected graphs under `edge`; A[i][j] any directed graph under the others. In units of row_bound:
///
///     edge                      sqrt 2       two rows, one term each
///     directed-edge, local-edge 1            one row, one term
///     k-neighbor:k              sqrt k       other rows; rows of nobody only
///     node:D:add-remove         sqrt D       other rows
///     node:D                    sqrt 2D      other rows, rows of nobody or non-negative rows
///                               2 sqrt D     other rows, rows of their owners
///
/// "Other rows" leaves out the protected node's own row: it must not be published. Unsound for `none`, for
/// `record` (see own_list_sum_sensitivity) and for k-neighbor with rows of their owners: the node may have
/// any number of neighbours, and all of them see its row change.
Sensitivity neighbor_sum_sensitivity(const Unit& unit, const NeighborSum& sum);

/// Sums of votes along edges (mechanisms/votes.hpp), x public or already released. An edge, or an entry under
/// directed-edge and local-edge, is one term that depends on its two ends and public data alone; it adds to
/// at most the two rows of its ends, and `loudest` bounds the norm of both additions together, in row bounds:
/// loudest x row_bound. Unsound for units that protect people: their labels are the votes.
Sensitivity pair_sum_sensitivity(const Unit& unit, double loudest, double row_bound, std::uint64_t columns);

/// The same sums of memberships, in steps (vote_counts): `loudest_together` bounds the weights with which the
/// two ends hear each other, added up; a membership has L1 norm 1: so many memberships in L1.
Sensitivity pair_count_sensitivity(const Unit& unit, double loudest_together, std::uint64_t columns);

/// For `record`: every person r adds its row X_r to the rows of those on its own list, with weights that
/// depend on r's record and public data only and whose sum of squares is at most `list_bound` (a cap on the
/// list, or weights min(1, sqrt(list_bound / length))). sqrt(list_bound) row bounds for add-remove; for
/// replace twice that, or sqrt 2 times where no entry is negative. No row is left out: r's own row does not
/// depend on r's record. `longest_list` is the public bound on the number of rows that one list reaches.
Sensitivity own_list_sum_sensitivity(const Unit& unit, const NeighborSum& sum, double list_bound,
                                     std::uint64_t longest_list);

/// Number of neighbours of every node (of undirected graphs under `edge`, else entries per row): the sum
/// above for X = 1.
Sensitivity degrees_sensitivity(const Unit& unit);

/// Number of undirected edges, or of entries of a directed graph: edge, directed-edge, local-edge 1;
/// k-neighbor k and node D in an undirected graph, twice that in a directed one, where a node has that many
/// entries in its row and as many in its column.
Sensitivity edge_count_sensitivity(const Unit& unit, graph::Direction direction);

/// How many nodes have each degree. g nodes move from one bin to another: L1 2g, L2 sqrt(2) g, with g = 2 for
/// edge, 1 for directed-edge and local-edge (entries per row), k + 1, D + 1 (add-remove), 2D + 1 (replace).
Sensitivity degree_histogram_sensitivity(const Unit& unit);

/// How many undirected edges join each unordered pair of classes (entries and ordered pairs under
/// directed-edge and local-edge). Labels are public under the edge units: 1. node: D (add-remove); L1 2D, L2
/// sqrt(2) D (replace), all twice in a directed graph. Unsound for k-neighbor and record, where one label may
/// move any number of edges.
Sensitivity label_block_sensitivity(const Unit& unit, graph::Direction direction);

/// Sum over people of one row of norm at most `row_bound` each, computed from that person's features and
/// label alone (class counts, feature sums): row_bound for add-remove, twice that for replace and k-neighbor.
/// Unsound under the edge units, which do not protect features and labels: nothing would be hidden.
Sensitivity record_sum_sensitivity(const Unit& unit, double row_bound, std::uint64_t columns);

/// Of `population` examples: the protected node's own, which is added or removed under add-remove and
/// replaced otherwise, and `reach` of others, which are replaced. Capped by AffectedExamples::among. Unsound
/// under the edge units and `none`, in which no example is the protected node's.
AffectedExamples affected_examples(const Unit& unit, std::uint64_t reach, std::uint64_t population);

/// Example i is made of node i's features, label and row of A times rows of nobody (DPDGC's embedding):
/// edge 2 replaced; directed-edge, local-edge, record 1; k-neighbor k + 1; node 2D + 1 replaced, or with
/// add-remove 1 added and D replaced. A blanked record is 1 replaced: its example stays, with an empty list.
/// All of them among `population` examples.
AffectedExamples examples_with_one_hop(const Unit& unit, std::uint64_t population);

/// Example i is made of person i's features and label alone: 1 replaced, or 1 added for add-remove. Unsound
/// under the edge units.
AffectedExamples examples_of_one_record(const Unit& unit);

Sensitivity clipped_sum_sensitivity(const Unit& unit, const AffectedExamples& affected, ClipNorm clip_norm,
                                    std::uint64_t columns);

}  // namespace privet::privacy
