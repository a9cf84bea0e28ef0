#pragma once

#include <optional>
#include <string>
#include <vector>

#include "privet/report/html.hpp"

namespace privet::report {

/// A part of the page with a place in its list of contents.
struct Section {
  std::string id = {};      ///< unique on the page: "comparison-1"
  std::string title = {};   ///< plain text
  Markup body = {};         ///< everything below the heading
  bool is_warning = false;  ///< stands out in the list of contents: what it shows does not hold
};

/// A word that is to be seen first: "UPPER BOUND", "NOT SOUND".
enum class Tone { good, bad, neutral };
Markup badge(const std::string& text, Tone tone);
/// A box in the colour of that word.
Markup card_of(Tone tone, const Markup& content);

/// "72.3 %", "72.3 % ± 1.2".
std::string percent(double share);
std::string percent(double share, const std::optional<double>& half_width);

/// A number of the words given: "1 run", "3 runs".
std::string counted(std::size_t number, const std::string& word);

}  // namespace privet::report
