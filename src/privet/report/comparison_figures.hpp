#pragma once

#include <string>
#include <vector>

#include "privet/run/comparison.hpp"

namespace privet::report {

struct Figure {
  std::string name;  ///< of a file, without its ending: "cora-by-epsilon"
  std::string svg;
};

/// A data set's name without the folders it lies in.
std::string short_name(std::string data);

/// Test accuracy over everything that was varied, with its intervals: for each data set one figure over
/// epsilon, where a method ran with two budgets or more, and one over each option that has at least three
/// numbers in cells which are alike otherwise. What has no budget is a dashed level in the figure over
/// epsilon. A line whose epsilon is a paper's claim and no bound says so.
std::vector<Figure> comparison_figures(const std::vector<methods::CellResult>& results);

}  // namespace privet::report
