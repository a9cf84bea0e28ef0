#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "privet/base/json.hpp"
#include "privet/run/cell.hpp"
#include "privet/run/runner.hpp"

namespace privet::methods {

/// The runs of a cell, as `train --json` prints them.
struct CellResult {
  Cell cell;
  std::vector<Json> runs;  ///< one object per run, in order of their numbers
  Json certificate;        ///< of the last run
  double delta = 0;

  [[nodiscard]] double mean_accuracy() const;
  /// Half width of the 95% interval of the mean over the runs (Student); 0 for one run.
  [[nodiscard]] double accuracy_ci95() const;
  /// "2 of 3": in so many of the runs in which a gate was asked the graph answers; empty where none was.
  [[nodiscard]] std::string graph_answers_in() const;
  /// What an undirected edge costs where epsilon is that of one bit of one list.
  [[nodiscard]] std::optional<double> edge_epsilon() const;
  [[nodiscard]] Json to_json() const;
};

/// One run of a cell as its object: what it measured, planned and found, and its certificate.
Json run_json(const RunResult& result, const Cell& cell, std::uint64_t run);

}  // namespace privet::methods
