#include "privet/methods/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <mutex>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/progress.hpp"
#include "privet/base/version.hpp"
#include "privet/graph/prepare.hpp"
#include "privet/graph/split.hpp"
#include "privet/methods/journal.hpp"
#include "privet/methods/registry.hpp"
#include "privet/privacy/accounting/accountant.hpp"
#include "privet/privacy/certificate_json.hpp"

namespace privet::methods {
namespace {

constexpr double kKibPerMib = 1024;

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

double peak_rss_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / kKibPerMib;
}

std::vector<double> accuracies(const std::vector<Json>& runs) {
  std::vector<double> all;
  for (const Json& run : runs) {
    if (run["test_accuracy"].is_number()) all.push_back(run["test_accuracy"].get<double>());
  }
  return all;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? std::nan("") : sum / static_cast<double>(values.size());
}

struct Work {
  std::size_t cell;
  std::uint64_t run;
};

// The data of the cells, loaded and prepared once each.
class Library {
 public:
  explicit Library(const Surroundings& surroundings) : surroundings_(surroundings) {}

  struct Entry {
    Prepared data;
    std::string fingerprint;  // plain: stays here
  };
  const Entry& get(const Cell& cell) {
    const std::lock_guard lock(mutex_);
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}", cell.data, cell.prepare, cell.unit, name(cell.rigor));
    auto found = entries_.find(key);
    if (found == entries_.end()) {
      Entry entry{.data = prepared(cell, surroundings_.load(cell.data)), .fingerprint = {}};
      entry.fingerprint = graph::fingerprint(entry.data.dataset);
      found = entries_.emplace(key, std::move(entry)).first;
    }
    return found->second;
  }

 private:
  const Surroundings& surroundings_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

// A finished run stands for another one only on the same data, not on others of that name, and only where the
// same ledger has paid for it.
std::string journal_key(const Cell& cell, const Library::Entry& entry, const Surroundings& surroundings) {
  return fmt::format("{}; {}; ledger {}", cell.key(),
                     privacy::blinded_fingerprint(entry.fingerprint, surroundings.key),
                     surroundings.ledger ? surroundings.ledger->string() : "-");
}

Json run_json(const RunResult& result, const Cell& cell, std::uint64_t run) {
  Json all_runs = nullptr;
  if (result.certificate.sound && cell.runs > 1) {
    const privacy::Event all = privacy::repeated(result.plan.event, cell.runs);
    all_runs =
        privacy::printed_epsilon(privacy::epsilon(all, privacy::Delta(result.certificate.delta)).upper);
  }
  Json numbers = Json::object();
  for (const auto& [label, value] : result.plan.numbers) numbers[label] = value;
  return {{"run", run},
          {"seed", result.seed ? Json(*result.seed) : Json(nullptr)},
          {"test_accuracy", optional_number(result.test_accuracy)},
          {"val_accuracy", optional_number(result.validation_accuracy)},
          {"train_seconds", result.train_seconds},
          {"epochs", result.epochs},
          {"plan", numbers},
          {"all_runs_epsilon", all_runs},
          {"certificate", privacy::certificate_to_json(result.certificate)}};
}

// One run, with the ledger's consent where there is one.
RunResult run_with_ledger(const Cell& cell, const Library::Entry& entry, const Surroundings& surroundings,
                          std::uint64_t run) {
  const std::unique_ptr<Method> method = method_of(cell);
  RunRequest request{.request = {.unit = privacy::Unit::parse(cell.unit), .delta = privacy::Delta(0.5)},
                     .split = cell.split,
                     .seed = cell.seed ? std::optional(*cell.seed + run) : std::nullopt,
                     .evaluate = cell.evaluate,
                     .fingerprint = privacy::blinded_fingerprint(entry.fingerprint, surroundings.key),
                     .created = surroundings.now(),
                     .unaccounted = entry.data.unaccounted};
  const SeededStream any(0);
  const std::size_t training =
      graph::make_split(entry.data.dataset, cell.split, *any.fork("count", 0)).count(graph::Role::train);
  request.request = request_of(cell, entry.data.dataset, training);
  if (!surroundings.ledger || !request.request.wants_privacy())
    return run_once(*method, entry.data.dataset, request);
  // Reservations of one process queue up here; several processes are kept apart by the ledger itself.
  privacy::Ledger ledger = privacy::Ledger::open(*surroundings.ledger);
  request.fingerprint = ledger.blind(entry.fingerprint);
  std::optional<privacy::Reservation> reservation;
  request.reserve = [&](const Plan& plan) -> std::optional<privacy::LedgerAnchor> {
    if (!plan.failed_claims.empty()) {
      throw Unsound({.what = "a run without a guarantee can't be paid for from a budget",
                     .where = "--ledger",
                     .remedy = "use strict rigor, or leave the ledger out"});
    }
    const privacy::EpsilonBound bound = privacy::epsilon(plan.event, request.request.delta);
    reservation = ledger.reserve({.what = fmt::format("{} on {}, run {}", cell.method, cell.data, run),
                                  .unit = request.request.unit.text(),
                                  .fingerprint = entry.fingerprint,
                                  .epsilon = privacy::Epsilon(privacy::printed_epsilon(bound.upper)),
                                  .delta = request.request.delta,
                                  .accountant = privacy::accountant_name(bound.by),
                                  .event = plan.event,
                                  .when = surroundings.now()});
    return reservation->anchor;
  };
  RunResult result = run_once(*method, entry.data.dataset, request);
  if (reservation) ledger.commit(*reservation, result.certificate, surroundings.now());
  return result;
}

}  // namespace

