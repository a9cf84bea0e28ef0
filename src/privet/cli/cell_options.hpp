#pragma once

#include <optional>
#include <string>
#include <vector>

#include "privet/cli/arguments.hpp"
#include "privet/run/comparison.hpp"

namespace privet::cli {

/// The options that `train` and `compare` share, as text until all of them are known.
struct CellOptions {
  std::optional<std::string> data;
  std::optional<std::string> data_root;
  std::optional<std::string> unit;
  std::optional<std::string> delta;
  std::optional<std::string> rigor;
  std::optional<std::string> prepare;
  std::optional<std::string> split;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> runs;
  std::optional<std::string> config;
  std::vector<std::string> assignments;
  std::optional<std::string> out;
  std::optional<std::string> ledger;
  bool published_defects = false;
  bool no_evaluation = false;
  std::optional<std::string> metrics;
  bool json = false;

  void declare(Command& command);
  /// Writes what was given over a cell.
  void apply(methods::Cell& cell) const;
  [[nodiscard]] methods::Surroundings surroundings() const;
};

/// "1", "0.5", "inf": empty for infinity. A number that is not positive is an InvalidArgument.
std::optional<double> parse_epsilon(const std::string& text, const char* option = "--epsilon");

/// "strict" or "paper"; anything else is an InvalidArgument.
privacy::Rigor parse_rigor(const std::string& text);

/// "class-accuracy": the one metric that has to be asked for; anything else is an InvalidArgument.
bool parse_metrics(const std::string& text);

/// InvalidArgument, with examples, unless data, unit and, where privacy is asked for, a budget are known.
void require_complete(const methods::Cell& cell, bool epsilon_given);

/// Notes, each once, of options that were set and that their cells do not read.
void tell_unread_options(const std::vector<methods::Cell>& cells);

/// Now, as certificates write it.
std::string now_text();

/// Where something is to be spent, by `option`, and nothing is protected.
[[noreturn]] void refuse_budget_for_nothing(const char* option);

}  // namespace privet::cli
