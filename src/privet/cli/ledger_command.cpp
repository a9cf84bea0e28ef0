#include "privet/cli/ledger_command.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>
#include <stdexcept>

#include "privet/base/error.hpp"
#include "privet/base/json.hpp"
#include "privet/base/rounding.hpp"
#include "privet/base/timestamp.hpp"
#include "privet/cli/data_root.hpp"
#include "privet/cli/epsilon_of.hpp"
#include "privet/core/unit.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/proof/certificate_text.hpp"
#include "privet/proof/fingerprint.hpp"
#include "privet/proof/ledger.hpp"
#include "privet/proof/ledger_report.hpp"

namespace privet::cli {
namespace {

struct Request {
  std::string file;
  std::string unit;
  double cap = 0;
  double delta = 0;
  std::string data;
  std::optional<std::string> data_root;
  std::optional<double> composed_at;
  std::vector<std::string> certificates;
  std::vector<std::string> anchors;
  bool json = false;
};

std::string now() {
  return utc_timestamp(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

std::string checked_unit(const std::string& text) {
  const privacy::Unit unit = privacy::Unit::parse(text);
  if (unit == privacy::Unit::none()) {
    throw InvalidArgument(
        {.what = "'none' protects nothing", .where = "--unit", .expected = "a unit of protection"});
  }
  return unit.text();
}

privacy::UnitBudget budget_of(const privacy::LedgerView& view, const std::string& unit) {
  for (const privacy::UnitBudget& budget : view.budgets) {
    if (budget.unit == unit) return budget;
  }
  throw std::logic_error("a budget was set and is not there");
}

Json head_json(const privacy::LedgerView& view) {
  return {{"sequence", view.head.sequence}, {"hash", view.head.hash}};
}

void init(const Request& request) {
  const std::string unit = checked_unit(request.unit);
  const privacy::LedgerView view = privacy::Ledger::create(request.file, unit, privacy::Epsilon(request.cap),
                                                           privacy::Delta(request.delta), now())
                                       .view();
  const privacy::UnitBudget budget = budget_of(view, unit);
  if (request.json) {
    fmt::print("{}", to_text(Json{{"ledger", request.file},
                                  {"budget", privacy::budget_json(budget)},
                                  {"head", head_json(view)}}));
    return;
  }
  fmt::print("made {}: unit {}, at most {} (upper bound) over the life of one data set\n", request.file, unit,
             budget.cap.text());
  if (const std::string note = privacy::meaning_of_cap(unit); !note.empty()) fmt::print("note: {}\n", note);
}

void set_budget(const Request& request) {
  const std::string unit = checked_unit(request.unit);
  privacy::Ledger ledger = privacy::Ledger::open(request.file);
  ledger.set_budget(unit, privacy::Epsilon(request.cap), privacy::Delta(request.delta), now());
  const privacy::LedgerView view = ledger.view();
  const privacy::UnitBudget budget = budget_of(view, unit);
  const bool stopped = !privacy::fits(budget.spent, budget.cap);
  if (request.json) {
    fmt::print("{}", to_text(Json{{"ledger", request.file},
                                  {"budget", privacy::budget_json(budget)},
                                  {"spending_stopped", stopped},
                                  {"head", head_json(view)}}));
    return;
  }
  fmt::print("unit {}: the cap is now {} (upper bound); the change is an entry of the ledger\n", unit,
             budget.cap.text());
  if (stopped) {
    fmt::print("note: {} is spent already, more than the cap: all spending in this unit stops\n",
               budget.spent.text());
  }
}

void admit(const Request& request) {
  const graph::Dataset dataset = load_dataset(request.data, request.data_root);
  privacy::Ledger ledger = privacy::Ledger::open(request.file);
  const privacy::Admission admission = ledger.admit_data(graph::fingerprint(dataset), now());
  const auto say = [&](const char* key, const char* sentence) {
    if (request.json) {
      const privacy::LedgerView view = ledger.view();
      fmt::print("{}", to_text(Json{{"ledger", request.file},
                                    {"data", dataset.name},
                                    {"admitted", key},
                                    {"versions", view.data.size()},
                                    {"head", head_json(view)}}));
    } else {
      fmt::print("{} {}\n", dataset.name, sentence);
    }
  };
  switch (admission) {
    case privacy::Admission::kFirst:
      return say("first", "is now the data set of this ledger: it had none before");
    case privacy::Admission::kFurther:
      return say("further", "counts from now on as a further version of the data of this ledger");
    case privacy::Admission::kKnown:
      return say("known", "was admitted already: nothing was changed");
  }
}

void show(const Request& request) {
  const privacy::LedgerView view = privacy::read_ledger(request.file);
  Json composed = Json::array();
  if (request.composed_at) {
    for (const privacy::UnitBudget& budget : view.budgets) {
      composed.push_back(
          {{"unit", budget.unit},
           {"epsilon", privacy::composed_epsilon(view, budget.unit, privacy::Delta(*request.composed_at),
                                                 "auto", epsilon_of)},
           {"delta", *request.composed_at},
           {"bound", "upper, if all releases were fixed in advance"}});
    }
  }
  if (request.json) {
    Json document = privacy::ledger_json(view);
    if (request.composed_at) document["composed"] = composed;
    fmt::print("{}", to_text(document));
    return;
  }
  fmt::print("{}", privacy::ledger_text(view));
  for (const Json& reading : composed) {
    fmt::print(
        "unit {}: composed by an accountant, epsilon at most {} at delta {:g}: an upper bound if all "
        "releases were fixed in advance\n",
        reading["unit"].get<std::string>(), rounded_up(reading["epsilon"].get<double>()),
        reading["delta"].get<double>());
  }
}

/// An entry noted down outside the ledger, and where.
struct NotedAnchor {
  privacy::LedgerAnchor anchor;
  std::string source;
};

NotedAnchor anchor_from_certificate(const std::string& file) {
  const privacy::Certificate certificate = privacy::read_certificate(file);
  if (!certificate.ledger) throw DataError({.what = "was not issued against a ledger", .where = file});
  return {.anchor = *certificate.ledger, .source = file};
}

NotedAnchor anchor_from_text(const std::string& text) {
  privacy::LedgerAnchor anchor;
  const char* const end = text.data() + text.size();
  const auto [colon, fault] = std::from_chars(text.data(), end, anchor.sequence);
  if (colon != end) anchor.hash.assign(colon + 1, end);
  for (char& digit : anchor.hash) {
    if (digit >= 'A' && digit <= 'F') digit = static_cast<char>(digit - 'A' + 'a');
  }
  if (fault != std::errc() || anchor.sequence == 0 || colon == end || *colon != ':' ||
      !privacy::is_sha256_hex(anchor.hash)) {
    throw InvalidArgument({.what = fmt::format("'{}' is no anchor", privacy::printable(text)),
                           .where = "--anchor",
                           .expected = "SEQUENCE:HASH, an entry's number and its 64 hexadecimal digits"});
  }
  return {.anchor = anchor, .source = fmt::format("--anchor {}", text)};
}

void verify(const Request& request) {
  std::vector<NotedAnchor> anchors;
  for (const std::string& file : request.certificates) anchors.push_back(anchor_from_certificate(file));
  for (const std::string& text : request.anchors) anchors.push_back(anchor_from_text(text));
  privacy::LedgerView view;
  try {
    view = privacy::verify_ledger(request.file);
    for (const NotedAnchor& noted : anchors) {
      privacy::require_anchor(view, noted.anchor, request.file, noted.source);
    }
  } catch (const DataError& error) {
    if (request.json) fmt::print("{}", to_text(Json{{"intact", false}, {"fault", error.what()}}));
    throw;
  }
  if (request.json) {
    fmt::print("{}", to_text(Json{{"intact", true},
                                  {"entries", view.entries.size()},
                                  {"anchors", anchors.size()},
                                  {"head", head_json(view)}}));
    return;
  }
  fmt::print("intact: {} entries, each chained to the one before; {} anchor{} confirmed\n",
             view.entries.size(), anchors.size(), anchors.size() == 1 ? "" : "s");
  if (anchors.empty()) {
    fmt::print(
        "note: without anchors (--certificate FILE, --anchor SEQUENCE:HASH) a ledger put back to an earlier "
        "state can't be told from an honest one\n");
  }
}

}  // namespace

void declare_ledger_command(Command& root) {
  const auto request = std::make_shared<Request>();
  Command& ledger =
      root.command("ledger", "what has been spent on a data set over its life, and the cap on it");

  ledger.example("privet ledger init friends.ledger --unit edge --cap 4 --delta 1e-5");
  ledger.example(
      "privet train --method ballot --data friends --unit edge --epsilon 1 --ledger friends.ledger");
  ledger.example("privet ledger show friends.ledger");

  const auto budget_options = [&](Command& command) {
    command.positional("FILE", request->file, "the ledger");
    command
        .option("--unit", request->unit,
                "unit of protection: edge, directed-edge, k-neighbor:K, node:D[:replace|:add-remove], "
                "record[:replace|:add-remove], local-edge")
        .required();
    command.option("--cap", request->cap, "largest epsilon that may be spent in this unit").required();
    command.option("--delta", request->delta, "largest delta that may be spent in this unit").required();
    command.flag("--json", request->json, "one JSON document");
  };
  Command& init_command = ledger.command("init", "makes a ledger with a cap");
  budget_options(init_command);
  init_command.example("privet ledger init friends.ledger --unit edge --cap 4 --delta 1e-5");
  init_command.action([request] { init(*request); });

  Command& budget =
      ledger.command("budget", "sets the cap of a further unit, or a new cap; recorded in the ledger");
  budget_options(budget);
  budget.example("privet ledger budget friends.ledger --unit node:20 --cap 8 --delta 1e-6");
  budget.action([request] { set_budget(*request); });

  Command& admit_command =
      ledger.command("admit", "declares a changed graph a further version of the ledger's data");
  admit_command.positional("FILE", request->file, "the ledger");
  admit_command.positional("DATA", request->data, "data set, by name or path");
  admit_command.option("--data-root", request->data_root, "folder of data sets (default: PRIVET_DATA)");
  admit_command.flag("--json", request->json, "one JSON document");
  admit_command.example("privet ledger admit friends.ledger friends-2027");
  admit_command.action([request] { admit(*request); });

  Command& show_command = ledger.command("show", "what was spent, what is left, and on what");
  show_command.positional("FILE", request->file, "the ledger");
  show_command.option("--composed-at", request->composed_at,
                      "also compose all releases by an accountant, at this delta");
  show_command.flag("--json", request->json, "one JSON document");
  show_command.example("privet ledger show friends.ledger");
  show_command.action([request] { show(*request); });

  Command& verify_command = ledger.command("verify", "recomputes the chain of hashes");
  verify_command.positional("FILE", request->file, "the ledger");
  verify_command.option(
      "--certificate", request->certificates,
      "a certificate issued against this ledger: its entry must still be there; repeatable");
  verify_command.option(
      "--anchor", request->anchors,
      "SEQUENCE:HASH of an entry, noted down earlier from 'show': it must still be there; repeatable");
  verify_command.flag("--json", request->json, "one JSON document");
  verify_command.example("privet ledger verify friends.ledger --certificate model/certificate.json");
  verify_command.action([request] { verify(*request); });
}

}  // namespace privet::cli
