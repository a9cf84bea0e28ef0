#include "privet/proof/ledger.hpp"

#include <fmt/format.h>

#include "privet/accounting/accountant.hpp"
#include "privet/accounting/event_json.hpp"
#include "privet/base/error.hpp"
#include "privet/base/json.hpp"
#include "privet/base/timestamp.hpp"
#include "privet/proof/fingerprint.hpp"
#include "privet/proof/ledger/store.hpp"

namespace privet::privacy {
namespace {

std::string on_one_line(const Json& document) {
  std::string text = to_line(document);
  text.pop_back();
  return text;
}

void require_moment(const std::string& when) {
  if (is_utc_timestamp(when)) return;
  throw InvalidArgument({.what = "'" + when + "'", .where = "time", .expected = "like 2025-03-01T12:00:00Z"});
}

void require_unit(const std::string& unit) {
  if (!unit.empty() && unit != "none") return;
  throw InvalidArgument({.what = "'" + unit + "'", .where = "unit", .expected = "a unit of protection"});
}

/// The cap as it is stored. One that was asked for but is too small to be counted would become 0 unseen.
Cost counted_cap(Epsilon epsilon, Delta delta) {
  const Cost cap = cap_of(epsilon, delta);
  const auto require = [](double asked, std::int64_t stored, const char* where, const char* least) {
    if (asked == 0 || stored > 0) return;
    throw InvalidArgument({.what = fmt::format("{} is too small to be counted", asked),
                           .where = where,
                           .expected = fmt::format("0, or at least {}", least)});
  };
  require(epsilon.value(), cap.micro_epsilon, "cap on epsilon", "1e-06");
  require(delta.value(), cap.atto_delta, "cap on delta", "1e-18");
  return cap;
}

LedgerEntry budget_entry(const std::string& unit, Epsilon epsilon, Delta delta, const std::string& when) {
  require_unit(unit);
  require_moment(when);
  LedgerEntry entry;
  entry.kind = LedgerEntryKind::kBudget;
  entry.recorded = when;
  entry.unit = unit;
  entry.cost = counted_cap(epsilon, delta);
  entry.body = "{}";
  return entry;
}

LedgerEntry data_entry(const std::string& blinded, const std::string& when) {
  require_moment(when);
  LedgerEntry entry;
  entry.kind = LedgerEntryKind::kData;
  entry.recorded = when;
  entry.data = blinded;
  entry.body = "{}";
  return entry;
}

/// Whether the ledger, as it stands, allows the reservation.
void check_request(const LedgerState& state, const LedgerEntry& entry, const std::string& where) {
  const UnitBudget* budget = state.budget(entry.unit);
  if (budget == nullptr) {
    throw InvalidArgument(
        {.what = fmt::format("has no budget for the unit '{}'", entry.unit),
         .where = where,
         .remedy = "units are kept apart: give this one a budget of its own, or use another ledger"});
  }
  if (!state.data().empty() && !state.knows_data(entry.data)) {
    throw DataError({.what = "is for other data than these",
                     .where = where,
                     .remedy = "admit them if they are a new version of the same data set ('privet ledger "
                               "admit'), or use another ledger"});
  }
  if (!fits(entry.cost, budget->left())) {
    throw BudgetExceeded(
        {.what = fmt::format("the release costs {} for the unit '{}', but of the budget ({}) only {} is left",
                             entry.cost.text(), entry.unit, budget->cap.text(), budget->left().text()),
         .where = where,
         .remedy = entry.cost.micro_epsilon > budget->left().micro_epsilon
                       ? "nothing was released"
                       : "nothing was released; what is short is delta: a smaller --delta of the run, or a "
                         "larger one of the ledger ('privet ledger budget')"});
  }
}

LedgerView read_whole(const std::filesystem::path& file, bool with_structure) {
  LedgerStore store(file, LedgerStore::Access::kRead);
  try {
    const sqlite::Transaction reading = store.begin(sqlite::Transaction::Kind::kRead);
    if (with_structure) store.check_structure();
    LedgerView view = store.view();
    store.check_undisturbed();
    return view;
  } catch (const DataError&) {
    store.check_undisturbed();  // else a writer at work would pass for a forger
    throw;
  }
}

}  // namespace

struct Ledger::Parts {
  LedgerStore store;
  /// What the file held when last looked at: reading on from here is enough, since entries never change.
  LedgerState state;

  explicit Parts(LedgerStore opened) : store(std::move(opened)), state(store.name()) {}

