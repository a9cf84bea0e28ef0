#include "privet/accounting/event_json.hpp"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

Json value_to_json(double value) { return value; }
Json value_to_json(std::uint64_t value) { return value; }
Json value_to_json(const Sampling& sampling) {
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

void read_value(const JsonField& field, double& value) { value = field.number(); }
void read_value(const JsonField& field, std::uint64_t& value) { value = field.count(); }
void read_value(const JsonField& field, Sampling& sampling) {
  const std::string kind = field.at("kind").text();
  if (kind == "poisson") {
    field.allow_only({"kind", "rate"});
    sampling = PoissonSampling{.rate = field.at("rate").number()};
  } else if (kind == "fixed-size") {
    field.allow_only({"kind", "population", "batch"});
    sampling =
        FixedSizeSampling{.population = field.at("population").count(), .batch = field.at("batch").count()};
  } else {
    field.at("kind").refuse(fmt::format("is '{}'", kind), "poisson or fixed-size");
  }
}

template <EventRow Row>
Json row_to_json(const Row& row) {
  Json object = {{"kind", Row::kName}};
  std::apply([&](const auto&... field) { ((object[field.key] = value_to_json(row.*field.member)), ...); },
             Row::fields());
  return object;
}

template <EventRow Row>
Row row_from_json(const JsonField& object) {
  Row row;
  std::apply(
      [&](const auto&... field) {
        object.allow_only({"kind", field.key...});
        (read_value(object.at(field.key), row.*field.member), ...);
      },
      Row::fields());
  return row;
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
          [&](const RepeatedEvent& e) {
            return Json{{"kind", "repeated"}, {"times", e.times}, {"part", to_json(*e.part, depth + 1)}};
          },
          [](const EventRow auto& row) { return row_to_json(row); },
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
  if (kind == "repeated") {
    field.allow_only({"kind", "times", "part"});
    return RepeatedEvent{.part = std::make_shared<const Event>(from_json(field.at("part"), depth + 1)),
                         .times = field.at("times").count()};
  }
  std::optional<Event::Kind> row;
  EventKinds::for_each([&]<typename Row>() {
    if (kind == Row::kName) row = row_from_json<Row>(field);
  });
  if (!row) field.at("kind").refuse(fmt::format("is '{}'", kind), "the name of an event");
  return *std::move(row);
}

}  // namespace

Json event_to_json(const Event& event) { return to_json(event, 1); }

Event event_from_json(const JsonField& field) { return from_json(field, 1); }

}  // namespace privet::privacy
