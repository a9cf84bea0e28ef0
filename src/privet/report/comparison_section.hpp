#pragma once

#include <string>
#include <vector>

#include "privet/report/folder.hpp"
#include "privet/report/section.hpp"

namespace privet::report {

/// What the budgets buy, in a sentence or two for each data set and unit: the most accurate method with a
/// guarantee at the smallest and at the largest budget, beside features alone where those were run. Methods
/// whose guarantee does not hold are never named as the best.
std::vector<std::string> headlines(const ComparisonFile& comparison);

/// The section of one results.jsonl or result.json: what is protected, what the budgets buy, all accuracies
/// with their intervals, figures, time and memory.
Section comparison_section(const ComparisonFile& comparison, std::size_t number);

}  // namespace privet::report
