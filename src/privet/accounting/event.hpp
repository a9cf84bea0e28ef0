#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "privet/accounting/events/kinds.hpp"

namespace privet::privacy {

/// What a release costs, as data: a tree of events that accountants, certificates and calibration all read.
/// An event says nothing of what was released, only of how it was protected.
///
/// Noise is always relative: `noise_multiplier` is the noise scale divided by the sensitivity (of one
/// example's clipped gradient where batches are drawn).
///
/// Each kind of event is a row of its own (accounting/events/); only how events are put together is here.

class Event;

/// Several events on the same data, each free to depend on the results of those before it.
struct ComposedEvent {
  std::vector<Event> parts;
  bool operator==(const ComposedEvent&) const;
};

/// The same event `times` over.
struct RepeatedEvent {
  std::shared_ptr<const Event> part;  // never null; shared because events never change
  std::uint64_t times = 0;
  bool operator==(const RepeatedEvent&) const;
};

class Event {
 public:
  using Kind = EventKinds::Variant<ComposedEvent, RepeatedEvent>;

  /// Nothing released: costs nothing.
  Event() = default;
  /// Checks the numbers of the event: an InvalidArgument names the one that is out of range. Multipliers and
  /// counts are positive, rates in (0, 1], batches no larger than their population.
  Event(Kind kind);  // NOLINT(google-explicit-constructor): an event *is* one of its kinds
  template <typename T>
  requires(!std::is_same_v<T, Event> && std::is_constructible_v<Kind, T>) Event(T kind)
      : Event(Kind(std::move(kind))) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const Kind& kind() const noexcept { return kind_; }

  /// "gaussian(noise multiplier 4.22)", "1000 x subsampled-gaussian(...)": for messages and certificates.
  [[nodiscard]] std::string describe() const;

  bool operator==(const Event& other) const;

 private:
  Kind kind_;
};

/// The event `times` over; once is the event itself, never is nothing.
Event repeated(Event event, std::uint64_t times);
Event composed(std::vector<Event> parts);

}  // namespace privet::privacy
