#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "privet/audit/attacks/attack_result.hpp"
#include "privet/audit/attacks/pairs.hpp"
#include "privet/base/json.hpp"
#include "privet/graph/dataset.hpp"
#include "privet/learn/method.hpp"

namespace privet::audit {

/// `privet audit --attack`: published attacks as descriptive numbers. An area under a curve over pairs of one
/// graph is no test of differential privacy: alike features give more than 0.5 without any leak, and a model
/// that the attack can't ask gives 0.5 whatever it leaks. The tests of audit.hpp decide about claims.

enum class AttackKind { linkteller, lpa, gmia, lira };
/// "linkteller,lpa": an unknown name is an InvalidArgument with the nearest; no name is said twice.
std::vector<AttackKind> parse_attacks(const std::string& list);
std::string name(AttackKind kind);

struct AttackOptions {
  std::vector<AttackKind> attacks = {};
  PairChoice pairs = PairChoice::balanced;
  std::uint64_t nodes = 500;   ///< edges of balanced pairs, or nodes among which all pairs are asked about
  std::uint64_t shadows = 16;  ///< models behind gmia and lira
  bool references = true;      ///< linkteller and lpa also on `mlp` and `gcn`, trained on the same data
  std::string split = "75/10/15";
  /// Data that the model learns from instead of those under attack, which it is asked about afterwards, with
  /// a release and a budget of their own; linkteller and lpa only.
  const graph::Dataset* learnt_from = nullptr;
  std::optional<std::uint64_t> seed = {};  ///< empty: drawn from the operating system
};

struct AttackReport {
  std::string method = {};
  std::string data = {};
  std::string unit = {};
  std::vector<AttackResult> attacks = {};
};

/// Runs them on the model given, or on one that is trained first. Membership attacks always train their own
/// target, for the audit must draw who is a member.
AttackReport run_attacks(const methods::Method& method, const methods::Request& request,
                         const graph::Dataset& dataset, const std::optional<methods::Model>& model,
                         const AttackOptions& options);

/// {"method", "data", "unit", "attacks": [{"name", "auc", "ci95", ...}], "note"}; `auc` and `ci95` are null
/// where an attack can't say anything.
Json attack_json(const AttackReport& report);
/// The curves: {"curves": [{"name", "points": [[false, true, threshold]]}]}.
Json curves_json(const AttackReport& report);
/// The same as a table with a header: name, false positive rate, true positive rate, threshold.
std::string curves_csv(const AttackReport& report);
/// Both read back, for showing them again: the results, and the curves if there are any. A missing key, a
/// wrong type or a curve of nothing is a DataError that begins with `where` or `curves_where`.
AttackReport attacks_from_json(const Json& document, const std::string& where);
void add_curves(AttackReport& report, const Json& curves, const std::string& curves_where);

/// How to read these numbers, as sentences with line breaks, and for whom they are.
std::string attack_reading();
std::string attack_note();

/// A page for people.
std::string attack_text(const AttackReport& report);

}  // namespace privet::audit
