#include "privet/cli/compare_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json.hpp"
#include "privet/base/rounding.hpp"
#include "privet/cli/cell_file.hpp"
#include "privet/cli/cell_options.hpp"
#include "privet/cli/data_root.hpp"
#include "privet/cli/model_folder.hpp"
#include "privet/cli/report_command.hpp"
#include "privet/cli/tables.hpp"
#include "privet/core/unit.hpp"
#include "privet/methods/registry.hpp"
#include "privet/report/comparison_figures.hpp"
#include "privet/run/comparison.hpp"

namespace privet::cli {
namespace {

using methods::Cell;
using methods::CellResult;

struct Options {
  CellOptions common;
  std::optional<std::string> method_list;
  std::optional<std::string> epsilons;
  bool quick = false;
};

constexpr std::uint64_t kQuickRuns = 2;

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> items;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    std::erase(item, ' ');
    if (!item.empty()) items.push_back(std::move(item));
    begin = end + 1;
  }
  return items;
}

// The same again would be a second row of the same numbers.
template <typename T>
void keep_first(std::vector<T>& items, const char* option) {
  std::vector<T> kept;
  for (T& item : items) {
    if (std::ranges::find(kept, item) == kept.end()) kept.push_back(std::move(item));
  }
  if (kept.size() < items.size()) fmt::print(stderr, "note: {}: what is listed twice is run once\n", option);
  items = std::move(kept);
}

bool serves(const std::string& method, const std::string& unit) {
  const std::vector<std::string> units = methods::make_method(method)->units();
  return std::ranges::find(units, unit.substr(0, unit.find(':'))) != units.end();
}

// Methods without privacy stand beside the private ones as what could be reached at most.
void add_cells(const Cell& common, const std::string& item,
               const std::vector<std::optional<double>>& epsilons, std::vector<Cell>& cells) {
  Cell cell = common;
  const std::size_t colon = item.find(':');
  cell.method = item.substr(0, colon);
  if (colon != std::string::npos) cell.preset = item.substr(colon + 1);
  if (!serves(cell.method, cell.unit) && methods::make_method(cell.method)->is_yardstick())
    cell.unit = "none";
  // What no paper claims anything of stands beside the others as it is.
  const std::vector<std::string> rigors = methods::make_method(cell.method)->rigors();
  if (std::ranges::find(rigors, privacy::name(cell.rigor)) == rigors.end())
    cell.rigor = privacy::Rigor::kStrict;
  if (cell.unit == "none") {
    cell.epsilon.reset();
    cells.push_back(cell);
    return;
  }
  if (!methods::make_method(cell.method)->spends_budget()) {
    // One row for all budgets; which of them it is asked with makes no difference as long as there is one.
    const auto finite =
        std::ranges::find_if(epsilons, [](const auto& epsilon) { return epsilon.has_value(); });
    cell.epsilon = finite == epsilons.end() ? std::nullopt : *finite;
    if (!epsilons.empty()) cells.push_back(cell);
    return;
  }
  for (const std::optional<double>& epsilon : epsilons) {
    cell.epsilon = epsilon;
    cells.push_back(cell);
  }
}

bool is_present(const std::string& data, const std::optional<std::string>& given) {
  const std::optional<std::filesystem::path> root = data_root(given);
  return std::filesystem::exists(data) || (root && std::filesystem::exists(*root / data));
}

