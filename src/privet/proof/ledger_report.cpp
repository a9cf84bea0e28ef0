#include "privet/proof/ledger_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/accounting/event_json.hpp"
#include "privet/base/error.hpp"
#include "privet/base/json_field.hpp"
#include "privet/core/unit.hpp"
#include "privet/proof/certificate_text.hpp"

namespace privet::privacy {
namespace {

Json amount(const Cost& cost) {
  return {{"epsilon", cost.epsilon()},
          {"delta", cost.delta()},
          {"micro_epsilon", cost.micro_epsilon},
          {"atto_delta", cost.atto_delta}};
}

Json entry_json(const LedgerEntry& entry) {
  Json document{{"sequence", entry.sequence}, {"kind", name(entry.kind)}, {"recorded", entry.recorded}};
  if (!entry.unit.empty()) document["unit"] = entry.unit;
  if (!entry.data.empty()) document["data"] = entry.data;
  if (entry.kind == LedgerEntryKind::kBudget) document["cap"] = amount(entry.cost);
  if (entry.kind == LedgerEntryKind::kReserve) document["cost"] = amount(entry.cost);
  if (entry.kind == LedgerEntryKind::kCommit) document["reservation"] = entry.reservation;
  document["body"] = parse_strict_json(entry.body, fmt::format("entry {}", entry.sequence));
  document["hash"] = entry.hash;
  return document;
}

/// A text member of the entry's body.
std::string said(const LedgerEntry& entry, const char* key) {
  const std::string where = fmt::format("entry {}", entry.sequence);
  const Json body = parse_strict_json(entry.body, where);
  return printable(JsonField(body, where).at(key).text());
}

std::string entry_line(const LedgerEntry& entry) {
  const std::string unit = printable(entry.unit);
  switch (entry.kind) {
    case LedgerEntryKind::kOpen:
      return fmt::format("opened by Privet {}", said(entry, "privet_version"));
    case LedgerEntryKind::kBudget:
      return fmt::format("budget for unit '{}': cap {} (upper bound)", unit, entry.cost.text());
    case LedgerEntryKind::kData:
      return fmt::format("data {}", entry.data);
    case LedgerEntryKind::kReserve:
      return fmt::format("reserved {} (upper bound) for unit '{}': {}", entry.cost.text(), unit,
                         said(entry, "what"));
    case LedgerEntryKind::kCommit:
      return fmt::format("released as reserved in entry {}, certificate {}", entry.reservation,
                         said(entry, "certificate"));
  }
  return {};
}

}  // namespace

Json budget_json(const UnitBudget& budget) {
  return {{"unit", budget.unit},
          {"bound", "upper"},
          {"cap", amount(budget.cap)},
          {"spent", amount(budget.spent)},
          {"left", amount(budget.left())},
          {"releases", budget.releases},
          {"uncommitted", budget.uncommitted}};
}

Json ledger_json(const LedgerView& view) {
  Json document;
  document["created"] = view.created;
  document["head"] = {{"sequence", view.head.sequence}, {"hash", view.head.hash}};
  document["data"] = view.data;
  document["budgets"] = Json::array();
  for (const UnitBudget& budget : view.budgets) document["budgets"].push_back(budget_json(budget));
  document["entries"] = Json::array();
  for (const LedgerEntry& entry : view.entries) document["entries"].push_back(entry_json(entry));
  return document;
}

std::string meaning_of_cap(const std::string& unit) {
  if (!Unit::parse(unit).is_reported_locally()) return {};
  return "counted is what one bit of one list costs; of an undirected edge, a bit in two lists, up to twice "
         "as much is told where both of its ends are asked (each certificate says what)";
}

std::string ledger_text(const LedgerView& view) {
  std::string text = fmt::format("PRIVACY LEDGER, opened {}\n", view.created);
  for (const UnitBudget& budget : view.budgets) {
    text += fmt::format("\nUnit of protection '{}'\n", printable(budget.unit));
    text += fmt::format("  cap    {}\n", budget.cap.text());
    text += fmt::format("  spent  {} (upper bound: the sum of {} release{})\n", budget.spent.text(),
                        budget.releases, budget.releases == 1 ? "" : "s");
    text += fmt::format("  left   {}\n", budget.left().text());
    if (const std::string note = meaning_of_cap(budget.unit); !note.empty())
      text += fmt::format("  {}\n", note);
    if (budget.uncommitted > 0) {
      text += fmt::format("  {} of the releases {} reserved but never confirmed, and count{} as spent\n",
                          budget.uncommitted, budget.uncommitted == 1 ? "was" : "were",
                          budget.uncommitted == 1 ? "s" : "");
    }
  }
  if (view.budgets.size() > 1) {
    text += "\nUnits are kept apart: what was spent in one is not counted in another.\n";
  }
  text += "\nEntries\n";
  for (const LedgerEntry& entry : view.entries) {
    text += fmt::format("{:>5}  {}  {}\n", entry.sequence, entry.recorded, entry_line(entry));
  }
  text += fmt::format(
      "\nHead: {}:{}\nKeep it elsewhere: 'privet ledger verify FILE --anchor HEAD' can then tell that "
      "nothing was cut "
      "off.\n",
      view.head.sequence, view.head.hash);
  return text;
}

double composed_epsilon(const LedgerView& view, const std::string& unit, Delta delta,
                        const std::string& accountant, const EpsilonOf& epsilon_of) {
  const bool known = std::any_of(view.budgets.begin(), view.budgets.end(),
                                 [&](const UnitBudget& budget) { return budget.unit == unit; });
  if (!known) throw DataError({.what = fmt::format("the ledger has no unit '{}'", unit)});
  std::vector<Event> events;
  for (const LedgerEntry& entry : view.entries) {
    if (entry.kind != LedgerEntryKind::kReserve || entry.unit != unit) continue;
    const std::string where = fmt::format("entry {}", entry.sequence);
    const Json body = parse_strict_json(entry.body, where);
    events.push_back(event_from_json(JsonField(body, where).at("event")));
  }
  return epsilon_of(composed(std::move(events)), delta, accountant);
}

}  // namespace privet::privacy
