#include "privet/methods/dpdgc/dpdgc_plan.hpp"

#include <algorithm>
#include <cmath>

#include "privet/accounting/calibration.hpp"
#include "privet/base/error.hpp"

namespace privet::methods {
namespace {

privacy::Sensitivity sums_sensitivity(const DpdgcPrivacy& options, const privacy::Unit& unit) {
  return privacy::neighbor_sum_sensitivity(
      unit, {.row_bound = options.row_bound, .columns = options.width, .rows = privacy::RowsOf::nobody});
}

std::uint64_t batch_of(const DpdgcPrivacy& options, std::uint64_t population) {
  return options.batch == 0 ? population : std::min(options.batch, population);
}

nn::PrivateTraining training_of(const DpdgcPrivacy& options, const Request& request,
                                const privacy::PublicFacts& facts, std::uint64_t steps,
                                const privacy::AffectedExamples& affected, nn::SumIn sums) {
  const std::uint64_t population = facts.count(graph::Role::train);
  const std::uint64_t batch = batch_of(options, population);
  const bool fixed = request.rigor == privacy::Rigor::kPaper || options.sampling == "fixed-size";
  privacy::Sampling sampling =
      privacy::PoissonSampling{static_cast<double>(batch) / static_cast<double>(population)};
  if (fixed) sampling = privacy::FixedSizeSampling{population, batch};
  if (steps == 0) steps = options.epochs * population / batch;
  if (steps == 0) {
    throw InvalidArgument(
        {.what = "no steps and no epochs", .where = "dpdgc", .expected = "one of them above 0"});
  }
  return {.unit = request.unit,
          .affected = affected,
          .clipping = {{options.clip_norm}},
          .noise_multiplier = 1,
          .sampling = sampling,
          .population = population,
          .steps = steps,
          .sums = sums};
}

// mu^2 of a training with noise multiplier 1, roughly: every step moves by 2 clip norms per affected example,
// of which a batch holds a share. Only the division of the budget follows it.
double weight_of(const nn::PrivateTraining& training, double share) {
  const double rate = training.expected_batch() / static_cast<double>(training.population);
  return training.affected.clip_norms() * rate * std::sqrt(static_cast<double>(training.steps) / share);
}

std::uint64_t sampled_degree(const DpdgcPrivacy& options, const privacy::Unit& unit) {
  if (!unit.bounds_degree()) return 0;
  return options.degree == 0 ? unit.max_degree() : std::min(options.degree, unit.max_degree());
}

// The group sizes and sensitivities of Algorithm 2 and Theorems 5.3, 5.4 and G.1.
struct Published {
  double group = 1;
  double sums = 1;
};
Published published_factors(const DpdgcPrivacy& options, const privacy::Unit& unit) {
  if (unit.bounds_changed_entries()) {
    const auto k = static_cast<double>(unit.k());
    return {.group = k + 1, .sums = k};
  }
  if (unit.bounds_degree()) {
    const auto degree = static_cast<double>(sampled_degree(options, unit));
    return {.group = degree + 1, .sums = 2 * degree};
  }
  return {};
}

DpdgcPlan published_plan(const DpdgcPrivacy& options, const Request& request,
                         const privacy::PublicFacts& facts, DpdgcPlan plan) {
  const double sigma = published_sigma(dpdgc_published(options, request.unit, facts),
                                       request.epsilon->value(), request.delta.value());
  const Published factors = published_factors(options, request.unit);
  plan.embedding.noise_multiplier = 2 * sigma * std::sqrt(factors.group);
  plan.sums = privacy::GaussianMechanism::with_stddev(
      sums_sensitivity(options, request.unit),
      privacy::NoiseStddev(sigma * options.row_bound * std::sqrt(factors.sums)));
  if (plan.classifier) plan.classifier->noise_multiplier = 2 * sigma;
  plan.published_sigma = sigma;
  plan.sampled_degree = sampled_degree(options, request.unit);
  return plan;
}

}  // namespace

privacy::Event DpdgcPlan::event() const {
  std::vector<privacy::Event> parts = {embedding.event(), sums.event()};
  if (classifier) parts.push_back(classifier->event());
  return privacy::composed(std::move(parts));
}

DpdgcPlan dpdgc_plan(const DpdgcPrivacy& options, const Request& request, const privacy::PublicFacts& facts) {
  require_budget(request, "dpdgc");
  const bool paper = request.rigor == privacy::Rigor::kPaper;
  DpdgcPlan plan{
      .embedding = training_of(options, request, facts, paper ? 0 : options.embedding_steps,
                               privacy::examples_with_one_hop(request.unit, facts.count(graph::Role::train)),
                               nn::SumIn::doubles),
      .sums = privacy::GaussianMechanism::with_multiplier(sums_sensitivity(options, request.unit), 1),
      .classifier = {}};
  if (request.unit.protects_features()) {
    plan.classifier = training_of(options, request, facts, paper ? 0 : options.classifier_steps,
                                  privacy::examples_of_one_record(request.unit), nn::SumIn::pieces);
  }
  if (paper) return published_plan(options, request, facts, std::move(plan));
  const double rest = plan.classifier ? 1 - options.classifier_share : 1;
  const double of_embedding = rest * options.embedding_share;
  const double of_sums = rest * (1 - options.embedding_share);
  std::vector<privacy::WeightedPart> parts = {
      {[&](double noise) { return plan.embedding.with_noise(noise).event(); },
       weight_of(plan.embedding, of_embedding)},
      {[](double noise) { return privacy::Event(privacy::GaussianEvent{noise}); }, 1 / std::sqrt(of_sums)}};
  if (plan.classifier) {
    parts.push_back({[&](double noise) { return plan.classifier->with_noise(noise).event(); },
                     weight_of(*plan.classifier, options.classifier_share)});
  }
  const std::vector<double> noise = privacy::calibrate_weighted(parts, *request.epsilon, request.delta);
  DpdgcPlan calibrated = plan;
  calibrated.embedding.noise_multiplier = noise[0];
  calibrated.sums =
      privacy::GaussianMechanism::with_multiplier(sums_sensitivity(options, request.unit), noise[1]);
  if (calibrated.classifier) calibrated.classifier->noise_multiplier = noise[2];
  return calibrated;
}

PublishedPlan dpdgc_published(const DpdgcPrivacy& options, const privacy::Unit& unit,
                              const privacy::PublicFacts& facts) {
  const std::uint64_t population = facts.count(graph::Role::train);
  const PublishedTraining training{.batches = PublishedBatches::fixed_size,
                                   .population = population,
                                   .batch = batch_of(options, population),
                                   .epochs = options.epochs};
  return {.trainings = std::vector<PublishedTraining>(unit.protects_features() ? 2 : 1, training),
          .gaussians = 1};
}

privacy::GaussianMechanism dpdgc_sums(const DpdgcPrivacy& options, const Request& request) {
  const double noise =
      privacy::calibrate([](double multiplier) { return privacy::Event(privacy::GaussianEvent{multiplier}); },
                         *request.epsilon, request.delta);
  return privacy::GaussianMechanism::with_multiplier(sums_sensitivity(options, request.unit), noise);
}

std::vector<std::string> dpdgc_failed_claims(const privacy::Unit& unit) {
  std::vector<std::string> claims = {
      "rows and labels of validation nodes choose the epoch of the embedding and are not accounted for"};
  if (unit.protects_features())
    claims.emplace_back("validation labels choose the epoch of the classifier and are not accounted for");
  if (unit.changes_pairs()) {
    claims.emplace_back(
        "an undirected edge is in two rows of A: two examples of the embedding change and A W moves by "
        "sqrt(2) "
        "row bounds; one of each is counted");
  }
  if (unit.bound()) {
    claims.emplace_back(
        "g examples of the embedding change, which may all move the sum one way, by 2 g clip norms; the "
        "noise "
        "is for 2 sqrt(g), and the chance to draw one of them into a batch is taken for that of a single "
        "one");
  }
  if (unit.bounds_degree()) {
    claims.emplace_back(
        "2 D + 1 examples of the embedding change (the node, its old and its new receivers); D + 1 are "
        "counted");
    claims.emplace_back(
        "sampling columns down to D entries is not stable: where the node leaves a full column another takes "
        "its place, and rows of others change that are not counted");
  }
  return claims;
}

}  // namespace privet::methods
