#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "privet/audit/noise_check.hpp"
#include "privet/base/json.hpp"
#include "privet/graph/dataset.hpp"
#include "privet/learn/method.hpp"

namespace privet::audit {

/// The audit of a method on a data set, as `privet audit` runs it: can the claimed epsilon be refuted?
///
/// An audit reads the data without noise and is not paid for by any budget: it is for the owner of the data,
/// and so is its result.

enum class TestKind { two_world, one_run, noise };
/// "two-world", "one-run", "noise"; an unknown name is an InvalidArgument with the nearest.
TestKind parse_test(const std::string& name);
std::string name(TestKind kind);

struct AuditReport;
struct Forecast;

struct AuditOptions {
  TestKind test = TestKind::two_world;
  std::uint64_t trials = 200;  ///< runs of each world, or canaries
  /// Time for the whole runs of a two-world test; 0: none of them. Where the mechanism alone has shown half
  /// of the claim or more, whole runs have less to add, and the second limit is theirs.
  double minutes = std::numeric_limits<double>::infinity();
  double minutes_after_mechanism = std::numeric_limits<double>::infinity();
  std::function<void(const Forecast&)> forecast = {};  ///< of the whole runs, after the first of each world
  std::uint64_t mechanism_draws = 1000000;             ///< of the mechanism alone, in each world; 0: none
  std::uint64_t canaries = 500;  ///< of the one run before the two worlds; 0: no such run
  double confidence = 0.999;
  std::string neighbor = {};  ///< a structure, "search", or empty: the first structure of the unit
  std::optional<std::pair<graph::NodeId, graph::NodeId>> pair = {};
  std::optional<graph::NodeId> node = {};
  std::string split = "75/10/15";
  /// What was looked at of protected parts before the run: with any of it no claim is sound.
  std::vector<privacy::UnaccountedUse> looks = {};
  std::optional<std::uint64_t> seed = {};
  /// Called with what is known so far after every step but the last: long audits may be interrupted.
  std::function<void(const AuditReport&)> meanwhile = {};
};

/// One thing that was tried, and what it showed.
struct Finding {
  std::string what = {};
  double epsilon_lower_bound = 0;
  std::string detail = {};
  double seconds = 0;
};

/// The whole runs of a two-world test, of each world.
struct WholeRuns {
  std::uint64_t asked = 0;
  std::uint64_t pilot = 0;     ///< to choose what to look at
  std::uint64_t measured = 0;  ///< 0: the time allowed none, and they showed nothing
  std::string ended = {};      ///< "all were run", "certain", "out of time", "left out"
};

struct AuditReport {
  std::string method = {};
  std::string data = {};
  std::string unit = {};
  std::string rigor = {};
  bool published_defects = false;
  std::string test = {};
  double claimed_epsilon = 0;
  bool claim_is_sound = false;                  ///< the plan has no failed claims
  std::vector<std::string> failed_claims = {};  ///< of the plan
  /// What the clearest outcome of the tests that ran could have shown: a claim above it can't be refuted by
  /// them. Not for the noise test.
  double largest_refutable = 0;
  double delta = 0;
  double epsilon_lower_bound = 0;
  double confidence = 0;
  std::string neighbors = {};  ///< which worlds were compared
  std::vector<Finding> findings = {};
  std::optional<WholeRuns> whole_runs = {};  ///< empty where they were not come to
  std::vector<NoiseFault> noise_faults = {};
  bool finished = false;
  std::string data_fingerprint = {};    ///< blinded, as on certificates
  std::string certificate_digest = {};  ///< of the saved model's certificate whose claim was audited

  [[nodiscard]] bool violated() const {
    return epsilon_lower_bound > claimed_epsilon || !noise_faults.empty();
  }
};

/// Runs it. The claim is the epsilon of the method's own plan; of runs that replay published defects the
/// epsilon that was asked for. A request without a budget is an InvalidArgument.
///
/// A two-world test tries the cheap things first: the mechanism alone where the method offers it
/// (Method::audit_sampler), one run with canaries where the unit has them and nobody named the worlds, and
/// then, unless the claim is refuted by now, whole runs in both worlds. The doubt is divided among them.
AuditReport run_audit(const methods::Method& method, const methods::Request& request,
                      const graph::Dataset& dataset, const AuditOptions& options);

/// {"claimed_epsilon", "delta", "epsilon_lower_bound", "confidence", "verdict", "attacks", ...}
Json audit_json(const AuditReport& report);

/// The same read back, for showing it again: a missing key or a wrong type is a DataError that begins with
/// `where`, and so is one that contradicts itself (a bound that no finding shows, a verdict that its numbers
/// do not give).
AuditReport audit_from_json(const Json& document, const std::string& where);

/// Whether no outcome of its trials could have refuted the claim.
bool is_powerless(const AuditReport& report);
/// The words of the page below, apart from its layout: what the verdict means, line by line. The failed
/// claims of the plan, where those are to follow, are the caller's to list.
std::vector<std::string> audit_reading(const AuditReport& report);
/// What came of it, in a few words that go behind "audited: ". Nothing is called a success that could not
/// have failed: tests of the noise alone, audits with too few trials, those that were interrupted.
std::string audit_outcome(const AuditReport& report);
/// Whether it ended, could have refuted the claim, and did not.
bool is_reassuring(const AuditReport& report);
/// For whom the result is.
std::string audit_note();

/// A page that somebody who is not an engineer can act on.
std::string audit_text(const AuditReport& report);

}  // namespace privet::audit
