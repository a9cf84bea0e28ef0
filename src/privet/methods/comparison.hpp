#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "privet/base/json.hpp"
#include "privet/methods/runner.hpp"
#include "privet/privacy/ledger.hpp"

namespace privet::methods {

/// One cell of a table: a method with its options, a data set, a unit, a budget, so many runs. Everything is
/// text or numbers, as a user gives it; two cells with the same key are the same experiment.
struct Cell {
  std::string method;
  std::string preset;                    ///< empty: the defaults
  std::vector<std::string> assignments;  ///< "width=64"
  std::string data;
  std::string prepare;
  std::string split = "75/10/15";
  std::string unit;               ///< no default
  std::optional<double> epsilon;  ///< empty: infinity, no privacy
  std::optional<double> delta;    ///< empty: by rule
  privacy::Rigor rigor = privacy::Rigor::kStrict;
  std::uint64_t runs = 1;
  std::optional<std::uint64_t> seed;  ///< run i uses seed + i
  bool evaluate = true;
  bool published_defects = false;        ///< see Request
  std::optional<double> published;       ///< accuracy in percent that a paper prints
  std::optional<double> published_ci95;  ///< half width of its interval

  /// A text that names everything a user can ask for on which the outcome of one run depends.
  [[nodiscard]] std::string key() const;
};

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

/// What was set of a cell and is not read by it, in a sentence each.
std::vector<std::string> unread_options(const Cell& cell);

/// What its first run would plan, made as the run makes it: what can be refused without a release is refused
/// here. Nothing is looked at but what a promise is checked by (the degrees of node:D) and, in paper rigor,
/// what delta goes by.
Plan plan_of(const Cell& cell, const graph::Dataset& dataset);

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

/// The method of a cell with its preset and options set, and the request that it makes of a data set.
std::unique_ptr<Method> method_of(const Cell& cell);
/// In strict rigor a delta above one over the number of nodes is Unsound. A unit that counts more neighbours
/// than there are other nodes is an InvalidArgument.
Request request_of(const Cell& cell, const graph::Dataset& dataset);

/// What preparation and split look at, without noise, of what the unit protects: Unsound in strict rigor,
/// listed in paper rigor.
std::vector<privacy::UnaccountedUse> looks_before(const Cell& cell);

}  // namespace privet::methods