std::vector<Cell> cells_of(const Options& options, std::string& title) {
  std::vector<Cell> cells;
  std::vector<bool> epsilon_given;
  if (options.common.config) {
    if (options.epsilons || options.method_list) {
      throw InvalidArgument({.what = "says nothing beside --config, whose cells have methods and budgets",
                             .where = options.epsilons ? "--epsilons" : "--methods",
                             .remedy = "leave it out, or the file"});
    }
    const CellFile file = read_cell_file(*options.common.config);
    title = file.title;
    cells = file.cells;
    epsilon_given = file.epsilon_given;
    for (Cell& cell : cells) options.common.apply(cell);
    for (std::size_t i = cells.size(); i-- > 0;) {
      if (!file.if_present[i] || is_present(cells[i].data, options.common.data_root)) continue;
      cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(i));
      epsilon_given.erase(epsilon_given.begin() + static_cast<std::ptrdiff_t>(i));
    }
    // Hours of other cells may come before one whose data are not there: that is said now, by the reader.
    for (const Cell& cell : cells) {
      if (!cell.data.empty() && !is_present(cell.data, options.common.data_root))
        (void)load_dataset(cell.data, options.common.data_root);
    }
  } else {
    Cell common;
    options.common.apply(common);
    common.method = "-";
    if (common.unit != "none" && !common.unit.empty() && !options.epsilons) {
      throw InvalidArgument(
          {.what = "missing",
           .where = "--epsilons",
           .expected = "budgets: positive numbers with commas between, or inf for no privacy"});
    }
    require_complete(common, true);
    if (!options.method_list)
      throw InvalidArgument(
          {.what = "missing", .where = "--methods", .expected = "names from 'privet methods'"});
    std::vector<std::optional<double>> epsilons;
    for (const std::string& item : listed(options.epsilons.value_or("inf")))
      epsilons.push_back(parse_epsilon(item, "--epsilons"));
    keep_first(epsilons, "--epsilons");
    std::vector<std::string> names = listed(*options.method_list);
    keep_first(names, "--methods");
    for (const std::string& item : names) add_cells(common, item, epsilons, cells);
    epsilon_given.assign(cells.size(), true);
    title = fmt::format("{}, unit {}", common.data, common.unit);
  }
  if (cells.empty()) {
    throw InvalidArgument({.what = "nothing to run",
                           .where = options.common.config.value_or("--methods, --epsilons"),
                           .expected = "at least one method and one budget"});
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    require_complete(cells[i], epsilon_given[i]);
    if (options.quick) cells[i].runs = kQuickRuns;
  }
  return cells;
}

std::string measured_text(const CellResult& result) {
  if (!result.cell.evaluate) return "-";
  const std::string mean = fmt::format("{:.1f}", 100 * result.mean_accuracy());
  return result.runs.size() < 2 ? mean : fmt::format("{} +- {:.1f}", mean, 100 * result.accuracy_ci95());
}

// What one run of the cell costs by its certificate.
std::string epsilon_text(const CellResult& result) {
  const Json& certificate = result.certificate;
  if (certificate["epsilon"].is_number()) return rounded_up(certificate["epsilon"].get<double>(), 4);
  if (certificate.contains("claimed_epsilon") && certificate["claimed_epsilon"].is_number())
    return fmt::format("claims {:.4g}", certificate["claimed_epsilon"].get<double>());
  return "none";
}

// What an undirected edge costs where epsilon is for one end's bit.
std::string edge_epsilon_text(const CellResult& result) {
  const std::optional<double> edge = result.edge_epsilon();
  return edge ? rounded_up(*edge, 4) : "-";
}

// Against the paper's own interval of the mean.
std::string verdict(const CellResult& result) {
  const double measured = 100 * result.mean_accuracy();
  const double published = *result.cell.published;
  const double width = result.cell.published_ci95.value_or(0);
  const double own = 100 * result.accuracy_ci95();
  const char* overlap = std::abs(measured - published) <= width + own ? ", intervals overlap" : "";
  if (measured > published + width) return fmt::format("above{}", overlap);
  if (measured >= published - width) return "within";
  return fmt::format("below{}", overlap);
}

bool any_gate(const std::vector<CellResult>& results) {
  return std::ranges::any_of(results, [](const CellResult& r) { return !r.graph_answers_in().empty(); });
}

