#include "privet/run/bill.hpp"

#include <fmt/format.h>

#include <limits>

#include "privet/base/error.hpp"

namespace privet::methods {
namespace {

// More than fits stays the most that fits, which no ledger pays.
std::int64_t added(std::int64_t total, std::int64_t cost, std::uint64_t times) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (cost != 0 && times > static_cast<std::uint64_t>((kMost - total) / cost)) return kMost;
  return total + cost * static_cast<std::int64_t>(times);
}

}  // namespace

void Bill::add(const privacy::LedgerRequest& one, std::uint64_t times) {
  if (times == 0) return;
  const privacy::Cost cost = privacy::cost_of(one.epsilon, one.delta);
  Total& total = totals_[one.unit];
  total.cost.micro_epsilon = added(total.cost.micro_epsilon, cost.micro_epsilon, times);
  total.cost.atto_delta = added(total.cost.atto_delta, cost.atto_delta, times);
  total.times += times;
  fingerprints_.insert(one.fingerprint);
}

void Bill::require_funds(const std::filesystem::path& ledger) const {
  if (totals_.empty()) return;
  const privacy::LedgerView view = privacy::read_ledger(ledger);
  if (view.data.empty() && fingerprints_.size() > 1) {
    throw DataError(
        {.what = fmt::format("is for one data set, and these runs are of {}", fingerprints_.size()),
         .where = ledger.string(),
         .remedy = "give each data set a ledger of its own, or declare them versions of one "
                   "('privet ledger admit')"});
  }
  for (const privacy::UnitBudget& budget : view.budgets) {
    const auto total = totals_.find(budget.unit);
    if (total == totals_.end() || privacy::fits(total->second.cost, budget.left())) continue;
    throw BudgetExceeded(
        {.what = fmt::format(
             "{} runs cost {} (upper bound) together for the unit '{}', but of the budget ({}) only "
             "{} is left",
             total->second.times, total->second.cost.text(), budget.unit, budget.cap.text(),
             budget.left().text()),
         .where = ledger.string(),
         .remedy = "nothing was released; ask for less, or for more of the ledger ('privet ledger budget')"});
  }
}

}  // namespace privet::methods
