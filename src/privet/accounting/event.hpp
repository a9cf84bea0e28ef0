#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "privet/accounting/affected_examples.hpp"

namespace privet::privacy {

/// What a release costs, as data: a tree of events that accountants, certificates and calibration all read.
/// An event says nothing of what was released, only of how it was protected.
///
/// Noise is always relative: `noise_multiplier` is the noise scale divided by the sensitivity (of one
/// example's clipped gradient where batches are drawn).

/// Gaussian noise of standard deviation noise_multiplier x L2 sensitivity. Gaussian DP with mu =
/// 1/multiplier.
struct GaussianEvent {
  double noise_multiplier = 0;
  bool operator==(const GaussianEvent&) const = default;
};

/// Laplace noise of scale noise_multiplier x L1 sensitivity.
struct LaplaceEvent {
  double noise_multiplier = 0;
  bool operator==(const LaplaceEvent&) const = default;
};

/// One bit, told truly with probability e^epsilon / (1 + e^epsilon).
struct RandomizedResponseEvent {
  double epsilon = 0;
  bool operator==(const RandomizedResponseEvent&) const = default;
};

/// Any mechanism known only to be epsilon-DP.
struct PureEvent {
  double epsilon = 0;
  bool operator==(const PureEvent&) const = default;
};

/// Any mechanism known only to be (epsilon, delta)-DP.
struct ApproximateEvent {
  double epsilon = 0;
  double delta = 0;
  bool operator==(const ApproximateEvent&) const = default;
};

/// How the batch of one step is drawn.
struct PoissonSampling {
  double rate = 0;  ///< every example joins independently with this probability
  bool operator==(const PoissonSampling&) const = default;
};
struct FixedSizeSampling {
  std::uint64_t population = 0;  ///< public
  std::uint64_t batch = 0;       ///< drawn without replacement, afresh every step
  bool operator==(const FixedSizeSampling&) const = default;
};
using Sampling = std::variant<PoissonSampling, FixedSizeSampling>;

/// One step of private SGD: the sum of clipped examples of one batch plus Gaussian noise of standard
/// deviation noise_multiplier x clip norm. Between neighbouring data sets `replaced` examples have another
/// gradient (each moves the sum by up to 2 clip norms) and `added` examples are there or not (1 clip norm).
/// Ordinary private SGD is {added 1} or {replaced 1}; one person who shapes many examples (DPDGC's embedding,
/// DP-GNN's subgraphs) has more. Only those that happen to be in the batch move the sum, all of them possibly
/// in one direction.
struct SubsampledGaussianEvent {
  Sampling sampling;
  double noise_multiplier = 0;
  std::uint64_t added = 0;
  std::uint64_t replaced = 0;
  [[nodiscard]] AffectedExamples affected() const noexcept { return {.added = added, .replaced = replaced}; }
  bool operator==(const SubsampledGaussianEvent&) const = default;
};

/// `hops` applications of a map with Lipschitz constant `lipschitz` < 1, Gaussian noise of noise_multiplier x
/// the sensitivity of one application after each, projection onto a convex set between, only the last state
/// released (CARIBOU, Theorems 2 and 3).
struct ContractiveGaussianEvent {
  double lipschitz = 0;
  std::uint64_t hops = 0;
  double noise_multiplier = 0;
  bool operator==(const ContractiveGaussianEvent&) const = default;
};

/// One step of Daigavane et al.'s DP-GNN as their Theorem 1 counts it: `batch` of `nodes` training subgraphs
/// without replacement, `max_degree`+1 of which hold the node, noise of standard deviation
/// noise_multiplier x 2 (max_degree + 1) clip norms.
struct DpGnnEvent {
  std::uint64_t nodes = 0;
  std::uint64_t batch = 0;
  std::uint64_t max_degree = 0;
  double noise_multiplier = 0;
  bool operator==(const DpGnnEvent&) const = default;
};

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
  using Kind = std::variant<ComposedEvent, GaussianEvent, LaplaceEvent, RandomizedResponseEvent, PureEvent,
                            ApproximateEvent, SubsampledGaussianEvent, ContractiveGaussianEvent, DpGnnEvent,
                            RepeatedEvent>;

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

  bool operator==(const Event&) const = default;

 private:
  Kind kind_;
};

/// The event `times` over; once is the event itself, never is nothing.
Event repeated(Event event, std::uint64_t times);
Event composed(std::vector<Event> parts);

}  // namespace privet::privacy
