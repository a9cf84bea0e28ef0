#pragma once

#include <string>

#include "privet/base/json.hpp"
#include "privet/proof/ledger.hpp"

namespace privet::privacy {

/// How one unit stands: {unit, bound: "upper", cap, spent, left, releases, uncommitted}.
Json budget_json(const UnitBudget& budget);

/// A sentence where what a cap counts may not be what a reader takes it for; else empty.
std::string meaning_of_cap(const std::string& unit);

/// The ledger as a document: `created`, `head` {sequence, hash}, `data` (blinded fingerprints), `budgets`
/// [{unit, bound: "upper", cap, spent, left, releases, uncommitted}] and `entries`. Amounts are {epsilon,
/// delta, micro_epsilon, atto_delta}: the last two are exact.
Json ledger_json(const LedgerView& view);

/// The same for people: how each unit stands, then one line per entry. Every epsilon has its unit, its delta
/// and the words "upper bound" with it.
std::string ledger_text(const LedgerView& view);

/// A tighter reading of what was spent in a unit: the events of all its reservations composed by an
/// accountant instead of their epsilons added, at the given delta. It is an upper bound if the noise and the
/// number of releases were fixed in advance; where they were chosen after seeing earlier results only the
/// sums are, and the cap always counts sums. A DataError for a unit that the ledger does not have.
double composed_epsilon(const LedgerView& view, const std::string& unit, Delta delta,
                        const std::string& accountant, const EpsilonOf& epsilon_of);

}  // namespace privet::privacy
