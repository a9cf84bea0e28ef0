#include "privet/accounting/event_json.hpp"

#include <fmt/format.h>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

Json sampling_to_json(const Sampling& sampling) {
  return std::visit(
      Overloaded{
          [](const PoissonSampling& s) {
            return Json{{"kind", "poisson"}, {"rate", s.rate}};
          },
          [](const FixedSizeSampling& s) {
            return Json{{"kind", "fixed-size"}, {"population", s.population}, {"batch", s.batch}};
          },
      },
      sampling);
}

Sampling sampling_from_json(const JsonField& field) {
  const std::string kind = field.at("kind").text();
  if (kind == "poisson") {
    field.allow_only({"kind", "rate"});
    return PoissonSampling{.rate = field.at("rate").number()};
  }
  if (kind == "fixed-size") {
    field.allow_only({"kind", "population", "batch"});
    return FixedSizeSampling{.population = field.at("population").count(),
                             .batch = field.at("batch").count()};
  }
  field.at("kind").refuse(fmt::format("is '{}'", kind), "poisson or fixed-size");
}

Json to_json(const Event& event, int depth) {
  if (depth > kMaxEventDepth) {
    throw InvalidArgument({.what = "an event is nested too deeply",
                           .expected = fmt::format("at most {} levels", kMaxEventDepth)});
  }
  return std::visit(
      Overloaded{
          [&](const ComposedEvent& e) {
            Json parts = Json::array();
            for (const Event& part : e.parts) parts.push_back(to_json(part, depth + 1));
            return Json{{"kind", "composed"}, {"parts", std::move(parts)}};
          },
          [](const GaussianEvent& e) {
            return Json{{"kind", "gaussian"}, {"noise_multiplier", e.noise_multiplier}};
          },
          [](const LaplaceEvent& e) {
            return Json{{"kind", "laplace"}, {"noise_multiplier", e.noise_multiplier}};
          },
          [](const RandomizedResponseEvent& e) {
            return Json{{"kind", "randomized-response"}, {"epsilon", e.epsilon}};
          },
          [](const PureEvent& e) {
            return Json{{"kind", "pure"}, {"epsilon", e.epsilon}};
          },
          [](const ApproximateEvent& e) {
            return Json{{"kind", "approximate"}, {"epsilon", e.epsilon}, {"delta", e.delta}};
          },
          [](const SubsampledGaussianEvent& e) {
            return Json{{"kind", "subsampled-gaussian"},
                        {"sampling", sampling_to_json(e.sampling)},
                        {"noise_multiplier", e.noise_multiplier},
                        {"added", e.added},
                        {"replaced", e.replaced}};
          },
          [](const ContractiveGaussianEvent& e) {
            return Json{{"kind", "contractive-gaussian"},
                        {"lipschitz", e.lipschitz},
                        {"hops", e.hops},
                        {"noise_multiplier", e.noise_multiplier}};
          },
          [](const DpGnnEvent& e) {
            return Json{{"kind", "dpgnn"},
                        {"nodes", e.nodes},
                        {"batch", e.batch},
                        {"max_degree", e.max_degree},
                        {"noise_multiplier", e.noise_multiplier}};
          },
          [&](const RepeatedEvent& e) {
            return Json{{"kind", "repeated"}, {"times", e.times}, {"part", to_json(*e.part, depth + 1)}};
          },
      },
      event.kind());
}

Event::Kind kind_from_json(const JsonField& field, int depth);

Event from_json(const JsonField& field, int depth) {
  if (depth > kMaxEventDepth) {
    field.refuse("an event is nested too deeply", fmt::format("at most {} levels", kMaxEventDepth));
  }
  Event::Kind kind = kind_from_json(field, depth);
  try {
    return {std::move(kind)};
  } catch (const InvalidArgument& error) {
    field.refuse(fmt::format("{} is {}", error.fault().where, error.fault().what), error.fault().expected);
  }
}

Event::Kind kind_from_json(const JsonField& field, int depth) {
  const std::string kind = field.at("kind").text();
  if (kind == "composed") {
    field.allow_only({"kind", "parts"});
    ComposedEvent event;
    for (const JsonField& part : field.at("parts").elements()) {
      event.parts.push_back(from_json(part, depth + 1));
    }
    return event;
  }
  if (kind == "gaussian") {
    field.allow_only({"kind", "noise_multiplier"});
    return GaussianEvent{.noise_multiplier = field.at("noise_multiplier").number()};
  }
  if (kind == "laplace") {
    field.allow_only({"kind", "noise_multiplier"});
    return LaplaceEvent{.noise_multiplier = field.at("noise_multiplier").number()};
  }
  if (kind == "randomized-response") {
    field.allow_only({"kind", "epsilon"});
    return RandomizedResponseEvent{.epsilon = field.at("epsilon").number()};
  }
  if (kind == "pure") {
    field.allow_only({"kind", "epsilon"});
    return PureEvent{.epsilon = field.at("epsilon").number()};
  }
  if (kind == "approximate") {
    field.allow_only({"kind", "epsilon", "delta"});
    return ApproximateEvent{.epsilon = field.at("epsilon").number(), .delta = field.at("delta").number()};
  }
  if (kind == "subsampled-gaussian") {
    field.allow_only({"kind", "sampling", "noise_multiplier", "added", "replaced"});
    return SubsampledGaussianEvent{.sampling = sampling_from_json(field.at("sampling")),
                                   .noise_multiplier = field.at("noise_multiplier").number(),
                                   .added = field.at("added").count(),
                                   .replaced = field.at("replaced").count()};
  }
  if (kind == "contractive-gaussian") {
    field.allow_only({"kind", "lipschitz", "hops", "noise_multiplier"});
    return ContractiveGaussianEvent{.lipschitz = field.at("lipschitz").number(),
                                    .hops = field.at("hops").count(),
                                    .noise_multiplier = field.at("noise_multiplier").number()};
  }
  if (kind == "dpgnn") {
    field.allow_only({"kind", "nodes", "batch", "max_degree", "noise_multiplier"});
    return DpGnnEvent{.nodes = field.at("nodes").count(),
                      .batch = field.at("batch").count(),
                      .max_degree = field.at("max_degree").count(),
                      .noise_multiplier = field.at("noise_multiplier").number()};
  }
  if (kind == "repeated") {
    field.allow_only({"kind", "times", "part"});
    return RepeatedEvent{.part = std::make_shared<const Event>(from_json(field.at("part"), depth + 1)),
                         .times = field.at("times").count()};
  }
  field.at("kind").refuse(fmt::format("is '{}'", kind), "the name of an event");
}

}  // namespace

Json event_to_json(const Event& event) { return to_json(event, 1); }

Event event_from_json(const JsonField& field) { return from_json(field, 1); }

}  // namespace privet::privacy