std::string Cell::key() const {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  };
  return fmt::format(
      "privet {}; {}:{} [{}]; data {}; prepare {}; split {}; unit {}; epsilon {}; delta {}; {}; "
      "seed {}; {}",
      version(), method, preset, fmt::join(assignments, " "), data, prepare, split, unit, number(epsilon),
      number(delta), name(rigor), seed ? fmt::format("{}", *seed) : "-",
      evaluate ? "evaluated" : "not evaluated");
}

double CellResult::mean_accuracy() const { return mean_of(accuracies(runs)); }

double CellResult::accuracy_ci95() const {
  const std::vector<double> all = accuracies(runs);
  if (all.size() < 2) return 0;
  const double mean = mean_of(all);
  double squares = 0;
  for (const double value : all) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(all.size());
  const boost::math::students_t distribution(count - 1);
  constexpr double kUpperTail = 0.975;
  return boost::math::quantile(distribution, kUpperTail) * std::sqrt(squares / (count - 1) / count);
}

Json CellResult::to_json() const {
  Json listed = Json::array();
  double seconds = 0;
  for (const Json& run : runs) {
    Json shown = run;
    shown.erase("certificate");
    shown.erase("plan");
    shown.erase("all_runs_epsilon");
    listed.push_back(shown);
    seconds += run["train_seconds"].get<double>();
  }
  const bool measured = !accuracies(runs).empty();
  Json document = {
      {"method", cell.method},
      {"preset", cell.preset},
      {"options", cell.assignments},
      {"data", cell.data},
      {"prepare", cell.prepare},
      {"split", cell.split},
      {"unit", cell.unit},
      {"rigor", name(cell.rigor)},
      {"epsilon", optional_number(cell.epsilon)},
      {"delta", delta},
      {"plan", runs.empty() ? Json::object() : runs.back()["plan"]},
      {"runs", listed},
      {"test_accuracy",
       {{"mean", measured ? Json(mean_accuracy()) : Json(nullptr)},
        {"ci95", measured ? Json(accuracy_ci95()) : Json(nullptr)}}},
      {"train_seconds", {{"mean", runs.empty() ? 0 : seconds / static_cast<double>(runs.size())}}},
      {"peak_rss_mib", peak_rss_mib()},
      {"all_runs_epsilon", runs.empty() ? Json(nullptr) : runs.back()["all_runs_epsilon"]},
      {"certificate", certificate}};
  if (cell.published) document["published"] = *cell.published;
  if (cell.published_ci95) document["published_ci95"] = *cell.published_ci95;
  return document;
}

std::unique_ptr<Method> method_of(const Cell& cell) {
  std::unique_ptr<Method> method = make_method(cell.method);
  if (!cell.preset.empty()) method->use_preset(cell.preset);
  OptionTable table = method->options();
  for (const std::string& assignment : cell.assignments) table.set_assignment(assignment);
  return method;
}

