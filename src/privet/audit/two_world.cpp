#include "privet/audit/two_world.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/progress.hpp"
#include "privet/core/protected_dataset.hpp"

namespace privet::audit {
namespace {

constexpr std::uint64_t kFirstPilot = 3;
constexpr double kFarApart = 30;           // standard deviations: nothing is gained by a better score
constexpr std::uint64_t kPublicSeed = 20;  // of what protects nobody; any number would do

std::unique_ptr<RandomStream> root_stream(const std::optional<std::uint64_t>& seed) {
  if (seed) return std::make_unique<SeededStream>(*seed);
  return std::make_unique<SecureStream>();
}

struct Observed {
  std::vector<Observation> first;
  std::vector<Observation> second;
};

// Runs `more` of each world; run number i of a world has the i-th fork of the noise.
void extend(Observed& seen, std::uint64_t more, const char* name, const Trial& trial,
            const RandomStream& root, Progress& progress) {
  const std::size_t before = seen.first.size();
  seen.first.resize(before + more);
  seen.second.resize(before + more);
  parallel_for(2 * more, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const bool second = k % 2 == 1;
      const std::size_t run = before + k / 2;
      const std::unique_ptr<RandomStream> noise =
          root.fork(std::string("audit ") + name + (second ? " second world" : " first world"), run);
      (second ? seen.second : seen.first)[run] = trial(second, *noise);
      progress.advance();
    }
  });
}

Trials scored(const Observed& seen, const Discriminant& score) {
  Trials trials;
  for (const Observation& one : seen.first) trials.first.push_back(score(one));
  for (const Observation& one : seen.second) trials.second.push_back(score(one));
  return trials;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::uint64_t pilot_of(std::uint64_t trials) { return std::max(kFirstPilot, trials / 4); }

// Both runs of the first pair were under way at once where there are threads for them, and more pairs will be
// where there are more.
double seconds_per_pair(double first_pair) {
  return first_pair * 2 / static_cast<double>(std::max<std::size_t>(2, thread_count()));
}

// The most trials, up to `asked`, that fit into `pairs` runs of each world beside their pilot.
std::uint64_t trials_within(double pairs, std::uint64_t asked) {
  if (pairs >= static_cast<double>(asked + pilot_of(asked))) return asked;
  auto trials = static_cast<std::uint64_t>(std::max(0.0, pairs));
  while (trials > 0 && trials + pilot_of(trials) > static_cast<std::uint64_t>(pairs)) --trials;
  return trials;
}

// Runs of each world after which the looks are taken. The first is where a perfect record of guesses refutes
// the claim: q^(2n) <= doubt with q = (e^epsilon + delta) / (1 + e^epsilon).
std::vector<std::uint64_t> looks_at(std::uint64_t trials, double claimed, double delta,
                                    const TwoWorldOptions& options) {
  if (!options.stop_early || !std::isfinite(claimed)) return {trials};
  const double right = (std::exp(claimed) + delta) / (1 + std::exp(claimed));
  const double needed = right < 1 ? std::log((1 - options.confidence) / 2) / (2 * std::log(right)) : INFINITY;
  std::vector<std::uint64_t> looks;
  for (double n = std::ceil(needed + 0.5); n < static_cast<double>(trials); n *= 2)
    looks.push_back(static_cast<std::uint64_t>(n));
  looks.push_back(trials);
  return looks;
}

}  // namespace