  /// Calls `work` on the state as it is now in the file, while nobody else can write, and makes what it
  /// appended durable. If anything throws, neither file nor state has changed.
  template <typename Work>
  void write(Work work) {
    sqlite::Transaction writing = store.begin(sqlite::Transaction::Kind::kWrite);
    LedgerState next = state;
    store.catch_up(next);
    work(next);
    writing.commit();
    state = std::move(next);
  }
};

Ledger::Ledger(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Ledger::~Ledger() = default;
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;

Ledger Ledger::create(const std::filesystem::path& file, const std::string& unit, Epsilon cap_epsilon,
                      Delta cap_delta, const std::string& when) {
  LedgerStore::create(file, when, budget_entry(unit, cap_epsilon, cap_delta, when));
  return open(file);
}

Ledger Ledger::open(const std::filesystem::path& file) {
  auto parts = std::make_unique<Parts>(LedgerStore(file));
  const sqlite::Transaction reading = parts->store.begin(sqlite::Transaction::Kind::kRead);
  parts->store.catch_up(parts->state);
  parts->store.check_key(parts->state);
  return Ledger(std::move(parts));
}

std::string Ledger::blind(std::string_view fingerprint) const {
  return blinded_fingerprint(fingerprint, parts_->store.key());
}

void Ledger::set_budget(const std::string& unit, Epsilon cap_epsilon, Delta cap_delta,
                        const std::string& when) {
  LedgerEntry entry = budget_entry(unit, cap_epsilon, cap_delta, when);
  parts_->write([&](LedgerState& state) { parts_->store.append(state, std::move(entry)); });
}

Admission Ledger::admit_data(std::string_view fingerprint, const std::string& when) {
  LedgerEntry entry = data_entry(blind(fingerprint), when);
  Admission admission = Admission::kKnown;
  parts_->write([&](LedgerState& state) {
    if (state.knows_data(entry.data)) return;
    admission = state.data().empty() ? Admission::kFirst : Admission::kFurther;
    parts_->store.append(state, std::move(entry));
  });
  return admission;
}

LedgerEntry Ledger::reservation_entry(const LedgerRequest& request) const {
  require_moment(request.when);
  if (request.what.empty()) throw InvalidArgument({.what = "is empty", .where = "what is released"});
  // What is written down must be what the releases cost, whoever asks.
  const double derived = epsilon(request.event, request.delta, parse_accountant(request.accountant)).upper;
  if (!(derived <= request.epsilon.value() * (1 + 1e-9))) {
    throw InvalidArgument({.what = fmt::format("the releases cost epsilon {:.9g}", derived),
                           .where = parts_->store.name(),
                           .expected = fmt::format("at most the {:.9g} asked for", request.epsilon.value())});
  }
  LedgerEntry entry;
  entry.kind = LedgerEntryKind::kReserve;
  entry.recorded = request.when;
  entry.unit = request.unit;
  entry.data = blind(request.fingerprint);
  entry.cost = cost_of(request.epsilon, request.delta);
  const Json body{
      {"what", request.what}, {"accountant", request.accountant}, {"event", event_to_json(request.event)}};
  entry.body = on_one_line(body);
  return entry;
}

Cost Ledger::left_after(const LedgerRequest& request) const {
  const LedgerEntry entry = reservation_entry(request);
  const sqlite::Transaction reading = parts_->store.begin(sqlite::Transaction::Kind::kRead);
  LedgerState now = parts_->state;
  parts_->store.catch_up(now);
  check_request(now, entry, parts_->store.name());
  return what_is_left(now.budget(entry.unit)->left(), entry.cost);
}

Reservation Ledger::reserve(const LedgerRequest& request) {
  LedgerEntry entry = reservation_entry(request);
  Reservation reservation{.anchor = {}, .unit = entry.unit, .data = entry.data, .cost = entry.cost};
  parts_->write([&](LedgerState& state) {
    check_request(state, entry, parts_->store.name());
    if (state.data().empty()) parts_->store.append(state, data_entry(entry.data, entry.recorded));
    parts_->store.append(state, std::move(entry));
    reservation.anchor = state.head();
  });
  return reservation;
}

void Ledger::commit(const Reservation& reservation, const Certificate& certificate, const std::string& when) {
  require_moment(when);
  const auto refuse = [&](const std::string& what) {
    throw InvalidArgument(
        {.what = what, .where = parts_->store.name(), .remedy = "the reservation stays spent"});
  };
  if (!certificate.sound || !certificate.epsilon) refuse("the certificate is not sound");
  const CertificateVerdict verdict =
      check_certificate(certificate, [](const Event& event, Delta delta, const std::string& accountant) {
        return epsilon(event, delta, parse_accountant(accountant)).upper;
      });
  if (!verdict.holds()) refuse("the certificate does not hold: " + verdict.faults.front());
  if (certificate.unit != reservation.unit) refuse("the certificate is for another unit than was reserved");
  if (certificate.data_fingerprint != reservation.data) refuse("the certificate is for other data");
  if (certificate.ledger != reservation.anchor) refuse("the certificate does not name this reservation");
  if (!fits(cost_of(Epsilon(*certificate.epsilon), Delta(certificate.delta)), reservation.cost)) {
    refuse("the certificate costs more than was reserved");
  }
  LedgerEntry entry;
  entry.kind = LedgerEntryKind::kCommit;
  entry.recorded = when;
  entry.unit = reservation.unit;
  entry.reservation = reservation.anchor.sequence;
  const Json body{{"certificate", certificate_digest(certificate)}};
  entry.body = on_one_line(body);
  parts_->write([&](LedgerState& state) {
    if (!state.is_pending(reservation.anchor.sequence)) refuse("there is no such open reservation");
    parts_->store.append(state, std::move(entry));
  });
}

LedgerView Ledger::view() {
  const sqlite::Transaction reading = parts_->store.begin(sqlite::Transaction::Kind::kRead);
  return parts_->store.view();
}

LedgerView read_ledger(const std::filesystem::path& file) { return read_whole(file, false); }

LedgerView verify_ledger(const std::filesystem::path& file, std::span<const LedgerAnchor> anchors) {
  LedgerView view = read_whole(file, true);
  for (const LedgerAnchor& anchor : anchors) require_anchor(view, anchor, file.string(), "an anchor");
  return view;
}

void require_anchor(const LedgerView& view, const LedgerAnchor& anchor, const std::string& ledger,
                    const std::string& source) {
  if (anchor.sequence < 1 || anchor.sequence > view.entries.size()) {
    throw DataError({.what = fmt::format("entry {}, noted down in {}, is gone: the ledger now ends at {}",
                                         anchor.sequence, source, view.entries.size()),
                     .where = ledger});
  }
  if (view.entries[anchor.sequence - 1].hash != anchor.hash) {
    throw DataError(
        {.what = fmt::format("entry {} is not the one that was noted down in {}", anchor.sequence, source),
         .where = ledger});
  }
}

}  // namespace privet::privacy
