#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "privet/proof/certificate.hpp"
#include "privet/proof/ledger/anchor.hpp"
#include "privet/proof/ledger/cost.hpp"
#include "privet/proof/ledger/entry.hpp"
#include "privet/proof/ledger/state.hpp"

namespace privet::privacy {

/// What a release is about to spend.
struct LedgerRequest {
  std::string what;         ///< for the reader of the ledger: "caribou, run 3"
  std::string unit;         ///< unit of protection; must have a budget in the ledger
  std::string fingerprint;  ///< plain fingerprint of the data; the ledger stores it blinded
  Epsilon epsilon;          ///< an upper bound for all that will be released, rounded up to 10^-6
  Delta delta;              ///< rounded up to 10^-18
  std::string accountant;   ///< whose bound that is
  Event event;              ///< the releases themselves, for a tighter reading of the total
  std::string when;         ///< see timestamp.hpp
};

/// A request that was granted. It is spent, whatever happens next.
struct Reservation {
  LedgerAnchor anchor;  ///< goes onto the certificate
  std::string unit;
  std::string data;  ///< blinded fingerprint
  Cost cost;
};

/// What admitting data came to.
enum class Admission {
  kFirst,    ///< the ledger had no data yet: these are its data now
  kFurther,  ///< they count from now on as a further version
  kKnown,    ///< they were admitted before; nothing was written
};

/// A whole ledger, as of one moment.
struct LedgerView {
  std::string created;
  LedgerAnchor head;
  std::vector<UnitBudget> budgets;
  std::vector<std::string> data;
  std::vector<LedgerEntry> entries;
};

/// What has been spent on one data set over its life, and the cap that refuses the next release *before* it
/// happens. A SQLite file, append-only, each entry chained to the one before by SHA-256; it also holds the
/// key that blinds the data's fingerprint, so it stays with the data and is readable by its owner alone
/// (0600).
///
/// Spending is reserve, release, commit. The reservation is checked against the cap and on the disk before it
/// returns; a crash at any later moment leaves it spent. There is no way to give a reservation back: once
/// noise may have been drawn nobody can prove that nothing was seen.
///
/// Costs add up (basic composition), which is sound also when later releases are chosen after seeing earlier
/// ones. Units of protection are kept apart: each has its own budget, a release counts in its own unit only,
/// and a unit without budget is refused.
///
/// Several processes may use one ledger at once, together they never exceed a cap. A Ledger object belongs to
/// one thread and must not cross a fork. The file must be on a local disk (SQLite's write-ahead log shares
/// memory between processes). What this protects against and what not: docs/privacy/ledger.md.
class Ledger {
 public:
  /// Makes a new ledger with a budget for one unit; an IoError if the file is there already.
  static Ledger create(const std::filesystem::path& file, const std::string& unit, Epsilon cap_epsilon,
                       Delta cap_delta, const std::string& when);

  /// Opens a ledger and checks every entry of it. A DataError for a file that is no ledger, was written by a
  /// newer Privet, or fails the check; an IoError where it can't be read and written.
  static Ledger open(const std::filesystem::path& file);

  ~Ledger();
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;

  /// The fingerprint of the data as this ledger and its certificates show it.
  [[nodiscard]] std::string blind(std::string_view fingerprint) const;

  /// Sets the cap of a unit, for the first time or anew. The change is an entry like any other: it can't be
  /// made unseen. A cap below what is spent stops all spending. A positive cap on epsilon or delta that is
  /// too small to be counted, and so would be stored as 0, is an InvalidArgument, here as in create().
  void set_budget(const std::string& unit, Epsilon cap_epsilon, Delta cap_delta, const std::string& when);

  /// Declares that these data are a further version of the data set of this ledger (edges came or went), so
  /// that what was spent goes on counting. The first version is taken from the first reservation; any other
  /// is refused until it is admitted here.
  Admission admit_data(std::string_view fingerprint, const std::string& when);

  /// Spends, or throws and spends nothing: BudgetExceeded with what is left, DataError for other data than
  /// the ledger's, InvalidArgument for a unit without budget or for an event that costs more than is asked
  /// for. Nothing may be released before it returns.
  Reservation reserve(const LedgerRequest& request);

  /// What would be left of the unit's budget after reserve(), which would be granted now: throws as it would.
  /// Writes and spends nothing, and keeps nothing free: somebody else may spend before the reservation.
  [[nodiscard]] Cost left_after(const LedgerRequest& request) const;

  /// Records that the release took place, under this certificate: sound, true to its releases
  /// (check_certificate), in the unit, on the data and at no more than the cost of the reservation
  /// (InvalidArgument otherwise, and the reservation stays spent).
  void commit(const Reservation& reservation, const Certificate& certificate, const std::string& when);

  /// Everything in the ledger now.
  [[nodiscard]] LedgerView view();

 private:
  struct Parts;
  explicit Ledger(std::unique_ptr<Parts> parts);
  [[nodiscard]] LedgerEntry reservation_entry(const LedgerRequest& request) const;
  std::unique_ptr<Parts> parts_;
};

/// Everything in the ledger, checked as by Ledger::open(); nothing but the right to read the file is needed.
LedgerView read_ledger(const std::filesystem::path& file);

/// Recomputes the whole chain from the file, and checks the file's own structure. A DataError tells the first
/// thing that is wrong. `anchors` are entries noted down earlier outside the ledger (certificates carry
/// them); each must still be there unchanged. Without anchors a ledger that was put back to an earlier state,
/// or rewritten from the start with all hashes anew, can't be told from an honest one. Reading suffices.
LedgerView verify_ledger(const std::filesystem::path& file, std::span<const LedgerAnchor> anchors = {});

/// A DataError unless the entry is in the view unchanged. The message names the ledger and `source`, where
/// the anchor was noted down.
void require_anchor(const LedgerView& view, const LedgerAnchor& anchor, const std::string& ledger,
                    const std::string& source);

}  // namespace privet::privacy
