#include "privet/methods/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/progress.hpp"
#include "privet/base/version.hpp"
#include "privet/graph/prepare.hpp"
#include "privet/graph/split.hpp"
#include "privet/methods/feature_gate.hpp"
#include "privet/methods/journal.hpp"
#include "privet/methods/payment.hpp"
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
  Library(const Surroundings& surroundings, const std::vector<Cell>& cells)
      : surroundings_(surroundings), cells_(cells) {}

  struct Entry {
    graph::Dataset dataset;
    std::string fingerprint;  // plain: stays here
  };
  const Entry& get(const Cell& cell) {
    const std::lock_guard lock(mutex_);
    const std::string key = fmt::format("{}\n{}", cell.data, cell.prepare);
    auto found = entries_.find(key);
    if (found == entries_.end()) {
      Entry entry{
          .dataset = graph::prepare(surroundings_.load(cell.data), graph::parse_prepare(cell.prepare)),
          .fingerprint = {}};
      entry.fingerprint = graph::fingerprint(entry.dataset);
      // None of its cells shall run for nothing because of a later one.
      for (const Cell& other : cells_) {
        if (other.data == cell.data && other.prepare == cell.prepare)
          privacy::require_fits(entry.dataset, request_of(other, entry.dataset).unit);
      }
      found = entries_.emplace(key, std::move(entry)).first;
    }
    return found->second;
  }

 private:
  const Surroundings& surroundings_;
  const std::vector<Cell>& cells_;
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
  Json findings = Json::object();
  for (const auto& [label, value] : result.findings) findings[label] = value;
  Json class_accuracy = Json::array();
  for (const double value : result.class_accuracy)
    class_accuracy.push_back(std::isnan(value) ? Json(nullptr) : Json(value));
  return {{"run", run},
          {"seed", result.seed ? Json(*result.seed) : Json(nullptr)},
          {"test_accuracy", optional_number(result.test_accuracy)},
          {"rare_f1", optional_number(result.rare_f1)},
          {"class_accuracy", class_accuracy},
          {"val_accuracy", optional_number(result.validation_accuracy)},
          {"train_seconds", cell.evaluate ? Json(result.train_seconds) : Json(nullptr)},
          {"epochs", result.epochs},
          {"plan", numbers},
          {"findings", findings},
          {"all_runs_epsilon", all_runs},
          {"certificate", privacy::certificate_to_json(result.certificate)}};
}

RunRequest run_request(const Cell& cell, const Library::Entry& entry, const Surroundings& surroundings,
                       std::uint64_t run) {
  return {.request = request_of(cell, entry.dataset),
          .split = cell.split,
          .seed = cell.seed ? std::optional(*cell.seed + run) : std::nullopt,
          .evaluate = cell.evaluate,
          .fingerprint = privacy::blinded_fingerprint(entry.fingerprint, surroundings.key),
          .data_secret = entry.fingerprint,
          .created = surroundings.now(),
          .unaccounted = looks_before(cell)};
}

// What several runs cost together, unit by unit.
class Bill {
 public:
  explicit Bill(const Surroundings& surroundings) : surroundings_(surroundings) {}

  /// Throws as the ledger would where it does not pay for one of these runs, or not for these data.
  void add(const Cell& cell, const Library::Entry& entry, const Plan& plan, std::uint64_t runs) {
    if (!surroundings_.ledger || runs == 0) return;
    RunRequest run = run_request(cell, entry, surroundings_, 0);
    const Payment payment(*surroundings_.ledger, "a run", entry.fingerprint, surroundings_.now, run);
    const std::optional<privacy::LedgerRequest> one = payment.price(plan);
    if (!one) return;
    (void)payment.left_after(plan);
    const privacy::Cost cost = privacy::cost_of(one->epsilon, one->delta);
    Total& total = totals_[one->unit];
    total.cost.micro_epsilon = added(total.cost.micro_epsilon, cost.micro_epsilon, runs);
    total.cost.atto_delta = added(total.cost.atto_delta, cost.atto_delta, runs);
    total.runs += runs;
    fingerprints_.insert(entry.fingerprint);
  }

  void require_funds() const {
    if (totals_.empty()) return;
    const privacy::LedgerView view = privacy::read_ledger(*surroundings_.ledger);
    if (view.data.empty() && fingerprints_.size() > 1) {
      throw DataError(
          {.what = fmt::format("is for one data set, and these runs are of {}", fingerprints_.size()),
           .where = surroundings_.ledger->string(),
           .remedy = "give each data set a ledger of its own, or declare them versions of one "
                     "('privet ledger admit')"});
    }
    for (const privacy::UnitBudget& budget : view.budgets) {
      const auto total = totals_.find(budget.unit);
      if (total == totals_.end() || privacy::fits(total->second.cost, budget.left())) continue;
      throw BudgetExceeded(
          {.what =
               fmt::format("{} runs cost {} (upper bound) together for the unit '{}', but of the budget ({}) "
                           "only {} is left",
                           total->second.runs, total->second.cost.text(), budget.unit, budget.cap.text(),
                           budget.left().text()),
           .where = surroundings_.ledger->string(),
           .remedy =
               "nothing was released; ask for less, or for more of the ledger ('privet ledger budget')"});
    }
  }

