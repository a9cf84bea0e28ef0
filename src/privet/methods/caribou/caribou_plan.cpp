#include "privet/methods/caribou/caribou_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/accounting/calibration.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"
#include "privet/methods/caribou/caribou_published.hpp"

namespace privet::methods {
namespace {

constexpr std::uint64_t kMostHops = 1000;
constexpr std::uint64_t kMostFloor = 1U << 20U;
constexpr std::uint64_t kMostFeatures = 4096;  // of rows that every hop carries whole
constexpr double kFeaturesSay = 0.3;  // share of rows from features that say something, for want of better

HopChoices choices_of(const CaribouOptions& options, const Request& request) {
  HopChoices choices{.hops = {1, 2, 3, 4, 6, 8, 12, 16},
                     .contractions = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95},
                     .bounds = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024}};
  if (request.rigor == privacy::Rigor::kPaper) {
    // The paper tunes them on test accuracy; these are in the middle of its grid. It has no floor.
    choices = {.hops = {10}, .contractions = {0.9}, .bounds = {1}};
  }
  if (options.hops != "auto") {
    choices.hops = {parse_integer(options.hops, "caribou, hops")};
    if (choices.hops[0] == 0 || choices.hops[0] > kMostHops) {
      throw InvalidArgument(
          {.what = options.hops, .where = "caribou, hops", .expected = fmt::format("1 to {}", kMostHops)});
    }
  }
  if (options.contraction != "auto") {
    choices.contractions = {parse_number(options.contraction, "caribou, contraction")};
    if (!(choices.contractions[0] > 0 && choices.contractions[0] <= 1)) {
      throw InvalidArgument(
          {.what = options.contraction, .where = "caribou, contraction", .expected = "above 0, at most 1"});
    }
  }
  if (options.floor != "auto" && request.rigor == privacy::Rigor::kStrict) {
    choices.bounds = {parse_integer(options.floor, "caribou, floor")};
    if (choices.bounds[0] == 0 || choices.bounds[0] > kMostFloor) {
      throw InvalidArgument(
          {.what = options.floor, .where = "caribou, floor", .expected = fmt::format("1 to {}", kMostFloor)});
    }
  }
  return choices;
}

void require_rows(const CaribouOptions& options, const Request& request) {
  if (!request.unit.protects_labels() || options.rows == "probabilities") return;
  throw InvalidArgument({.what = fmt::format("rows of {} where people are protected", options.rows),
                         .where = "caribou",
                         .expected = "rows=probabilities, of a private regression",
                         .remedy = "under the edge units labels and features are public and all rows serve"});
}

HopExpectation expectation(const CaribouOptions& options, const privacy::PublicFacts& facts,
                           std::uint64_t columns) {
  const auto nodes = static_cast<double>(facts.nodes);
  const double others = std::max(1.0, static_cast<double>(facts.classes) - 1);
  const double speaking =
      static_cast<double>(facts.count(graph::Role::train)) * (1 - options.listening_share) / nodes;
  return {.degree = options.expected_degree,
          .informative = options.rows == "labels" ? std::max(speaking, 1 / nodes) : kFeaturesSay,
          .agreement = std::max(0.05, options.expected_homophily - (1 - options.expected_homophily) / others),
          .columns = static_cast<double>(columns),
          .nodes = nodes};
}

privacy::ContractivePlan mechanism_plan(const CaribouPlan& plan, const Request& request,
                                        const privacy::PublicFacts& facts) {
  return {.unit = request.unit,
          .layer = plan.layer,
          .hops = plan.hops,
          .nodes = facts.nodes,
          .columns = plan.columns};
}

// Shares of the squared mu.
struct Shares {
  double encoder = 0;
  double iteration = 1;
  double classifier = 0;
};

Shares shares_of(const CaribouOptions& options, const Request& request) {
  if (!request.unit.protects_labels()) return {};
  const double rest = 1 - options.encoder_share - options.classifier_share;
  if (!(rest > 0.001)) {
    throw InvalidArgument(
        {.what = fmt::format("shares of {} and {}", options.encoder_share, options.classifier_share),
         .where = "caribou",
         .expected = "encoder_share + classifier_share below 1"});
  }
  return {options.encoder_share, rest, options.classifier_share};
}

void add_trainings(const CaribouOptions& options, const Request& request, const privacy::PublicFacts& facts,
                   const Shares& shares, double mu, CaribouPlan& plan) {
  if (!request.unit.protects_labels()) return;
  const std::uint64_t population = facts.count(graph::Role::train);
  plan.encoder =
      regression_training(options.regression, request.unit, population, mu * std::sqrt(shares.encoder));
  plan.classifier =
      regression_training(options.classifier, request.unit, population, mu * std::sqrt(shares.classifier));
}

}  // namespace

std::uint64_t told_columns(const CaribouOptions& options, std::uint64_t classes, std::uint64_t features) {
  if (options.rows == "embedding") return options.columns;
  if (options.rows != "features") return classes;
  if (features == 0 || features > kMostFeatures) {
    throw InvalidArgument({.what = fmt::format("rows of {} features", features),
                           .where = "caribou",
                           .expected = fmt::format("1 to {}", kMostFeatures),
                           .remedy = "use rows=embedding or rows=probabilities, which are short"});
  }
  return features;
}

