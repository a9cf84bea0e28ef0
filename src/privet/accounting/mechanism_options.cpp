#include "privet/accounting/mechanism_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"

namespace privet::privacy {
namespace {

constexpr double kMost = 1e300;
constexpr std::uint64_t kMany = 1'000'000'000'000;

double given(double value, const MechanismOptions& o, const char* name) {
  if (value == MechanismOptions::kNoNumber) {
    throw InvalidArgument({.what = fmt::format("{} is missing", name), .where = o.kind});
  }
  return value;
}

std::uint64_t given(std::uint64_t value, const MechanismOptions& o, const char* name) {
  if (value == MechanismOptions::kNoCount) {
    throw InvalidArgument({.what = fmt::format("{} is missing", name), .where = o.kind});
  }
  return value;
}

void not_given(bool absent, const MechanismOptions& o, const char* name) {
  if (!absent) {
    throw InvalidArgument({.what = fmt::format("{} goes with the other sampling", name),
                           .where = o.kind,
                           .expected = "rate for poisson; population and batch for fixed"});
  }
}

Sampling sampling_of(const MechanismOptions& o) {
  if (o.sampling == "poisson") {
    not_given(o.population == MechanismOptions::kNoCount, o, "population");
    not_given(o.batch == MechanismOptions::kNoCount, o, "batch");
    return PoissonSampling{given(o.rate, o, "rate")};
  }
  not_given(o.rate == MechanismOptions::kNoNumber, o, "rate");
  return FixedSizeSampling{given(o.population, o, "population"), given(o.batch, o, "batch")};
}

SubsampledGaussianEvent subsampled_of(const MechanismOptions& o) {
  const bool none_given = o.added == MechanismOptions::kNoCount && o.replaced == MechanismOptions::kNoCount;
  const auto count = [](std::uint64_t value) { return value == MechanismOptions::kNoCount ? 0 : value; };
  return {sampling_of(o), given(o.noise_multiplier, o, "noise_multiplier"), none_given ? 1 : count(o.added),
          count(o.replaced)};
}

Event once(const MechanismOptions& o) {
  const auto multiplier = [&](double noise, const char* name) {
    return given(noise, o, name) / given(o.sensitivity, o, "sensitivity");
  };
  if (o.kind == "gaussian") return GaussianEvent{multiplier(o.stddev, "stddev")};
  if (o.kind == "laplace") return LaplaceEvent{multiplier(o.scale, "scale")};
  if (o.kind == "randomized-response")
    return RandomizedResponseEvent{given(o.epsilon_each, o, "epsilon_each")};
  if (o.kind == "pure") return PureEvent{given(o.epsilon_each, o, "epsilon_each")};
  if (o.kind == "subsampled-gaussian") return subsampled_of(o);
  if (o.kind == "contractive") {
    return ContractiveGaussianEvent{given(o.lipschitz, o, "lipschitz"), given(o.hops, o, "hops"),
                                    multiplier(o.stddev, "stddev")};
  }
  return DpGnnEvent{given(o.nodes, o, "nodes"), given(o.batch, o, "batch"),
                    given(o.max_degree, o, "max_degree"), given(o.noise_multiplier, o, "noise_multiplier")};
}

bool counts_steps(const MechanismOptions& o) { return o.kind == "subsampled-gaussian" || o.kind == "dpgnn"; }

}  // namespace

const std::vector<MechanismKind>& mechanism_kinds() {
  static const std::vector<MechanismKind> kinds = {
      {"gaussian", "Gaussian noise on a value of bounded L2 sensitivity", "stddev"},
      {"laplace", "Laplace noise on a value of bounded L1 sensitivity", "scale"},
      {"randomized-response", "one bit, told truly with probability e^epsilon / (1 + e^epsilon)",
       "epsilon_each"},
      {"pure", "any mechanism known to be epsilon-DP", "epsilon_each"},
      {"subsampled-gaussian", "a step of private SGD: clipped sum of a random batch plus Gaussian noise",
       "noise_multiplier"},
      {"contractive", "noisy iteration of a contraction, only the last state released (CARIBOU)", "stddev"},
      {"dpgnn", "a step of DP-GNN, accounted as in Daigavane et al.", "noise_multiplier"},
  };
  return kinds;
}

const MechanismKind& find_mechanism_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const MechanismKind& kind : mechanism_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw InvalidArgument(
      {.what = fmt::format("no mechanism '{}'", name), .where = "kind", .remedy = suggestion(name, names)});
}