 private:
  struct Total {
    privacy::Cost cost;
    std::uint64_t runs = 0;
  };
  // More than fits stays the most that fits, which no ledger pays.
  static std::int64_t added(std::int64_t total, std::int64_t cost, std::uint64_t runs) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    if (cost != 0 && runs > static_cast<std::uint64_t>((kMost - total) / cost)) return kMost;
    return total + cost * static_cast<std::int64_t>(runs);
  }

  const Surroundings& surroundings_;
  std::map<std::string, Total> totals_;
  std::set<std::string> fingerprints_;
};

// One run, with the ledger's consent where there is one.
RunResult run_with_ledger(const Cell& cell, const Library::Entry& entry, const Surroundings& surroundings,
                          std::uint64_t run) {
  const std::unique_ptr<Method> method = method_of(cell);
  RunRequest request = run_request(cell, entry, surroundings, run);
  if (!surroundings.ledger) return run_once(*method, entry.dataset, request);
  Payment payment(*surroundings.ledger, fmt::format("{} on {}, run {}", cell.method, cell.data, run),
                  entry.fingerprint, surroundings.now, request);
  RunResult result = run_once(*method, entry.dataset, request);
  payment.commit(result.certificate);
  return result;
}

}  // namespace

std::string Cell::key() const {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  };
  return fmt::format(
      "privet {}; {}:{} [{}]; data {}; prepare {}; split {}; unit {}; {} {}; delta {}; {}; "
      "seed {}; {}{}",
      version(), method, preset, fmt::join(assignments, " "), data, prepare, split, unit,
      published_defects ? "asked for" : "epsilon", number(epsilon), number(delta), name(rigor),
      seed ? fmt::format("{}", *seed) : "-", evaluate ? "evaluated" : "not evaluated",
      published_defects ? "; published defects" : "");
}

double CellResult::mean_accuracy() const { return mean_of(accuracies(runs)); }

std::string CellResult::graph_answers_in() const {
  std::size_t open = 0;
  std::size_t asked = 0;
  for (const Json& run : runs) {
    const auto findings = run.find("findings");
    if (findings == run.end()) continue;
    const auto who = findings->find(kWhoAnswers);
    if (who == findings->end() || !who->is_string()) continue;
    ++asked;
    if (who->get<std::string>().starts_with(kGraphAnswers)) ++open;
  }
  return asked == 0 ? "" : fmt::format("{} of {}", open, asked);
}

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

std::optional<double> CellResult::edge_epsilon() const {
  if (cell.unit != "local-edge" || !certificate.is_object() || !certificate.value("sound", false)) return {};
  if (certificate.value("epsilon", 1.0) == 0) return 0;
  for (const Json& reading : certificate.value("readings", Json::array())) {
    if (reading.value("unit", "") == "edge") return reading.value("epsilon", 0.0);
  }
  return {};
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
    if (run["train_seconds"].is_number()) seconds += run["train_seconds"].get<double>();
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
      {"epsilon", cell.published_defects ? Json(nullptr) : optional_number(cell.epsilon)},
      {"delta", delta},
      {"plan", runs.empty() ? Json::object() : runs.back()["plan"]},
      {"runs", listed},
      {"test_accuracy",
       {{"mean", measured ? Json(mean_accuracy()) : Json(nullptr)},
        {"ci95", measured && runs.size() > 1 ? Json(accuracy_ci95()) : Json(nullptr)}}},
      {"train_seconds",
       {{"mean",
         cell.evaluate && !runs.empty() ? Json(seconds / static_cast<double>(runs.size())) : Json(nullptr)}}},
      {"peak_rss_mib", cell.evaluate ? Json(peak_rss_mib()) : Json(nullptr)},
      {"all_runs_epsilon", runs.empty() ? Json(nullptr) : runs.back()["all_runs_epsilon"]},
      {"certificate", certificate}};
  if (cell.published_defects) document["published_defects"] = true;
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