std::string CaribouPlan::released() const {
  return fmt::format("last state of {} contractive hop{}", hops, hops == 1 ? "" : "s");
}

privacy::Event CaribouPlan::event() const {
  std::vector<privacy::Event> parts;
  if (encoder) parts.push_back(encoder->event());
  if (iteration) parts.push_back(iteration->event());
  if (published_sigma && !iteration)
    parts.emplace_back(privacy::ContractiveGaussianEvent{layer.contraction, hops, *published_sigma});
  if (classifier) parts.push_back(classifier->event());
  return privacy::composed(std::move(parts));
}

CaribouPlan caribou_plan(const CaribouOptions& options, const Request& request,
                         const privacy::PublicFacts& facts) {
  require_rows(options, request);
  const bool is_protected = request.unit.protects_anything();
  if (is_protected) require_budget(request, "caribou");
  CaribouPlan plan;
  plan.columns = told_columns(options, facts.classes, facts.features);
  const Shares shares = shares_of(options, request);
  const double mu = is_protected ? privacy::gaussian_mu(request.epsilon->value(), request.delta.value()) : 0;
  privacy::ContractiveLayer like{.graph_share = options.graph_share, .residual = options.residual};
  HopChoices choices = choices_of(options, request);
  const bool bounded = request.unit.bounds_degree() && request.rigor == privacy::Rigor::kStrict;
  if (bounded) {
    like.kind = privacy::ContractiveLayer::Kind::bounded;
    choices.bounds = {request.unit.max_degree()};
  }
  const HopChoice choice = choose_hops(
      request.unit, like, choices, is_protected ? HopBudget(mu * std::sqrt(shares.iteration)) : std::nullopt,
      expectation(options, facts, plan.columns));
  plan.layer = choice.layer;
  plan.hops = choice.hops;
  plan.predicted = choice.predicted;
  if (!is_protected) return plan;
  const double of_hops =
      std::sqrt(privacy::contraction_factor(plan.layer.contraction, static_cast<double>(plan.hops)) /
                shares.iteration) /
      mu;
  if (request.rigor == privacy::Rigor::kPaper) {
    plan.published_sigma = of_hops;
    add_trainings(options, request, facts, shares, mu, plan);
    return plan;
  }
  // All parts are Gaussian DP and their mu^2 add up to the budget's; what rounding costs is left to the
  // calibration.
  const privacy::ContractivePlan release = mechanism_plan(plan, request, facts);
  const auto with_noise = [&](double scale) {
    CaribouPlan tried = plan;
    tried.iteration = privacy::ContractiveHops::with_multiplier(release, of_hops * scale);
    add_trainings(options, request, facts, shares, mu / scale, tried);
    return tried;
  };
  return with_noise(privacy::calibrate([&](double scale) { return with_noise(scale).event(); },
                                       *request.epsilon, request.delta));
}

Plan describe(const CaribouOptions& options, const CaribouPlan& plan, const Request& request) {
  Plan result{.event = plan.event()};
  const bool bounded = plan.layer.kind == privacy::ContractiveLayer::Kind::bounded;
  result.numbers = {{"hops", fmt::format("{}", plan.hops)},
                    {"contraction", fmt::format("{}", plan.layer.contraction)},
                    {bounded ? "degree bound" : "floor of the degrees", fmt::format("{}", plan.layer.bound)},
                    {"numbers per node", fmt::format("{}", plan.columns)}};
  if (!request.unit.protects_anything()) return result;
  if (plan.iteration) {
    result.numbers.emplace_back("sensitivity of a hop",
                                fmt::format("{:.4f}", plan.iteration->sensitivity().l2().value()));
    result.numbers.emplace_back("noise of a hop", fmt::format("{:.4f}", plan.iteration->stddev().value()));
    result.numbers.emplace_back("predicted noise over signal",
                                fmt::format("{:.2f} at mean degree {:g}; above 10 the hops seldom help",
                                            plan.predicted, options.expected_degree));
  }
  if (plan.encoder) {
    result.numbers.emplace_back(
        "noise multipliers of encoder and classifier",
        fmt::format("{:.4f}, {:.4f}", plan.encoder->noise_multiplier, plan.classifier->noise_multiplier));
    result.assumptions = {
        "ids, roles, classes and the number of training nodes are public",
        "the row of a node in the last state, which the model holds, and the node's scores are for the eyes "
        "of that node: the model as a whole is not for publication",
        fmt::format("no node has more than {} edges", request.unit.max_degree())};
  } else {
    result.assumptions = {
        "features, labels, roles and everything drawn from them are public and were fixed before the edges "
        "were opened"};
  }
  result.assumptions.emplace_back("the states between the hops stay inside the program");
  if (request.rigor == privacy::Rigor::kStrict) return result;
  result.failed_claims = caribou_failed_claims(request.unit);
  result.claimed_epsilon = request.epsilon->value();
  result.claimed_by = "gdp";
  result.numbers.emplace_back("noise multiplier of Theorem 6", fmt::format("{:.4f}", *plan.published_sigma));
  return result;
}

}  // namespace privet::methods