OptionTable mechanism_table(MechanismOptions& o) {
  OptionTable table(find_mechanism_kind(o.kind).name);
  const auto is = [&](std::initializer_list<std::string_view> kinds) {
    return std::find(kinds.begin(), kinds.end(), o.kind) != kinds.end();
  };
  if (is({"gaussian", "contractive"})) {
    table.add("stddev", o.stddev, "standard deviation of the noise", 1e-300, kMost);
    table.add("sensitivity", o.sensitivity, "L2 sensitivity of the value under the unit of protection",
              1e-300, kMost);
  }
  if (is({"laplace"})) {
    table.add("scale", o.scale, "scale of the noise (its standard deviation is sqrt 2 times that)", 1e-300,
              kMost);
    table.add("sensitivity", o.sensitivity, "L1 sensitivity of the value under the unit of protection",
              1e-300, kMost);
  }
  if (is({"randomized-response", "pure"})) {
    table.add("epsilon_each", o.epsilon_each, "epsilon of one answer", 1e-300, 1e6);
  }
  if (is({"subsampled-gaussian", "dpgnn"})) {
    table.add("noise_multiplier", o.noise_multiplier,
              is({"dpgnn"}) ? "noise over 2 (max_degree + 1) clip norms" : "noise over clip norm", 1e-300,
              kMost);
  }
  if (is({"subsampled-gaussian"})) {
    table.add("sampling", o.sampling, "how a batch is drawn", {"poisson", "fixed"});
    table.add("rate", o.rate, "probability that an example joins a Poisson batch", 1e-300, 1);
    table.add("population", o.population, "examples a batch of fixed size is drawn from, public", 1, kMany);
    table.add("batch", o.batch, "size of the batch, drawn without replacement", 1, kMany);
    table.add("added", o.added, "examples that one unit adds or removes (1 where neither is given)", 0,
              kMany);
    table.add("replaced", o.replaced, "examples that one unit can change", 0, kMany);
  }
  if (is({"contractive"})) {
    table.add("lipschitz", o.lipschitz, "Lipschitz constant of one hop", 0, 1);
    table.add("hops", o.hops, "number of hops", 1, kMany);
  }
  if (is({"dpgnn"})) {
    table.add("nodes", o.nodes, "training nodes, public", 1, kMany);
    table.add("batch", o.batch, "subgraphs in a batch, drawn without replacement", 1, kMany);
    table.add("max_degree", o.max_degree, "largest number of subgraphs of others that a node is in", 0,
              kMany);
  }
  const bool steps = counts_steps(o);
  table.add(steps ? "steps" : "times", o.times,
            steps ? "number of steps" : "how often the mechanism runs (once, where not given)", 1, kMany);
  return table;
}

Event mechanism_event(const MechanismOptions& o) {
  if (counts_steps(o)) return repeated(once(o), given(o.times, o, "steps"));
  return repeated(once(o), o.times == MechanismOptions::kNoCount ? 1 : o.times);
}

double& mechanism_noise(MechanismOptions& o) {
  const std::string& name = find_mechanism_kind(o.kind).noise;
  if (name == "stddev") return o.stddev;
  if (name == "scale") return o.scale;
  if (name == "noise_multiplier") return o.noise_multiplier;
  return o.epsilon_each;
}

bool more_noise_is_more_private(const MechanismOptions& o) {
  return find_mechanism_kind(o.kind).noise != "epsilon_each";
}

}  // namespace privet::privacy