namespace {

// What no node can have costs accuracy and promises nothing: a slip.
void require_possible(const privacy::Unit& unit, std::size_t nodes) {
  const bool node = unit.kind() == privacy::Unit::Kind::node;
  if (!node && unit.kind() != privacy::Unit::Kind::k_neighbor) return;
  if ((node ? unit.max_degree() : unit.k()) < nodes) return;
  throw InvalidArgument(
      {.what = fmt::format("'{}' for a graph of {} nodes", unit.text(), nodes),
       .where = "--unit",
       .expected = fmt::format("at most {}:{}: no node has more neighbours than there are other nodes",
                               node ? "node" : "k-neighbor", nodes - 1)});
}

}  // namespace

Request request_of(const Cell& cell, const graph::Dataset& dataset) {
  const privacy::Unit unit = privacy::Unit::parse(cell.unit);
  require_possible(unit, dataset.nodes());
  const bool strict = cell.rigor == privacy::Rigor::kStrict;
  privacy::Delta delta = strict_delta(dataset.nodes());
  if (cell.delta) {
    delta = privacy::Delta(*cell.delta);
    if (cell.epsilon && unit.kind() != privacy::Unit::Kind::none &&
        delta.value() * static_cast<double>(dataset.nodes()) > 1) {
      throw Unsound({.what = fmt::format("delta {}", delta.value()),
                     .where = "--delta",
                     .expected = fmt::format("at most one over the number of nodes, {:.3g}",
                                             1 / static_cast<double>(dataset.nodes())),
                     .remedy = "a larger one would allow to publish whole people"});
    }
  } else if (!strict && make_method(cell.method)->needs_delta()) {
    const std::size_t training =
        draw_split(dataset, unit, cell.rigor, cell.split, cell.seed.value_or(0)).count(graph::Role::train);
    delta = paper_delta(unit, dataset.graph.stored_entries(), training);
  }
  Request request{
      .unit = unit, .rigor = cell.rigor, .delta = delta, .published_defects = cell.published_defects};
  if (cell.epsilon) request.epsilon = privacy::Epsilon(*cell.epsilon);
  return request;
}

std::vector<privacy::UnaccountedUse> looks_before(const Cell& cell) {
  const privacy::Unit unit = privacy::Unit::parse(cell.unit);
  std::vector<privacy::UnaccountedUse> looks;
  if (!cell.epsilon || unit.kind() == privacy::Unit::Kind::none) return looks;
  const bool strict = cell.rigor == privacy::Rigor::kStrict;
  const auto look = [&](const std::string& what, const char* option, const char* remedy) {
    if (strict) {
      throw Unsound({.what = fmt::format("{} reads what the unit '{}' protects", what, unit.text()),
                     .where = option,
                     .remedy = remedy});
    }
    looks.push_back({what + " before the run", "the papers prepare their data so"});
  };
  for (const graph::PrepareStep& step : graph::parse_prepare(cell.prepare)) {
    const bool own_lists = unit.kind() == privacy::Unit::Kind::local_edge ||
                           unit.kind() == privacy::Unit::Kind::k_neighbor ||
                           unit.kind() == privacy::Unit::Kind::record;
    // One entry becomes two, or moves to the list of somebody else: what the units of single entries and
    // lists count is no longer what is there.
    const bool relists = (step.kind == graph::PrepareStep::Kind::symmetrize &&
                          (own_lists || unit.kind() == privacy::Unit::Kind::directed_edge)) ||
                         (step.kind == graph::PrepareStep::Kind::reverse && own_lists);
    if (relists && strict) {
      throw Unsound({.what = fmt::format("{} moves entries to lists of others, and the unit '{}' protects "
                                         "what is in one list as it was recorded",
                                         step.text(), unit.text()),
                     .where = "--prepare",
                     .remedy = "leave it out, or take the unit edge or node:D"});
    }
    if ((step.reads_edges() && unit.protects_edges()) || (step.reads_labels() && unit.protects_labels()) ||
        (step.mixes_features() && unit.protects_features()) || relists) {
      look(step.text(), "--prepare",
           step.reads_labels() ? "name the classes with classes=A+B+C instead, which moves nobody"
           : step.mixes_features()
               ? "scale the features beforehand by numbers that are public, such as known ranges"
               : "leave it out, or prepare the data beforehand with 'privet data convert' if what "
                 "remains is public");
    }
  }
  if (graph::reads_labels(cell.split) && unit.protects_labels())
    look("split " + cell.split, "--split", "use shares such as 75/10/15, or a stored split that is public");
  if (!strict && !graph::reads_labels(cell.split) && unit.protects_labels())
    looks.push_back(
        {"who has a label, for the roles before the run", "the papers draw roles among labeled nodes"});
  if (!strict && !cell.delta && unit.protects_edges() && !unit.protects_features() &&
      make_method(cell.method)->needs_delta())
    looks.push_back({"the number of stored edges, for delta", "the papers choose delta by it"});
  return looks;
}