// For every row the options that not all rows have: without them rows of one method would look the same.
std::vector<std::string> differing_options(const std::vector<CellResult>& results) {
  const auto shared = [&](const std::string& assignment) {
    return std::ranges::all_of(results, [&](const CellResult& r) {
      return std::ranges::find(r.cell.assignments, assignment) != r.cell.assignments.end();
    });
  };
  std::vector<std::string> rows;
  for (const CellResult& result : results) {
    std::vector<std::string> own;
    for (const std::string& assignment : result.cell.assignments) {
      if (!shared(assignment)) own.push_back(assignment);
    }
    if (result.cell.published_defects) own.emplace_back("published defects");
    rows.push_back(fmt::format("{}", fmt::join(own, " ")));
  }
  return rows;
}

std::string comparison_table(const std::vector<CellResult>& results) {
  const bool published =
      std::ranges::any_of(results, [](const CellResult& r) { return r.cell.published.has_value(); });
  const bool several_data = std::ranges::any_of(
      results, [&](const CellResult& r) { return r.cell.data != results.front().cell.data; });
  const std::vector<std::string> options = differing_options(results);
  const bool any_options = std::ranges::any_of(options, [](const std::string& o) { return !o.empty(); });
  Table table;
  if (several_data) table.header.emplace_back("data");
  table.header.emplace_back("method");
  if (any_options) table.header.emplace_back("options");
  const bool edges =
      std::ranges::any_of(results, [](const CellResult& result) { return edge_epsilon_text(result) != "-"; });
  for (const char* name : {"unit", "epsilon"}) table.header.emplace_back(name);
  if (edges) table.header.emplace_back("for an edge");
  for (const char* name : {"rigor", "test accuracy %"}) table.header.emplace_back(name);
  if (published)
    for (const char* name : {"published", "measured is"}) table.header.emplace_back(name);
  const bool gates = any_gate(results);
  if (gates) table.header.emplace_back("graph answers in");
  table.header.emplace_back("seconds");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const CellResult& result = results[i];
    const Cell& cell = result.cell;
    std::vector<std::string> row;
    if (several_data) row.push_back(cell.data);
    row.push_back(cell.preset.empty() ? cell.method : fmt::format("{}:{}", cell.method, cell.preset));
    if (any_options) row.push_back(options[i].empty() ? "-" : options[i]);
    row.push_back(cell.unit);
    row.push_back(epsilon_text(result));
    if (edges) row.push_back(edge_epsilon_text(result));
    row.emplace_back(name(cell.rigor));
    row.push_back(measured_text(result));
    if (published) {
      row.push_back(!cell.published ? "-"
                    : cell.published_ci95
                        ? fmt::format("{:.1f} +- {:.1f}", *cell.published, *cell.published_ci95)
                        : fmt::format("{:.1f}", *cell.published));
      row.push_back(cell.published ? verdict(result) : "-");
    }
    if (gates) row.push_back(result.graph_answers_in().empty() ? "-" : result.graph_answers_in());
    double seconds = 0;
    for (const Json& run : result.runs) {
      if (run["train_seconds"].is_number()) seconds += run["train_seconds"].get<double>();
    }
    row.push_back(cell.evaluate ? fmt::format("{:.2f}", seconds / static_cast<double>(result.runs.size()))
                                : "-");
    table.rows.push_back(std::move(row));
  }
  return table_text(table);
}

// What tells one cell from another on the lines of results.jsonl.
std::string identity(const std::string& line) {
  Json parts = Json::array();
  try {
    const Json result = Json::parse(line);
    for (const char* key :
         {"method", "preset", "options", "data", "prepare", "split", "unit", "rigor", "epsilon"})
      parts.push_back(result.value(key, Json(nullptr)));
  } catch (const Json::exception&) {
    return line;
  }
  return parts.dump();
}

std::set<std::string> identities(const std::string& lines) {
  std::set<std::string> all;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) all.insert(identity(line));
  return all;
}

void tell_what_is_replaced(const std::string& before, const std::string& now, const std::string& file) {
  const std::set<std::string> kept = identities(now);
  const auto lost =
      std::ranges::count_if(identities(before), [&](const std::string& one) { return !kept.contains(one); });
  if (lost == 0) return;
  fmt::print(stderr,
             "note: {} had {} other result{}, of another comparison; it has this one alone now (their runs "
             "stay in runs.jsonl, and asking for all of them together runs nothing again)\n",
             file, lost, lost == 1 ? "" : "s");
}

