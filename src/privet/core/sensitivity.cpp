#include "privet/core/sensitivity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/core/memberships.hpp"

namespace privet::privacy {
namespace {

constexpr const char* kPage = "docs/privacy/units.md";

// Products and roots below are a few roundings away from the real number; this is above it.
double upward(double value) { return value * (1 + 8 * std::numeric_limits<double>::epsilon()); }

double root(std::uint64_t squared) {
  const auto exact = static_cast<double>(squared);
  const double r = std::sqrt(exact);
  return r * r == exact && std::floor(r) == r ? r : upward(r);
}

double scaled(double factor, double bound) {
  return factor == 1 || bound == 1 ? factor * bound : upward(factor * bound);
}

[[noreturn]] void unsound(const Unit& unit, std::string what, std::string remedy) {
  throw Unsound(
      {.what = std::move(what), .where = fmt::format("unit {}", unit.text()), .remedy = std::move(remedy)});
}

double require_bound(double bound, const char* where) {
  if (!(std::isfinite(bound) && bound > 0)) {
    throw InvalidArgument(
        {.what = fmt::format("{}", bound), .where = where, .expected = "a positive, finite number"});
  }
  return bound;
}

std::uint64_t require_count(std::uint64_t count, const char* where) {
  if (count == 0) throw InvalidArgument({.what = "0", .where = where, .expected = "at least 1"});
  return count;
}

// Sums of terms, one for each edge or entry.
void require_edge_terms(const Unit& unit) {
  if (unit.is_about_edges()) return;
  unsound(unit, "one person's edges are any number of terms",
          "use the unit edge, or sums along own lists under the unit record");
}

template <typename Count>
Count count_of(const Unit& unit, const Bounded<Count>& bounded) {
  if (const auto* none = std::get_if<NoBound>(&bounded)) unsound(unit, none->what, none->remedy);
  return std::get<Count>(bounded);
}

// How many rows of A X other than the protected node's own can differ while X stays.
std::uint64_t changed_rows(const Unit& unit) { return count_of(unit, reach_of(unit).rows); }

std::string left_out(const Unit& unit) {
  return unit.excludes_own_row() ? ", without the node's own row" : "";
}

}  // namespace

Sensitivity Sensitivity::stated(Unit unit, Statement statement) {
  if (!unit.protects_anything()) unsound(unit, "nothing is protected", "name a unit of protection");
  if (!statement.l1 && !statement.l2 && !statement.each) {
    throw InvalidArgument(
        {.what = "a sensitivity without a number", .expected = "a bound in L1, L2 or of each coordinate"});
  }
  if (statement.value.empty() || statement.argument.empty()) {
    throw InvalidArgument({.what = "a sensitivity without an argument",
                           .expected = "what the number is of and where it is shown"});
  }
  if (statement.l1) require_bound(*statement.l1, "L1 sensitivity");
  if (statement.l2) require_bound(*statement.l2, "L2 sensitivity");
  if (statement.each) require_bound(*statement.each, "sensitivity of a coordinate");
  if (statement.coordinates) require_count(*statement.coordinates, "coordinates that differ");
  return {unit, std::move(statement)};
}

L1Sensitivity Sensitivity::l1() const {
  if (!statement_.l1) throw InvalidArgument({.what = "no L1 bound is known", .where = statement_.value});
  return L1Sensitivity(*statement_.l1);
}

L2Sensitivity Sensitivity::l2() const {
  if (!statement_.l2) throw InvalidArgument({.what = "no L2 bound is known", .where = statement_.value});
  return L2Sensitivity(*statement_.l2);
}

double Sensitivity::each() const {
  if (statement_.each) return *statement_.each;
  return statement_.l2 ? *statement_.l2 : *statement_.l1;
}

std::uint64_t Sensitivity::coordinates() const {
  if (!statement_.coordinates) {
    throw InvalidArgument(
        {.what = "no bound is known on the coordinates that differ", .where = statement_.value});
  }
  return *statement_.coordinates;
}

Sensitivity neighbor_sum_sensitivity(const Unit& unit, const NeighborSum& sum) {
  require_bound(sum.row_bound, "row bound");
  require_count(sum.columns, "columns");
  // Under the edge units features are public, so rows are nobody's whatever the caller says.
  const bool rows_change = sum.rows == RowsOf::their_owners && unit.protects_features();
  const std::uint64_t listeners = rows_change ? count_of(unit, reach_of(unit).listeners) : 0;
  const std::uint64_t rows = changed_rows(unit);
  double factor = root(rows);
  // D common neighbours each see X_r turn into X'_r (2 apart), which is worse than 2D that see one of them.
  if (rows_change && !unit.blanks_person() && !sum.non_negative) factor = 2 * root(listeners);
  const double l2 = scaled(factor, sum.row_bound);
  const std::uint64_t coordinates = rows * sum.columns;
  return Sensitivity::stated(unit, {.l1 = scaled(l2, root(coordinates)),
                                    .l2 = l2,
                                    .coordinates = coordinates,
                                    .value = "sum of neighbours' rows" + left_out(unit),
                                    .argument = fmt::format("{}#sum-over-neighbours", kPage)});
}

Sensitivity pair_count_sensitivity(const Unit& unit, double loudest_together, std::uint64_t columns) {
  require_bound(loudest_together, "weight of an edge");
  require_count(columns, "columns");
  require_edge_terms(unit);
  return Sensitivity::stated(unit, {.l1 = scaled(loudest_together, static_cast<double>(kMembershipSteps)),
                                    .coordinates = 2 * columns,
                                    .value = "memberships along edges, in steps",
                                    .argument = fmt::format("{}#votes-along-edges", kPage)});
}

Sensitivity pair_sum_sensitivity(const Unit& unit, double loudest, double row_bound, std::uint64_t columns) {
  require_bound(loudest, "weight of an edge");
  require_bound(row_bound, "row bound");
  require_count(columns, "columns");
  require_edge_terms(unit);
  const double l2 = scaled(loudest, row_bound);
  return Sensitivity::stated(unit, {.l1 = scaled(l2, root(2 * columns)),
                                    .l2 = l2,
                                    .coordinates = 2 * columns,
                                    .value = "votes along edges",
                                    .argument = fmt::format("{}#votes-along-edges", kPage)});
}

Sensitivity own_list_sum_sensitivity(const Unit& unit, const NeighborSum& sum, double list_bound,
                                     std::uint64_t longest_list) {
  require_bound(sum.row_bound, "row bound");
  require_bound(list_bound, "list bound");
  require_count(sum.columns, "columns");
  require_count(longest_list, "longest list");
  if (!unit.keeps_to_own_list()) {
    unsound(unit, "sums along own lists are worked out for the unit record only",
            "use neighbor_sum_sensitivity");
  }
  const bool replace = !unit.blanks_person();
  // Non-negative contributions have an inner product of at least 0, so their squared norms add at most.
  const double factor = !replace ? 1 : sum.non_negative ? root(2) : 2;
  const double list_root = std::sqrt(list_bound);
  const double l2 = scaled(
      scaled(factor, list_root * list_root == list_bound ? list_root : upward(list_root)), sum.row_bound);
  const std::uint64_t coordinates = (replace ? 2 : 1) * longest_list * sum.columns;
  return Sensitivity::stated(unit, {.l1 = scaled(l2, root(coordinates)),
                                    .l2 = l2,
                                    .coordinates = coordinates,
                                    .value = "sum along own lists",
                                    .argument = fmt::format("{}#sum-along-own-lists", kPage)});
}

Sensitivity degrees_sensitivity(const Unit& unit) {
  const std::uint64_t rows = changed_rows(unit);
  return Sensitivity::stated(unit, {.l1 = static_cast<double>(rows),
                                    .l2 = root(rows),
                                    .coordinates = rows,
                                    .value = "degrees" + left_out(unit),
                                    .argument = fmt::format("{}#degrees", kPage)});
}

Sensitivity edge_count_sensitivity(const Unit& unit, graph::Direction direction) {
  const std::uint64_t most = count_of(unit, reach_of(unit).edges).in(direction);
  const auto number = static_cast<double>(most);
  return Sensitivity::stated(unit, {.l1 = number,
                                    .l2 = number,
                                    .coordinates = 1,
                                    .value = "number of edges",
                                    .argument = fmt::format("{}#number-of-edges", kPage)});
}

Sensitivity degree_histogram_sensitivity(const Unit& unit) {
  const std::uint64_t nodes = changed_rows(unit) + (unit.excludes_own_row() ? 1 : 0);
  const auto number = static_cast<double>(nodes);
  return Sensitivity::stated(unit, {.l1 = 2 * number,
                                    .l2 = scaled(root(2), number),
                                    .coordinates = 2 * nodes,
                                    .value = "histogram of degrees",
                                    .argument = fmt::format("{}#histogram-of-degrees", kPage)});
}

Sensitivity label_block_sensitivity(const Unit& unit, graph::Direction direction) {
  const std::uint64_t edges = count_of(unit, reach_of(unit).class_edges).in(direction);
  const auto number = static_cast<double>(edges);
  // A person who is replaced takes that many away and brings as many.
  const bool twice = unit.is_about_a_person() && !unit.blanks_person();
  return Sensitivity::stated(unit, {.l1 = twice ? 2 * number : number,
                                    .l2 = twice ? scaled(root(2), number) : number,
                                    .coordinates = (twice ? 2 : 1) * edges,
                                    .value = "edges between classes",
                                    .argument = fmt::format("{}#edges-between-classes", kPage)});
}

AffectedExamples affected_examples(const Unit& unit, std::uint64_t reach, std::uint64_t population) {
  if (!unit.protects_features()) {
    unsound(unit, "features and labels are public under this unit", "name a unit that protects people");
  }
  const AffectedExamples anywhere = unit.blanks_person() ? AffectedExamples{.added = 1, .replaced = reach}
                                                         : AffectedExamples{.replaced = reach + 1};
  return anywhere.among(population);
}

AffectedExamples examples_of_one_record(const Unit& unit) { return affected_examples(unit, 0, 1); }

Sensitivity record_sum_sensitivity(const Unit& unit, double row_bound, std::uint64_t columns) {
  require_bound(row_bound, "row bound");
  require_count(columns, "columns");
  const double l2 = (examples_of_one_record(unit).replaced > 0 ? 2 : 1) * row_bound;
  return Sensitivity::stated(unit, {.l1 = scaled(l2, root(columns)),
                                    .l2 = l2,
                                    .coordinates = columns,
                                    .value = "sum over people",
                                    .argument = fmt::format("{}#sum-over-people", kPage)});
}

AffectedExamples examples_with_one_hop(const Unit& unit, std::uint64_t population) {
  return count_of(unit, reach_of(unit).one_hop_examples).among(population);
}

Sensitivity clipped_sum_sensitivity(const Unit& unit, const AffectedExamples& affected, ClipNorm clip_norm,
                                    std::uint64_t columns) {
  require_count(affected.count(), "affected examples");
  require_count(columns, "columns");
  const double l2 = scaled(affected.clip_norms(), clip_norm.value());
  return Sensitivity::stated(unit, {.l1 = scaled(l2, root(columns)),
                                    .l2 = l2,
                                    .coordinates = columns,
                                    .value = "sum of clipped examples",
                                    .argument = fmt::format("{}#clipped-sums", kPage)});
}

}  // namespace privet::privacy
