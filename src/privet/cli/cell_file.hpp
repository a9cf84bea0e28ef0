#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "privet/run/cell.hpp"

namespace privet::cli {

/// A configuration file. Keys at the top hold for every cell; each [[cell]] may say them again:
///
///     title = "MLP against the papers"
///     runs = 10
///     seed = 1
///     split = "75/10/15"
///     unit = "none"
///
///     [[cell]]
///     method = "mlp"
///     preset = "dpdgc"
///     data = "cora"
///     published = 76.48          # percent
///     published_ci95 = 0.91
///     [cell.options]
///     width = 64
///
/// A file without [[cell]] describes one run: what `train` and `compare` take.
struct CellFile {
  std::string title;
  std::vector<methods::Cell> cells;
  std::vector<bool> epsilon_given;  ///< of each cell
  /// Of each cell: whether `compare` leaves it out where its data set is not under the data root, as
  /// `if_present = true` says.
  std::vector<bool> if_present = {};
};

/// Unknown keys get the nearest, wrong types a DataError with file and line.
CellFile read_cell_file(const std::filesystem::path& file);

}  // namespace privet::cli