Request request_of(const Cell& cell, const graph::Dataset& dataset, std::size_t training_nodes) {
  const privacy::Unit unit = privacy::Unit::parse(cell.unit);
  const privacy::Delta delta = cell.delta ? privacy::Delta(*cell.delta)
                               : cell.rigor == privacy::Rigor::kStrict
                                   ? strict_delta(dataset.nodes())
                                   : paper_delta(unit, dataset.graph.stored_entries(), training_nodes);
  Request request{.unit = unit, .rigor = cell.rigor, .delta = delta};
  if (cell.epsilon) request.epsilon = privacy::Epsilon(*cell.epsilon);
  return request;
}

Prepared prepared(const Cell& cell, graph::Dataset dataset) {
  const privacy::Unit unit = privacy::Unit::parse(cell.unit);
  const std::vector<graph::PrepareStep> steps = graph::parse_prepare(cell.prepare);
  Prepared result;
  for (const graph::PrepareStep& step : steps) {
    const bool reads =
        (step.reads_edges() && unit.protects_edges()) || (step.reads_labels() && unit.protects_labels());
    if (!reads || !cell.epsilon) continue;
    const std::string what = fmt::format("{} before the run", step.text());
    if (cell.rigor == privacy::Rigor::kStrict) {
      throw Unsound({.what = fmt::format("{} reads what the unit '{}' protects", step.text(), unit.text()),
                     .where = "--prepare",
                     .remedy = "leave it out, or prepare the data beforehand with 'privet data convert' if "
                               "what remains is public"});
    }
    result.unaccounted.push_back({what, "the papers prepare their data so"});
  }
  if (cell.rigor == privacy::Rigor::kPaper && cell.epsilon && !cell.delta && unit.protects_edges() &&
      !unit.protects_features()) {
    result.unaccounted.push_back({"the number of stored edges, for delta", "the papers choose delta by it"});
  }
  result.dataset = graph::prepare(std::move(dataset), steps);
  return result;
}

std::vector<CellResult> run_cells(const std::vector<Cell>& cells, const Surroundings& surroundings,
                                  const OnCell& on_cell, Model* model) {
  std::optional<Journal> journal;
  if (surroundings.journal) journal.emplace(*surroundings.journal);
  Library library(surroundings);
  std::vector<Work> work;
  std::vector<CellResult> results(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    results[c].cell = cells[c];
    results[c].runs.resize(cells[c].runs);
    (void)method_of(cells[c]);  // bad options are found before anything runs
    (void)privacy::Unit::parse(cells[c].unit);
    for (std::uint64_t run = 0; run < cells[c].runs; ++run) work.push_back({c, run});
  }
  std::vector<std::uint64_t> left(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) left[c] = cells[c].runs;
  std::size_t next_told = 0;
  std::mutex mutex;
  Progress progress("runs", work.size());
  const auto one = [&](const Work& item) {
    const Cell& cell = cells[item.cell];
    const Library::Entry& entry = library.get(cell);
    const std::string key = journal_key(cell, entry, surroundings);
    std::optional<Json> finished;
    if (journal) finished = journal->find(key, item.run);
    if (!finished) {
      const RunResult result = run_with_ledger(cell, entry, surroundings, item.run);
      finished = run_json(result, cell, item.run);
      if (journal) journal->add(key, item.run, *finished);
      if (model != nullptr && item.run + 1 == cell.runs) *model = result.model;
    }
    const std::lock_guard lock(mutex);
    CellResult& of = results[item.cell];
    of.runs[item.run] = std::move(*finished);
    progress.advance();
    --left[item.cell];
    while (next_told < cells.size() && left[next_told] == 0) {
      CellResult& done = results[next_told];
      if (!done.runs.empty()) {
        done.certificate = done.runs.back()["certificate"];
        done.delta = done.certificate["delta"].get<double>();
      }
      if (on_cell) on_cell(done);
      ++next_told;
    }
  };
  // A single run has all threads to itself; several share them, one thread each.
  if (work.size() == 1) {
    one(work.front());
  } else {
    parallel_for(work.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) one(work[i]);
    });
  }
  return results;
}

}  // namespace privet::methods
