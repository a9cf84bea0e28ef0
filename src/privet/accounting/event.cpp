#include "privet/accounting/event.hpp"

#include <fmt/format.h>

#include <utility>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

void check_kind(const Event::Kind& kind) {
  std::visit(Overloaded{
                 [](const ComposedEvent&) {},
                 [](const RepeatedEvent& e) {
                   if (!e.part) throw InvalidArgument({.what = "a repeated event needs a part"});
                 },
                 [](const EventRow auto& row) { row.check(); },
             },
             kind);
}

}  // namespace

bool ComposedEvent::operator==(const ComposedEvent& other) const { return parts == other.parts; }

bool Event::operator==(const Event& other) const { return kind_ == other.kind_; }

bool RepeatedEvent::operator==(const RepeatedEvent& other) const {
  return times == other.times && (part == other.part || *part == *other.part);
}

Event::Event(Kind kind) : kind_(std::move(kind)) { check_kind(kind_); }

std::string Event::describe() const {
  return std::visit(
      Overloaded{
          [](const ComposedEvent& e) {
            std::string text = "composed(";
            for (std::size_t i = 0; i < e.parts.size(); ++i)
              text += (i > 0 ? ", " : "") + e.parts[i].describe();
            return text + ")";
          },
          [](const RepeatedEvent& e) { return fmt::format("{} x {}", e.times, e.part->describe()); },
          [](const EventRow auto& row) { return row.describe(); },
      },
      kind_);
}

Event repeated(Event event, std::uint64_t times) {
  if (times == 0) return {};
  if (times == 1) return event;
  return RepeatedEvent{std::make_shared<const Event>(std::move(event)), times};
}

Event composed(std::vector<Event> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return ComposedEvent{std::move(parts)};
}

}  // namespace privet::privacy
