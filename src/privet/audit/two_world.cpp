#include "privet/audit/two_world.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/progress.hpp"
#include "privet/privacy/protected_dataset.hpp"

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
  const std::uint64_t whole_pilot = std::max(kFirstPilot, options.trials / 4);
  Progress progress("audit", 2 * (whole_pilot + options.trials));
  Observed pilot;
  extend(pilot, kFirstPilot, "pilot", trial, *root, progress);
  if (whole_pilot > kFirstPilot && Discriminant(pilot.first, pilot.second).separation() < kFarApart)
    extend(pilot, whole_pilot - kFirstPilot, "pilot", trial, *root, progress);
  const Discriminant score(pilot.first, pilot.second);
  const std::vector<std::uint64_t> looks = looks_at(options.trials, claimed, delta, options);
  const Trials seen = scored(pilot, score);
  TwoWorldResult result{.pilot_runs = pilot.first.size(), .separation = score.separation()};
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
