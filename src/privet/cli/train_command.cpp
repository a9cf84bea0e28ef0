#include "privet/cli/train_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json.hpp"
#include "privet/base/rounding.hpp"
#include "privet/cli/cell_file.hpp"
#include "privet/cli/cell_options.hpp"
#include "privet/cli/data_root.hpp"
#include "privet/cli/model_folder.hpp"
#include "privet/cli/tables.hpp"
#include "privet/graph/prepare.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/proof/certificate_outline.hpp"
#include "privet/proof/certificate_text.hpp"
#include "privet/run/comparison.hpp"
#include "privet/run/payment.hpp"

namespace privet::cli {
namespace {

struct Options {
  CellOptions common;
  std::optional<std::string> method;
  std::optional<std::string> preset;
  std::optional<std::string> epsilon;
  bool dry_run = false;
  bool force = false;
};

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

methods::Cell cell_of(const Options& options) {
  methods::Cell cell;
  bool epsilon_given = options.epsilon.has_value();
  if (options.common.config) {
    const CellFile file = read_cell_file(*options.common.config);
    if (file.cells.size() != 1) {
      throw InvalidArgument({.what = fmt::format("{} cells", file.cells.size()),
                             .where = *options.common.config,
                             .expected = "one run",
                             .remedy = "use 'privet compare --config' for a table"});
    }
    cell = file.cells.front();
    epsilon_given = epsilon_given || file.epsilon_given.front();
  }
  options.common.apply(cell);
  if (options.method) cell.method = *options.method;
  if (options.preset) cell.preset = *options.preset;
  if (options.epsilon) cell.epsilon = parse_epsilon(*options.epsilon);
  require_complete(cell, epsilon_given);
  if (cell.unit == "none" && cell.epsilon) refuse_budget_for_nothing("--epsilon");
  return cell;
}

void print_plan(const Json& numbers) {
  Table table;
  for (const auto& [name, value] : numbers.items()) table.rows.push_back({name, value.get<std::string>()});
  if (!table.rows.empty()) fmt::print("\n{}", table_text(table));
}

void print_result(const methods::CellResult& result) {
  const methods::Cell& cell = result.cell;
  const std::size_t runs = result.runs.size();
  fmt::print("{} on {}: {} run{}, unit {}, split {}\n", cell.method, cell.data, runs, runs == 1 ? "" : "s",
             cell.unit, cell.split);
  if (cell.evaluate) {
    const bool several = runs > 1;
    fmt::print("test accuracy {}{}\n", percent(result.mean_accuracy()),
               several ? fmt::format(" +- {:.1f} (95 % interval of the mean)", 100 * result.accuracy_ci95())
                       : std::string());
  }
  print_plan(result.runs.back()["plan"]);
  if (result.runs.back().contains("findings")) print_plan(result.runs.back()["findings"]);
  const privacy::Certificate certificate =
      privacy::certificate_from_json(result.certificate, "certificate of this run");
  fmt::print("\n{}", privacy::certificate_text(certificate));
  const Json& all = result.runs.back()["all_runs_epsilon"];
  if (all.is_number()) {
    fmt::print("\n{}\n", privacy::all_runs_sentence(runs, all.get<double>(), certificate));
  }
}

void dry_run(const methods::Cell& cell, const CellOptions& common) {
  const graph::Dataset dataset =
      graph::prepare(load_dataset(cell.data, common.data_root), graph::parse_prepare(cell.prepare));
  const methods::Plan plan = methods::plan_of(cell, dataset);
  const methods::Request request = methods::request_of(cell, dataset);
  const bool sound = request.wants_privacy() && plan.failed_claims.empty();
  const double upper = sound ? privacy::epsilon(plan.event, request.delta).upper : 0;
  std::optional<privacy::Cost> left;
  if (common.ledger) {
    methods::RunRequest run{
        .request = request, .split = cell.split, .seed = cell.seed, .fingerprint = {}, .created = now_text()};
    left = methods::Payment(*common.ledger, fmt::format("{} on {}", cell.method, cell.data),
                            graph::fingerprint(dataset), &now_text, run)
               .left_after(plan);
  }
  Json numbers = Json::object();
  for (const auto& [name, value] : plan.numbers) numbers[name] = value;
  if (common.json) {
    Json document{{"method", cell.method},
                  {"data", cell.data},
                  {"unit", cell.unit},
                  {"rigor", name(cell.rigor)},
                  {"sound", sound},
                  {"epsilon", sound ? Json(privacy::printed_epsilon(upper)) : Json(nullptr)},
                  {"delta", request.delta.value()},
                  {"plan", numbers},
                  {"event", plan.event.describe()},
                  {"assumptions", plan.assumptions},
                  {"failed_claims", plan.failed_claims}};
    if (common.ledger) {
      document["ledger_left"] =
          left ? Json{{"epsilon", left->epsilon()}, {"delta", left->delta()}} : Json(nullptr);
    }
    fmt::print("{}", to_text(document));
    return;
  }
  fmt::print("nothing was trained or spent\n");
  if (sound) {
    fmt::print(
        "{} on {} would have the upper bound epsilon = {} at delta = {}, for the unit of protection '{}'\n",
        cell.method, cell.data, rounded_up(upper), request.delta.value(), cell.unit);
  } else {
    fmt::print("{} on {} would have no guarantee\n", cell.method, cell.data);
  }
  if (left) fmt::print("{} would pay for it and have {} left\n", *common.ledger, left->text());
  if (common.ledger && !left) fmt::print("{} would have nothing to pay\n", *common.ledger);
  print_plan(numbers);
  for (const std::string& claim : plan.failed_claims) fmt::print("what fails: {}\n", claim);
  for (const std::string& assumption : plan.assumptions) fmt::print("rests on: {}\n", assumption);
}

constexpr const char* kOtherFolder = "choose another folder, or --force to write over a model";

// Before anything is trained or spent: the folder can be written, and nothing is lost in it. A folder that
// was made for a run that then fails goes again.
class ClaimedFolder {
 public:
  ClaimedFolder(std::filesystem::path folder, bool force)
      : folder_(std::move(folder)), made_(!std::filesystem::exists(folder_)) {
    refuse_comparison(folder_);
    if (!force) refuse_taken(folder_, kOtherFolder);
    make_folder(folder_);
    for (const char* file : {"model.json", "released.npz"}) {
      if (std::filesystem::is_directory(std::filesystem::symlink_status(folder_ / file))) {
        throw InvalidArgument({.what = fmt::format("there is a folder {} in it", file),
                               .where = folder_.string(),
                               .remedy = "choose another folder"});
      }
    }
    const OutputFile probe(folder_ / "model.json");  // an IoError where it can't be written; leaves nothing
  }
  ~ClaimedFolder() {
    std::error_code not_empty;
    if (made_) std::filesystem::remove(folder_, not_empty);
  }
  ClaimedFolder(const ClaimedFolder&) = delete;
  ClaimedFolder& operator=(const ClaimedFolder&) = delete;