TwoWorldResult run_two_worlds(const Trial& trial, double claimed, double delta, Shape shape,
                              const TwoWorldOptions& options) {
  if (options.trials == 0) {
    throw InvalidArgument({.what = "0 trials", .where = "--trials", .expected = "at least 1"});
  }
  const std::unique_ptr<RandomStream> root = root_stream(options.seed);
  const auto start = std::chrono::steady_clock::now();
  Observed pilot;
  Progress first("audit", 2);
  extend(pilot, 1, "pilot", trial, *root, first);
  TwoWorldResult result{.pair_seconds = seconds_since(start)};
  const double per_pair = seconds_per_pair(result.pair_seconds);
  std::uint64_t trials = trials_within(options.seconds / per_pair, options.trials);
  const std::uint64_t whole_pilot = pilot_of(trials);
  if (options.forecast) {
    const auto pairs = static_cast<double>(trials == 0 ? 1 : trials + whole_pilot);
    options.forecast({result.pair_seconds, pairs * per_pair, options.trials, trials});
  }
  result.out_of_time = trials < options.trials;
  result.pilot_runs = 1;
  if (trials == 0) return result;
  Progress progress("audit", 2 * (whole_pilot + trials - 1));
  extend(pilot, kFirstPilot - 1, "pilot", trial, *root, progress);
  if (whole_pilot > kFirstPilot && Discriminant(pilot.first, pilot.second).separation() < kFarApart)
    extend(pilot, whole_pilot - kFirstPilot, "pilot", trial, *root, progress);
  const Discriminant score(pilot.first, pilot.second);
  result.pilot_runs = pilot.first.size();
  result.separation = score.separation();
  // The pilot knows better than its first pair how long a run takes.
  const double spent = seconds_since(start);
  const double left = (options.seconds - spent) / spent * static_cast<double>(result.pilot_runs);
  if (left < static_cast<double>(trials)) {
    trials = static_cast<std::uint64_t>(std::max(1.0, left));
    result.out_of_time = true;
  }
  const std::vector<std::uint64_t> looks = looks_at(trials, claimed, delta, options);
  const Trials seen = scored(pilot, score);
  const WorldTest test = choose_test(seen, looks.front(), delta, options.confidence, shape);
  Observed fresh;
  for (std::size_t look = 0; look < looks.size(); ++look) {
    extend(fresh, looks[look] - fresh.first.size(), "measured", trial, *root, progress);
    const double doubt = doubt_of_look(look, looks.size(), options.confidence);
    LowerBound bound = lower_bound(test, scored(fresh, score), delta, 1 - doubt);
    bound.confidence = options.confidence;  // of all looks together
    result.runs = looks[look];
    if (look == 0 || bound.epsilon > result.bound.epsilon) result.bound = bound;
    if (options.stop_early && result.bound.epsilon > claimed) {
      result.stopped_early = look + 1 < looks.size();
      break;
    }
  }
  return result;
}

namespace {

Trial pipeline_trial(const methods::Method& method, const methods::Request& request, const NeighborPair& pair,
                     const graph::Split& split) {
  return [&](bool second, RandomStream& noise) {
    const privacy::ProtectedDataset data =
        privacy::protect(second ? pair.second : pair.first, split, request.unit);
    SeededStream stream(kPublicSeed);
    privacy::ReleaseLog log;
    methods::Run run{stream, noise, log};
    methods::Fit fit = method.fit(request, data, run);
    fit.model.method = method.name();
    fit.model.unit = request.unit.text();
    fit.model.features = data.facts.features;
    fit.model.classes = data.facts.classes;
    return observe(method, std::move(fit.model), pair, request.unit);
  };
}

}  // namespace

TwoWorldResult audit_pipeline(const methods::Method& method, const methods::Request& request,
                              const NeighborPair& pair, const graph::Split& split, double claimed,
                              const TwoWorldOptions& options) {
  return run_two_worlds(pipeline_trial(method, request, pair, split), claimed, request.delta.value(),
                        Shape::unknown, options);
}

double pilot_separation(const methods::Method& method, const methods::Request& request,
                        const NeighborPair& pair, const graph::Split& split, std::uint64_t runs,
                        RandomStream& stream) {
  Observed seen;
  Progress progress("pilot", 2 * runs);
  extend(seen, runs, "search", pipeline_trial(method, request, pair, split), stream, progress);
  return Discriminant(seen.first, seen.second).separation();
}

}  // namespace privet::audit
