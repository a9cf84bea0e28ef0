#include "privet/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "privet/audit/mechanism_trials.hpp"
#include "privet/audit/one_run.hpp"
#include "privet/audit/two_world.hpp"
#include "privet/base/binomial.hpp"
#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"
#include "privet/run/runner.hpp"

namespace privet::audit {
namespace {

constexpr const char* kCanaries = "canaries that are there or not, all in one run";
constexpr std::uint64_t kSearchSteps = 4;
constexpr std::uint64_t kSearchRuns = 4;
constexpr std::uint64_t kMostSteps = 20000000;  // of private SGD in each world: some seconds

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::unique_ptr<RandomStream> root_stream(const std::optional<std::uint64_t>& seed) {
  if (seed) return std::make_unique<SeededStream>(*seed);
  return std::make_unique<SecureStream>();
}

NeighborPair pair_for(const methods::Method& method, const methods::Request& request,
                      const graph::Dataset& dataset, const graph::Split& split, const AuditOptions& options,
                      RandomStream& stream) {
  if (options.pair)
    return neighbors_by_edge(dataset, request.unit, options.pair->first, options.pair->second);
  if (options.node) return neighbors_by_person(dataset, request.unit, *options.node, stream);
  if (options.neighbor == "search") {
    return search_neighbors(
        dataset, request.unit, kSearchSteps,
        [&](const NeighborPair& pair) {
          return pilot_separation(method, request, pair, split, kSearchRuns, stream);
        },
        stream);
  }
  const std::string structure =
      options.neighbor.empty() ? neighbor_structures(request.unit).front() : options.neighbor;
  return make_neighbors(dataset, request.unit, structure, stream);
}

std::string counts_text(const LowerBound& bound) {
  return fmt::format("{}; the event was seen in {} of {} runs of one world and in {} of {} of the other",
                     name(bound.test.reading), bound.likely_hits, bound.likely_runs, bound.unlikely_hits,
                     bound.unlikely_runs);
}

// Of events that always occur in one world and never in the other.
double clearest(std::uint64_t runs, double delta, double doubt) {
  const double likely = probability_at_least(runs, runs, doubt / 2);
  const double unlikely = probability_at_most(0, runs, doubt / 2);
  return likely > delta ? std::max(0.0, std::log((likely - delta) / unlikely)) : 0;
}

// Under these units canaries can be planted.
bool has_canaries(const privacy::Unit& unit) { return !unit.bounds_changed_entries(); }

std::string guesses_text(const OneRunResult& result, double perfect) {
  if (result.guesses.guesses == 0)
    return "nothing in what was released could be scored, so no guess was made";
  const std::string guesses = fmt::format("{} of {} guesses were right, by {}", result.guesses.right,
                                          result.guesses.guesses, result.statistic);
  return perfect > 0 ? fmt::format("{}; if all were, epsilon would be at least {:.3g}", guesses, perfect)
                     : guesses + "; so few could not refute any claim if all were";
}

void one_run(const methods::Method& method, const methods::Request& request, const graph::Dataset& dataset,
             const graph::Split& split, std::uint64_t canaries, double confidence,
             const AuditOptions& options, AuditReport& report) {
  const auto start = std::chrono::steady_clock::now();
  const OneRunResult result =
      audit_one_run(method, request, dataset, split, canaries, confidence, options.seed);
  const double perfect =
      one_run_epsilon({result.guesses.canaries, result.guesses.guesses, result.guesses.guesses},
                      request.delta.value(), confidence);
  report.largest_refutable = std::max(report.largest_refutable, perfect);
  report.findings.push_back(
      {.what =
           fmt::format("one run with {} canaries, each there or not by a coin of its own", result.canaries),
       .epsilon_lower_bound = result.epsilon,
       .detail = guesses_text(result, perfect),
       .seconds = seconds_since(start)});
  report.epsilon_lower_bound = std::max(report.epsilon_lower_bound, result.epsilon);
}

void whole_runs(const methods::Method& method, const methods::Request& request, const NeighborPair& pair,
                const graph::Split& split, bool mechanism_tells, double confidence,
                const AuditOptions& options, AuditReport& report) {
  const auto start = std::chrono::steady_clock::now();
  const double minutes =
      mechanism_tells ? std::min(options.minutes, options.minutes_after_mechanism) : options.minutes;
  const TwoWorldResult result = audit_pipeline(method, request, pair, split, report.claimed_epsilon,
                                               {.trials = options.trials,
                                                .confidence = confidence,
                                                .seconds = 60 * minutes,
                                                .forecast = options.forecast,
                                                .seed = options.seed});
  report.whole_runs = WholeRuns{.asked = options.trials,
                                .pilot = result.pilot_runs,
                                .measured = result.runs,
                                .ended = result.stopped_early ? "certain"
                                         : result.out_of_time ? "out of time"
                                                              : "all were run"};
  Finding finding{.epsilon_lower_bound = result.bound.epsilon, .seconds = seconds_since(start)};
  if (result.runs == 0) {
    finding.what = fmt::format("whole runs: none of the {} asked for was measured", options.trials);
    finding.detail = fmt::format(
        "one of each world took {:.0f} s, and there were {:.3g} minutes for all of them (--minutes)",
        result.pair_seconds, minutes);
  } else {
    const std::string end =
        result.stopped_early ? ", then it was certain"
        : result.out_of_time ? fmt::format(" of the {} asked for: {:.3g} minutes allow no more (--minutes)",
                                           options.trials, minutes)
                             : "";
    finding.what = fmt::format("whole runs: {} of each world to choose what to look at, {} to measure{}",
                               result.pilot_runs, result.runs, end);
    finding.detail = counts_text(result.bound);
    report.largest_refutable =
        std::max(report.largest_refutable, clearest(result.runs, request.delta.value(), 1 - confidence));
  }
  report.findings.push_back(std::move(finding));
  report.epsilon_lower_bound = std::max(report.epsilon_lower_bound, result.bound.epsilon);
}

void two_world(const methods::Method& method, const methods::Request& request, const graph::Dataset& dataset,
               const graph::Split& split, const privacy::PublicFacts& facts, const privacy::Event& event,
               const AuditOptions& options, AuditReport& report) {
  const std::unique_ptr<RandomStream> root = root_stream(options.seed);
  const std::unique_ptr<RandomStream> picking = root->fork("neighbours", 0);
  const NeighborPair pair = pair_for(method, request, dataset, split, options, *picking);
  report.neighbors = fmt::format("{}: {}", pair.name, pair.description);
  std::optional<methods::AuditSampler> sampler;
  if (options.mechanism_draws > 0)
    sampler = method.audit_sampler(request, facts, {pair.first.graph, pair.second.graph, pair.person});
  std::uint64_t draws = options.mechanism_draws;
  if (!sampler && draws > 0) {
    if (const std::optional<SgdCanary> canary = sgd_canary_of(event)) {
      sampler = sgd_canary_sampler(*canary);
      draws = std::min(draws, std::max<std::uint64_t>(10000, kMostSteps / canary->steps));
    }
  }
  // Somebody who names the worlds wants to know about those.
  const bool probes = options.canaries > 0 && has_canaries(request.unit) && !options.pair && !options.node;
  const bool runs = options.minutes > 0;
  const int tests = (runs ? 1 : 0) + (sampler ? 1 : 0) + (probes ? 1 : 0);
  if (tests == 0) {
    throw InvalidArgument({.what = "neither the mechanism alone nor canaries nor whole runs",
                           .where = "audit",
                           .expected = "at least one of them: --mechanism-draws where the method has a "
                                       "mechanism by itself, --canaries, --minutes"});
  }
  const double doubt = (1 - options.confidence) / tests;
  bool mechanism_tells = false;
  if (sampler) {
    const auto start = std::chrono::steady_clock::now();
    draws = std::min(draws, sampler->most_draws);
    const LowerBound bound = audit_mechanism(*sampler, draws, request.delta.value(), 1 - doubt, *root);
    report.findings.push_back({.what = "the mechanism alone: " + sampler->what,
                               .epsilon_lower_bound = bound.epsilon,
                               .detail = counts_text(bound),
                               .seconds = seconds_since(start)});
    report.epsilon_lower_bound = bound.epsilon;
    mechanism_tells = bound.epsilon >= report.claimed_epsilon / 2;
    report.largest_refutable = clearest(draws / 2, request.delta.value(), doubt);
    if (report.violated()) return;
    if (options.meanwhile) options.meanwhile(report);
  }
  if (probes) {
    one_run(method, request, dataset, split, options.canaries, 1 - doubt, options, report);
    if (report.violated()) {
      report.neighbors = kCanaries;
      return;
    }
    if (options.meanwhile) options.meanwhile(report);
  }
  if (!runs) {
    report.whole_runs = WholeRuns{.asked = options.trials, .ended = "left out"};
    report.findings.push_back(
        {.what = "whole runs: left out", .detail = "there were 0 minutes for them (--minutes)"});
    return;
  }
  whole_runs(method, request, pair, split, mechanism_tells, 1 - doubt, options, report);
}

void noise(const methods::Method& method, const methods::Request& request, const graph::Dataset& dataset,
           const graph::Split& split, const privacy::PublicFacts& facts, const AuditOptions& options,
           AuditReport& report) {
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<RandomStream> root = root_stream(options.seed);
  const std::unique_ptr<RandomStream> picking = root->fork("neighbours", 0);
  AuditOptions plain = options;
  if (plain.neighbor == "search") plain.neighbor.clear();
  const NeighborPair pair = pair_for(method, request, dataset, split, plain, *picking);
  const std::optional<methods::AuditSampler> sampler =
      method.audit_sampler(request, facts, {pair.first.graph, pair.second.graph, pair.person});
  // One that is slow to draw from answers with whole graphs, not with noise.
  if (!sampler || sampler->most_draws < std::numeric_limits<std::uint64_t>::max()) {
    throw InvalidArgument(
        {.what = fmt::format("{} offers no mechanism by itself for this request", method.name()),
         .where = "--test noise",
         .expected = "gap, dpdgc, strict eclipse, lap-graph, ballot where edges are protected, or a local "
                     "method",
         .remedy = "use --test two-world"});
  }
  constexpr std::uint64_t kRuns = 6;
  constexpr std::uint64_t kReleases = 2;
  constexpr std::uint64_t kValues = 5000;
  constexpr std::uint64_t kLags = 16;
  report.noise_faults =
      noise_faults(sample_noise(*sampler, kRuns, kReleases, kValues, *root), kLags, options.confidence);
  report.neighbors = "none: noise alone was looked at";
  report.findings.push_back(
      {.what =
           fmt::format("the mechanism's noise in {} streams with {} releases each, {} values, lags up to {}",
                       kRuns, kReleases, kValues, kLags),
       .detail =
           report.noise_faults.empty()
               ? std::string("no two of them are correlated")
               : fmt::format("{} and {} correlate by {:.3f}", report.noise_faults.front().first,
                             report.noise_faults.front().second, report.noise_faults.front().correlation),
       .seconds = seconds_since(start)});
}

}  // namespace

TestKind parse_test(const std::string& text) {
  for (const TestKind kind : {TestKind::two_world, TestKind::one_run, TestKind::noise}) {
    if (text == name(kind)) return kind;
  }
  const std::vector<std::string> known = {"two-world", "one-run", "noise"};
  throw InvalidArgument({.what = fmt::format("'{}'", text),
                         .where = "--test",
                         .expected = "two-world, one-run or noise",
                         .remedy = suggestion(text, known)});
}

std::string name(TestKind kind) {
  switch (kind) {
    case TestKind::two_world:
      return "two-world";
    case TestKind::one_run:
      return "one-run";
    case TestKind::noise:
      return "noise";
  }
  return "";
}

AuditReport run_audit(const methods::Method& method, const methods::Request& request,
                      const graph::Dataset& dataset, const AuditOptions& options) {
  if (!request.wants_privacy()) {
    throw InvalidArgument({.what = "no claim to audit",
                           .where = "audit",
                           .expected = "a unit of protection and a finite epsilon"});
  }
  if (!(options.confidence >= 0.75 && options.confidence < 1)) {
    throw InvalidArgument({.what = fmt::format("confidence {}", options.confidence),
                           .where = "--confidence",
                           .expected = "at least 0.75 and below 1"});
  }
  const graph::Split split =
      methods::draw_split(dataset, request.unit, request.rigor, options.split,
                          options.seed ? options.seed : std::optional<std::uint64_t>(1));
  const privacy::PublicFacts facts = privacy::protect(dataset, split, request.unit).facts;
  const methods::Plan plan = methods::plan_run(method, request, facts, options.looks);
  AuditReport report{.method = method.name(),
                     .data = dataset.name,
                     .unit = request.unit.text(),
                     .rigor = std::string(privacy::name(request.rigor)),
                     .published_defects = request.published_defects,
                     .test = name(options.test),
                     .delta = request.delta.value(),
                     .confidence = options.confidence};
  report.claim_is_sound = plan.failed_claims.empty();
  report.failed_claims = plan.failed_claims;
  if (report.claim_is_sound) {
    report.claimed_epsilon =
        plan.event == privacy::Event() ? 0 : privacy::epsilon(plan.event, request.delta).upper;
  } else {
    report.claimed_epsilon = plan.claimed_epsilon.value_or(request.epsilon->value());
  }
  switch (options.test) {
    case TestKind::two_world:
      two_world(method, request, dataset, split, facts, plan.event, options, report);
      break;
    case TestKind::one_run:
      report.neighbors = kCanaries;
      one_run(method, request, dataset, split, options.trials, options.confidence, options, report);
      break;
    case TestKind::noise:
      noise(method, request, dataset, split, facts, options, report);
      break;
  }
  report.finished = true;
  return report;
}

}  // namespace privet::audit