 private:
  std::filesystem::path folder_;
  bool made_;
};

// Who brings splits with the data often means them.
void tell_of_stored_splits(const graph::Dataset& dataset, const methods::Cell& cell,
                           const CellOptions& common) {
  if (common.split || common.json || dataset.splits.empty() || cell.split != methods::Cell().split) return;
  fmt::print(stderr,
             "note: {} has stored splits, and roles are drawn anew by {}; --split file:{} takes one\n",
             cell.data, cell.split, dataset.splits.front().name);
}

void train(const Options& options) {
  const methods::Cell cell = cell_of(options);
  if (options.common.ledger && cell.runs > 1) {
    throw InvalidArgument({.what = fmt::format("{} runs", cell.runs),
                           .where = "--ledger",
                           .expected = "one: each is paid for by itself",
                           .remedy = "use 'privet compare', which keeps the runs that were paid for"});
  }
  if (cell.published_defects && options.common.out) {
    throw InvalidArgument({.what = "what the published code of dpdgc learns shows edges to whoever has it",
                           .where = "--out",
                           .expected = "no model of a run with --reproduce-published-defects"});
  }
  if (options.dry_run) {
    if (options.common.out) refuse_comparison(*options.common.out);
    if (options.common.out && !options.force) refuse_taken(*options.common.out, kOtherFolder);
    dry_run(cell, options.common);
    return;
  }
  tell_unread_options({cell});
  std::optional<ClaimedFolder> claimed;
  if (options.common.out) claimed.emplace(*options.common.out, options.force);
  methods::Surroundings around = options.common.surroundings();
  around.load = [&, load = std::move(around.load)](const std::string& name) {
    graph::Dataset dataset = load(name);
    tell_of_stored_splits(dataset, cell, options.common);
    return dataset;
  };
  methods::Model model;
  const std::vector<methods::CellResult> results = methods::run_cells({cell}, around, {}, &model);
  const methods::CellResult& result = results.front();
  if (options.common.out) {
    const std::filesystem::path folder = *options.common.out;
    // model.json goes first and comes last: a folder that has it is whole.
    make_folder(folder);
    methods::forget_model(folder);
    write_text(folder / "certificate.json", to_text(result.certificate));
    write_text(folder / "result.json", to_text(result.to_json()));
    methods::save_model(model, result.certificate["data_fingerprint"].get<std::string>(), folder,
                        result.certificate["digest"].get<std::string>());
  }
  if (options.common.json) {
    fmt::print("{}", to_text(result.to_json()));
    return;
  }
  print_result(result);
  if (options.common.out) {
    fmt::print("\nsaved {}: model.safetensors, model.json, certificate.json, result.json{}{}\n",
               *options.common.out, model.released ? ", released.npz" : "",
               cell.runs > 1 ? " (of the last run)" : "");
  }
}

}  // namespace

void declare_train_command(Command& root) {
  auto options = std::make_shared<Options>();
  Command& command = root.command("train", "trains a method and certifies what that cost");
  command.option("--method", options->method, "a name from 'privet methods'");
  command.option("--preset", options->preset, "a named set of options, such as a paper's own");
  command.option("--epsilon", options->epsilon, "the budget, an upper bound; inf for no privacy");
  command.flag("--dry-run", options->dry_run,
               "print the plan, its cost and whether --ledger would pay; train and spend nothing");
  command.flag("--force", options->force, "write over a model that is in the folder already");
  options->common.declare(command);
  command.example("privet train --method ballot --data friends --unit edge --epsilon 1 --out model");
  command.example(
      "privet train --method dp-mlp --data friends --unit node:300 --epsilon 8 --runs 10 --seed 1");
  command.action([options] { train(*options); });
}

}  // namespace privet::cli
