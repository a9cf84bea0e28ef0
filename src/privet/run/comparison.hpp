#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "privet/proof/fingerprint.hpp"
#include "privet/run/cell.hpp"
#include "privet/run/cell_result.hpp"

namespace privet::methods {

/// What running cells needs from its surroundings.
struct Surroundings {
  std::function<graph::Dataset(const std::string& name)> load;
  std::function<std::string()> now;
  /// The key under which the fingerprints of data are blinded where no ledger has one.
  privacy::BlindingKey key;
  std::optional<std::filesystem::path> ledger;
  /// Finished runs are kept here as they end, and not run again; empty: nowhere.
  std::optional<std::filesystem::path> journal;
};

/// Called with every cell that is done, in the order of the cells.
using OnCell = std::function<void(const CellResult& result)>;

/// Runs all cells; several runs at a time where there are threads for it. With a journal, runs that an
/// earlier call has finished are taken from it. The last run's model of a single cell comes back in `model`
/// if that is given.
std::vector<CellResult> run_cells(const std::vector<Cell>& cells, const Surroundings& surroundings,
                                  const OnCell& on_cell = {}, Model* model = nullptr);

}  // namespace privet::methods