void compare(const Options& options) {
  std::string title;
  const std::vector<Cell> cells = cells_of(options, title);
  tell_unread_options(cells);
  methods::Surroundings around = options.common.surroundings();
  std::optional<std::filesystem::path> results_file;
  std::string before;
  if (options.common.out) {
    const std::filesystem::path folder = *options.common.out;
    refuse_taken(folder, "choose another folder, for the results of comparisons");
    make_folder(folder);
    around.journal = folder / "runs.jsonl";
    results_file = folder / "results.jsonl";
    if (std::filesystem::exists(*results_file)) before = read_text(*results_file, std::size_t{1} << 30);
  }
  std::string lines;
  const auto results = methods::run_cells(cells, around, [&](const CellResult& done) {
    lines += to_line(done.to_json());
    if (results_file) write_text(*results_file, lines);
  });
  if (results_file) tell_what_is_replaced(before, lines, results_file->string());
  std::vector<std::string> figures;
  if (options.common.out) {
    for (const report::Figure& figure : report::comparison_figures(results)) {
      figures.push_back((std::filesystem::path(*options.common.out) / (figure.name + ".svg")).string());
      write_text(figures.back(), figure.svg);
    }
  }
  if (options.common.json) {
    Json all = Json::array();
    for (const CellResult& result : results) all.push_back(result.to_json());
    fmt::print("{}", to_text(Json{{"title", title}, {"results", all}}));
    if (options.common.out) static_cast<void>(write_report(*options.common.out));
    return;
  }
  if (!title.empty()) fmt::print("{}\n\n", title);
  fmt::print("{}", comparison_table(results));
  fmt::print(
      "\nepsilon is an upper bound for one run under the unit beside it, at the delta on its certificate; "
      "'claims' is "
      "a paper's word and no bound, 'none' is no privacy. Publishing several runs or rows adds up, and "
      "accuracies "
      "and times are measured without noise. +- is the 95 % interval of the mean over runs. What rows "
      "share is learnt once, in the seconds of the first.\n");
  if (std::ranges::any_of(results, [](const CellResult& r) {
        return privacy::Unit::parse(r.cell.unit).is_reported_locally();
      })) {
    fmt::print(
        "Under local-edge it is for one bit of one list{}.\n",
        std::ranges::none_of(results, [](const auto& r) { return r.edge_epsilon().has_value(); })
            ? ""
            : "; 'for an edge' is the upper bound for an undirected edge at the same delta: as much where "
              "one end is asked about it, twice as much where both are (asked=both, and by default in "
              "paper rigor)");
  }
  if (any_gate(results)) {
    fmt::print(
        "'graph answers in' so many of the runs in which that was asked: in the others it was found no "
        "better than the features alone, which answer; '-' where nothing is asked.\n");
  }
  if (results_file) fmt::print("saved {}\n", results_file->string());
  for (const std::string& figure : figures) fmt::print("drew {}\n", figure);
  if (options.common.out) fmt::print("wrote {}\n", write_report(*options.common.out).string());
}

}  // namespace

void declare_compare_command(Command& root) {
  auto options = std::make_shared<Options>();
  Command& command = root.command("compare", "runs several methods and budgets and shows them in one table");
  command.option("--methods", options->method_list, "names, or name:preset, with commas between");
  command.option("--epsilons", options->epsilons,
                 "budgets, with commas between; inf for no privacy; methods that open nothing are run once");
  command.flag("--quick", options->quick, "two runs of each only");
  options->common.declare(command);
  command.example(
      "privet compare --data friends --methods mlp,gcn --unit edge --epsilons 1,4 --runs 5 --out results");
  command.example("privet compare --config experiments/baselines.toml --out results --quick");
  command.action([options] { compare(*options); });
}

}  // namespace privet::cli
