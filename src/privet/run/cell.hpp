#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/learn/method.hpp"
#include "privet/proof/certificate.hpp"

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
  bool class_accuracy = false;           ///< see RunRequest
  bool published_defects = false;        ///< see Request
  std::optional<double> published;       ///< accuracy in percent that a paper prints
  std::optional<double> published_ci95;  ///< half width of its interval

  /// A text that names everything a user can ask for on which the outcome of one run depends.
  [[nodiscard]] std::string key() const;
};

/// The method of a cell with its preset and options set, and the request that it makes of a data set.
std::unique_ptr<Method> method_of(const Cell& cell);
/// In strict rigor a delta above one over the number of nodes is Unsound. A unit that counts more neighbours
/// than there are other nodes is an InvalidArgument.
Request request_of(const Cell& cell, const graph::Dataset& dataset);

/// What preparation and split look at, without noise, of what the unit protects: Unsound in strict rigor,
/// listed in paper rigor.
std::vector<privacy::UnaccountedUse> looks_at_protected(const Cell& cell);
/// The same, but nothing where the budget is infinite, so that nothing is promised.
std::vector<privacy::UnaccountedUse> looks_before(const Cell& cell);

/// What was set of a cell and is not read by it, in a sentence each.
std::vector<std::string> unread_options(const Cell& cell);

/// What its first run would plan, made as the run makes it: what can be refused without a release is refused
/// here. Nothing is looked at but what a promise is checked by (the degrees of node:D) and, in paper rigor,
/// what delta goes by.
Plan plan_of(const Cell& cell, const graph::Dataset& dataset);

}  // namespace privet::methods