// A finished run is believed only if its certificate is whole, true to its releases and for this very cell.
void check_finished(const Json& finished, const Cell& cell, const Library::Entry& entry,
                    const Surroundings& surroundings, std::uint64_t run) {
  const std::string where =
      fmt::format("{}, {} on {}, run {}", surroundings.journal->string(), cell.method, cell.data, run);
  if (!finished.is_object() || !finished.contains("certificate") || !finished.contains("plan") ||
      !finished.contains("test_accuracy") || !finished.contains("train_seconds")) {
    throw DataError(
        {.what = "not a finished run", .where = where, .remedy = "remove the file to start anew"});
  }
  const privacy::Certificate certificate = privacy::certificate_from_json(finished["certificate"], where);
  const auto verdict = privacy::check_certificate(
      certificate, [](const privacy::Event& event, privacy::Delta delta, const std::string& accountant) {
        return privacy::epsilon(event, delta, privacy::parse_accountant(accountant)).upper;
      });
  const Request request = request_of(cell, entry.dataset);
  const bool same =
      certificate.unit == (request.wants_privacy() ? request.unit.text() : "none") &&
      (certificate.delta == request.delta.value() || certificate.delta == 0) &&
      certificate.noise == (cell.seed ? privacy::NoiseSource::kSeeded : privacy::NoiseSource::kSecure) &&
      (!certificate.epsilon || (cell.epsilon && *certificate.epsilon <= *cell.epsilon));
  if (!verdict.holds() || !same) {
    throw DataError({.what = verdict.holds() ? "the certificate of another run" : verdict.faults.front(),
                     .where = where,
                     .remedy = "remove the file to start anew"});
  }
  if (surroundings.ledger && certificate.ledger)
    privacy::require_anchor(privacy::read_ledger(*surroundings.ledger), *certificate.ledger,
                            surroundings.ledger->string(), where);
}

std::vector<std::string> unread_options(const Cell& cell) {
  Request request{.unit = privacy::Unit::parse(cell.unit), .rigor = cell.rigor, .delta = privacy::Delta(0)};
  if (cell.epsilon) request.epsilon = privacy::Epsilon(*cell.epsilon);
  const std::unique_ptr<Method> method = method_of(cell);
  std::vector<std::string> sentences;
  for (const auto& [option, why] : method->unread_options(request)) {
    const bool given = std::ranges::any_of(
        cell.assignments, [&](const std::string& one) { return one.starts_with(option + "="); });
    if (given)
      sentences.push_back(fmt::format("the option {} of {} does nothing {}", option, cell.method, why));
  }
  return sentences;
}

Plan plan_of(const Cell& cell, const graph::Dataset& dataset) {
  const std::vector<privacy::UnaccountedUse> looks = looks_before(cell);
  const Request request = request_of(cell, dataset);
  const std::unique_ptr<Method> method = method_of(cell);
  method->require_unit(request.unit);  // before a promise about the data is checked for nothing
  graph::Split split = draw_split(dataset, request.unit, request.rigor, cell.split, cell.seed.value_or(0));
  return plan_run(*method, request, privacy::protect(dataset, std::move(split), request.unit).facts, looks);
}

std::vector<CellResult> run_cells(const std::vector<Cell>& cells, const Surroundings& surroundings,
                                  const OnCell& on_cell, Model* model) {
  std::optional<Journal> journal;
  if (surroundings.journal) journal.emplace(*surroundings.journal);
  Library library(surroundings, cells);
  std::vector<Work> work;
  std::vector<CellResult> results(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c) {
    results[c].cell = cells[c];
    results[c].runs.resize(cells[c].runs);
    (void)method_of(cells[c]);  // bad options are found before anything runs
    (void)looks_before(cells[c]);
    for (std::uint64_t run = 0; run < cells[c].runs; ++run) work.push_back({c, run});
  }
  // No run is made, or paid for, where a later one can't be.
  if (work.size() > 1) {
    Bill bill(surroundings);
    for (const Cell& cell : cells) {
      const Library::Entry& entry = library.get(cell);
      const std::string key = journal_key(cell, entry, surroundings);
      std::uint64_t missing = 0;
      for (std::uint64_t run = 0; run < cell.runs; ++run) {
        if (!journal || !journal->find(key, run)) ++missing;
      }
      bill.add(cell, entry, plan_of(cell, entry.dataset), missing);
    }
    bill.require_funds();
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
    if (finished) check_finished(*finished, cell, entry, surroundings, item.run);
    if (!finished) {
      const RunResult result = run_with_ledger(cell, entry, surroundings, item.run);
      finished = run_json(result, cell, item.run);
      if (journal) journal->add(key, item.run, *finished);
      if (model != nullptr && item.run + 1 == cell.runs) {
        *model = result.model;
        model->prepare = cell.prepare;
      }
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
