#pragma once

#include <vector>

#include "privet/report/cell_report.hpp"

namespace privet::report {

/// What one budget buys on one data set under one unit.
struct BudgetRow {
  /// The most accurate of the cells that have a guarantee for this unit and are not features alone.
  const CellReport* best = nullptr;
  /// `mlp` on the same data, split in the same way, if it was run: what needs no edge at all.
  const CellReport* features_alone = nullptr;

  /// How many percentage points `best` is above features alone.
  [[nodiscard]] double gain() const;
  /// Whether two rows are of the same data and unit, and of the same price of an undirected edge where the
  /// unit is one end's bit.
  [[nodiscard]] bool is_with(const BudgetRow& other) const;
  /// Whether nothing but that price sets them apart.
  [[nodiscard]] bool is_apart_by_price(const BudgetRow& other) const;
};

/// One row for each data set, unit (as is_with has it) and budget asked for, budgets ascending. Cells without
/// a guarantee or an accuracy are passed over. The rows refer to the cells.
std::vector<BudgetRow> budget_rows(const std::vector<CellReport>& cells);

}  // namespace privet::report
