#include "privet/accounting/events/subsampled_gaussian.hpp"

#include <fmt/format.h>

#include "privet/accounting/events/checks.hpp"
#include "privet/accounting/loss_bag.hpp"
#include "privet/accounting/mechanism_options.hpp"
#include "privet/accounting/sampling_moments.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {

void SubsampledGaussianEvent::check() const {
  check_sampling(sampling);
  require_positive(noise_multiplier, "noise multiplier");
  require_count(added, "added examples");
  require_count(replaced, "replaced examples");
  require(affected().count() > 0, 0, "affected examples", "at least one");
}

std::string SubsampledGaussianEvent::describe() const {
  return fmt::format("subsampled-gaussian({}, noise multiplier {:.6g}, {} added, {} replaced)",
                     describe_sampling(sampling), noise_multiplier, added, replaced);
}

double SubsampledGaussianEvent::log_moment(double alpha) const {
  return subsampled_gaussian_log_moment(*this, alpha);
}

// Sampling that takes everybody is none: all affected examples are in the batch, and their shifts align.
std::optional<double> SubsampledGaussianEvent::gaussian_mu() const {
  if (!takes_everybody(sampling)) return std::nullopt;
  return affected().clip_norms() / noise_multiplier;
}

bool SubsampledGaussianEvent::is_attained() const {
  return takes_everybody(sampling) ||
         (std::holds_alternative<PoissonSampling>(sampling) && affected().count() == 1);
}

void SubsampledGaussianEvent::add_losses(LossBag& bag, double times) const { bag.add_batches(*this, times); }

namespace {

void not_given(bool absent, const MechanismOptions& o, const char* name) {
  if (!absent) {
    throw InvalidArgument({.what = fmt::format("{} goes with the other sampling", name),
                           .where = o.kind,
                           .expected = "rate for poisson; population and batch for fixed"});
  }
}

Sampling sampling_of(const MechanismOptions& o) {
  if (o.sampling == "poisson") {
    not_given(!o.has("population"), o, "population");
    not_given(!o.has("batch"), o, "batch");
    return PoissonSampling{o.given("rate")};
  }
  not_given(!o.has("rate"), o, "rate");
  return FixedSizeSampling{o.given_count("population"), o.given_count("batch")};
}

Event event_of(const MechanismOptions& o) {
  const bool none_given = !o.has("added") && !o.has("replaced");
  const auto count = [&](const char* name) { return o.has(name) ? o.given_count(name) : 0; };
  return SubsampledGaussianEvent{sampling_of(o), o.given("noise_multiplier"), none_given ? 1 : count("added"),
                                 count("replaced")};
}

void add_options(OptionTable& table, MechanismOptions& o) {
  add_noise_option(table, o, "noise_multiplier", "noise over clip norm");
  table.add("sampling", o.sampling, "how a batch is drawn", {"poisson", "fixed"});
  table.add("rate", o.number("rate"), "probability that an example joins a Poisson batch", 1e-300, 1);
  add_count_option(table, o, "population", "examples a batch of fixed size is drawn from, public", 1);
  add_count_option(table, o, "batch", "size of the batch, drawn without replacement", 1);
  add_count_option(table, o, "added", "examples that one unit adds or removes (1 where neither is given)", 0);
  add_count_option(table, o, "replaced", "examples that one unit can change", 0);
}

}  // namespace

const MechanismKind* SubsampledGaussianEvent::written() {
  static const MechanismKind kind = {
      .name = "subsampled-gaussian",
      .description = "a step of private SGD: clipped sum of a random batch plus Gaussian noise",
      .noise = "noise_multiplier",
      .counts_steps = true,
      .add_options = add_options,
      .event = event_of};
  return &kind;
}

}  // namespace privet::privacy
