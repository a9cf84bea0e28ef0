#include "privet/run/comparison.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "privet/accounting/accountant.hpp"
#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/progress.hpp"
#include "privet/graph/prepare.hpp"
#include "privet/methods/registry.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/run/bill.hpp"
#include "privet/run/journal.hpp"
#include "privet/run/payment.hpp"

namespace privet::methods {
namespace {

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

RunRequest run_request(const Cell& cell, const Library::Entry& entry, const Surroundings& surroundings,
                       std::uint64_t run) {
  return {.request = request_of(cell, entry.dataset),
          .split = cell.split,
          .seed = cell.seed ? std::optional(*cell.seed + run) : std::nullopt,
          .evaluate = cell.evaluate,
          .class_accuracy = cell.class_accuracy,
          .classes_declared = graph::declares_classes(graph::parse_prepare(cell.prepare)),
          .fingerprint = privacy::blinded_fingerprint(entry.fingerprint, surroundings.key),
          .data_secret = entry.fingerprint,
          .created = surroundings.now(),
          .unaccounted = looks_before(cell)};
}

// No run is made, or paid for, where a later one can't be.
void require_all_possible(const std::vector<Cell>& cells, Library& library, const Surroundings& surroundings,
                          const Journal* journal) {
  Bill bill;
  for (const Cell& cell : cells) {
    const Library::Entry& entry = library.get(cell);
    const Plan plan = plan_of(cell, entry.dataset);
    if (!surroundings.ledger) continue;
    const std::string key = journal_key(cell, entry, surroundings);
    std::uint64_t missing = 0;
    for (std::uint64_t run = 0; run < cell.runs; ++run) {
      if (journal == nullptr || !journal->find(key, run)) ++missing;
    }
    if (missing == 0) continue;
    RunRequest first = run_request(cell, entry, surroundings, 0);
    const Payment payment(*surroundings.ledger, "a run", entry.fingerprint, surroundings.now, first);
    (void)payment.left_after(plan);  // for one run, of these data, in this unit
    if (const std::optional<privacy::LedgerRequest> one = payment.price(plan)) bill.add(*one, missing);
  }
  if (surroundings.ledger) bill.require_funds(*surroundings.ledger);
}

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

}  // namespace

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
  if (work.size() > 1) require_all_possible(cells, library, surroundings, journal ? &*journal : nullptr);
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
