#include "privet/report/budget_rows.hpp"

#include <algorithm>

#include "privet/core/unit.hpp"

namespace privet::report {
namespace {

constexpr const char* kFeaturesAlone = "mlp";

bool same_data(const methods::Cell& a, const methods::Cell& b) {
  return a.data == b.data && a.split == b.split && a.prepare == b.prepare;
}

// An edge that both of its ends told is another promise than one that one of them did.
bool tells_edges_twice(const CellReport& cell) {
  if (cell.certificate.epsilon.value_or(0) == 0) return false;
  if (!privacy::Unit::parse(cell.certificate.unit).is_reported_locally()) return false;
  const std::optional<double> edge = cell.edge_epsilon();
  return !edge || *edge > 1.5 * *cell.certificate.epsilon;
}

bool same_group(const CellReport& a, const CellReport& b) {
  return same_data(a.result.cell, b.result.cell) && a.certificate.unit == b.certificate.unit &&
         tells_edges_twice(a) == tells_edges_twice(b);
}

// The one under the unit, which has a guarantee, before others.
const CellReport* features_alone(const std::vector<CellReport>& cells, const CellReport& beside) {
  const CellReport* found = nullptr;
  for (const CellReport& cell : cells) {
    if (cell.result.cell.method != kFeaturesAlone || !cell.accuracy ||
        !same_data(cell.result.cell, beside.result.cell))
      continue;
    if (cell.certificate.unit == beside.certificate.unit) return &cell;
    if (found == nullptr) found = &cell;
  }
  return found;
}

}  // namespace

double BudgetRow::gain() const {
  return features_alone == nullptr ? 0 : 100 * (*best->accuracy - *features_alone->accuracy);
}

bool BudgetRow::is_with(const BudgetRow& other) const { return same_group(*best, *other.best); }

bool BudgetRow::is_apart_by_price(const BudgetRow& other) const {
  return same_data(best->result.cell, other.best->result.cell) &&
         best->certificate.unit == other.best->certificate.unit && !is_with(other);
}

std::vector<BudgetRow> budget_rows(const std::vector<CellReport>& cells) {
  std::vector<BudgetRow> rows;
  for (const CellReport& cell : cells) {
    if (!cell.certificate.sound || !cell.accuracy || !cell.result.cell.epsilon ||
        cell.result.cell.method == kFeaturesAlone)
      continue;
    const auto same = std::ranges::find_if(rows, [&](const BudgetRow& row) {
      return same_group(*row.best, cell) && row.best->result.cell.epsilon == cell.result.cell.epsilon;
    });
    if (same == rows.end())
      rows.push_back({.best = &cell});
    else if (*cell.accuracy > *same->best->accuracy)
      same->best = &cell;
  }
  // Groups in the order of their first cells, budgets ascending within.
  std::vector<BudgetRow> ordered;
  for (const BudgetRow& row : rows) {
    if (std::ranges::any_of(ordered, [&](const BudgetRow& one) { return one.is_with(row); })) continue;
    const std::size_t begin = ordered.size();
    std::ranges::copy_if(rows, std::back_inserter(ordered),
                         [&](const BudgetRow& one) { return one.is_with(row); });
    std::stable_sort(ordered.begin() + static_cast<std::ptrdiff_t>(begin), ordered.end(),
                     [](const BudgetRow& a, const BudgetRow& b) {
                       return *a.best->result.cell.epsilon < *b.best->result.cell.epsilon;
                     });
  }
  for (BudgetRow& row : ordered) row.features_alone = features_alone(cells, *row.best);
  return ordered;
}

}  // namespace privet::report
