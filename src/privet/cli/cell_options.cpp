#include "privet/cli/cell_options.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <set>

#include "privet/base/error.hpp"
#include "privet/base/options.hpp"
#include "privet/base/suggest.hpp"
#include "privet/base/timestamp.hpp"
#include "privet/cli/common_options.hpp"
#include "privet/cli/data_root.hpp"
#include "privet/cli/owner_key.hpp"

namespace privet::cli {
namespace {}  // namespace

void tell_unread_options(const std::vector<methods::Cell>& cells) {
  std::set<std::string> told;
  for (const methods::Cell& cell : cells) {
    for (const std::string& sentence : methods::unread_options(cell)) {
      if (told.insert(sentence).second) fmt::print(stderr, "note: {}\n", sentence);
    }
  }
}

std::string now_text() {
  return utc_timestamp(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

std::optional<double> parse_epsilon(const std::string& text, const char* option) {
  if (text == "inf" || text == "infinity") return {};
  const double value = parse_number(text, option);
  if (!(value > 0))
    throw InvalidArgument({.what = text, .where = option, .expected = "a positive number, or inf"});
  if (std::isinf(value)) return {};
  return value;
}

privacy::Rigor parse_rigor(const std::string& text) {
  if (text == "strict") return privacy::Rigor::kStrict;
  if (text == "paper") return privacy::Rigor::kPaper;
  const std::vector<std::string> known = {"strict", "paper"};
  throw InvalidArgument({.what = fmt::format("no rigor '{}'", text),
                         .where = "--rigor",
                         .expected = "strict or paper",
                         .remedy = suggestion(text, known)});
}

bool parse_metrics(const std::string& text) {
  if (text == "class-accuracy") return true;
  throw InvalidArgument(
      {.what = fmt::format("no metric '{}'", text), .where = "--metrics", .expected = "class-accuracy"});
}

void CellOptions::declare(Command& command) {
  command.option("--data", data, "data set: a name under the data root, or a folder");
  command.option("--data-root", data_root, "folder of data sets (or PRIVET_DATA)");
  command.option("--unit", unit,
                 "what is protected: none, edge, directed-edge, k-neighbor:K, node:D, record, local-edge");
  command.option(
      "--delta", delta,
      "probability with which the bound may fail; auto by rule; 0 where noise is pure (Laplace, bits)");
  command.option("--rigor", rigor, "strict (sound, the default) or paper");
  command.option(
      "--prepare", prepare,
      "steps before learning: min-class=N,classes=A+B,drop-isolated,row-normalize,standardize,...");
  command.option("--split", split, "75/10/15 (default), planetoid, per-class:20/500/1000, file:k, file:each");
  command.option("--seed", seed, "makes runs repeatable, and their noise: for experiments only");
  command.option("--runs", runs, "how often (default 1)");
  command.option("--config", config, "TOML file with the same names");
  command.option("--set", assignments,
                 "an option of the method, of every method of a comparison: --set width=32 (in a --config "
                 "file each cell has its own)");
  command.option("--out", out, "folder for results");
  command.option("--ledger", ledger, "ledger that pays for it");
  command.flag("--reproduce-published-defects", published_defects,
               "dpdgc in paper rigor: do what its published code does; protects nothing, saves no model");
  command.flag("--no-evaluation", no_evaluation, "do not look at the labels of test nodes");
  command.option("--metrics", metrics,
                 "class-accuracy: accuracy on each class also where labels are protected, listed on the "
                 "certificate; always measured where labels are public");
  command.flag("--json", json, "one JSON document on stdout");
  declare_threads(command);
}

void CellOptions::apply(methods::Cell& cell) const {
  if (data) cell.data = *data;
  if (unit) cell.unit = privacy::Unit::parse(*unit).text();
  if (delta) cell.delta = *delta == "auto" ? std::nullopt : std::optional(parse_number(*delta, "--delta"));
  if (cell.delta) (void)privacy::Delta(*cell.delta);
  if (rigor) cell.rigor = parse_rigor(*rigor);
  if (prepare) cell.prepare = *prepare;
  if (split) cell.split = *split;
  if (seed) cell.seed = *seed;
  if (runs) cell.runs = *runs;
  if (published_defects) cell.published_defects = true;
  if (no_evaluation) cell.evaluate = false;
  if (metrics) cell.class_accuracy = parse_metrics(*metrics);
  if (cell.class_accuracy && !cell.evaluate) {
    throw InvalidArgument({.what = "class-accuracy has no effect with --no-evaluation",
                           .where = "--metrics",
                           .remedy = "leave one of them out"});
  }
  cell.assignments.insert(cell.assignments.end(), assignments.begin(), assignments.end());
}

methods::Surroundings CellOptions::surroundings() const {
  methods::Surroundings around;
  around.load = [root = data_root](const std::string& name) { return load_dataset(name, root); };
  around.now = &now_text;
  around.key = owner_key();
  if (ledger) around.ledger = *ledger;
  return around;
}

void require_complete(const methods::Cell& cell, bool epsilon_given) {
  const auto missing = [](const char* option, const char* expected) {
    throw InvalidArgument({.what = "missing", .where = option, .expected = expected});
  };
  if (cell.method.empty()) missing("--method", "a name from 'privet methods'");
  if (cell.data.empty()) missing("--data", "a name from 'privet data list', or a folder");
  if (cell.unit.empty())
    missing("--unit",
            "what must be protected: edge, directed-edge, k-neighbor:K, node:D, record, local-edge or none. "
            "There is no default");
  if (cell.runs == 0) throw InvalidArgument({.what = "0 runs", .where = "--runs", .expected = "at least 1"});
  if (cell.unit != "none" && !epsilon_given)
    missing("--epsilon", "the budget: a positive number, or inf for no privacy");
}

void refuse_budget_for_nothing(const char* option) {
  throw InvalidArgument({.what = "the unit none protects nothing that a budget could be spent on",
                         .where = option,
                         .remedy = "leave it out, or name a unit of protection"});
}

}  // namespace privet::cli
