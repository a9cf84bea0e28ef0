#include "privet/accounting/event.hpp"

#include <fmt/format.h>

#include <cmath>
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

void require(bool holds, double value, const char* name, const char* expected) {
  if (!holds) throw InvalidArgument({.what = fmt::format("{}", value), .where = name, .expected = expected});
}

void require_positive(double value, const char* name) {
  require(std::isfinite(value) && value > 0, value, name, "a positive, finite number");
}

// Counts stay where sums of them can't overflow and doubles hold them exactly.
constexpr std::uint64_t kMostCount = 1'000'000'000'000;

void require_count(std::uint64_t count, const char* name) {
  require(count <= kMostCount, static_cast<double>(count), name, "at most 10^12");
}

void require_loss(double epsilon) {
  require(std::isfinite(epsilon) && epsilon >= 0, epsilon, "epsilon", "a finite number, at least 0");
}

void check_sampling(const Sampling& sampling) {
  std::visit(Overloaded{
                 [](const PoissonSampling& s) {
                   require(s.rate > 0 && s.rate <= 1, s.rate, "sampling rate", "above 0, at most 1");
                 },
                 [](const FixedSizeSampling& s) {
                   require_count(s.population, "population");
                   require(s.batch > 0 && s.batch <= s.population, static_cast<double>(s.batch), "batch",
                           "from 1 to the size of the population");
                 },
             },
             sampling);
}

void check_kind(const Event::Kind& kind) {
  std::visit(Overloaded{
                 [](const ComposedEvent&) {},
                 [](const GaussianEvent& e) { require_positive(e.noise_multiplier, "noise multiplier"); },
                 [](const LaplaceEvent& e) { require_positive(e.noise_multiplier, "noise multiplier"); },
                 [](const RandomizedResponseEvent& e) { require_loss(e.epsilon); },
                 [](const PureEvent& e) { require_loss(e.epsilon); },
                 [](const ApproximateEvent& e) {
                   require_loss(e.epsilon);
                   require(e.delta >= 0 && e.delta < 1, e.delta, "delta", "at least 0 and below 1");
                 },
                 [](const SubsampledGaussianEvent& e) {
                   check_sampling(e.sampling);
                   require_positive(e.noise_multiplier, "noise multiplier");
                   require_count(e.added, "added examples");
                   require_count(e.replaced, "replaced examples");
                   require(e.affected().count() > 0, 0, "affected examples", "at least one");
                 },
                 [](const ContractiveGaussianEvent& e) {
                   require(e.lipschitz >= 0 && e.lipschitz <= 1, e.lipschitz, "Lipschitz constant",
                           "from 0 to 1");
                   require(e.hops > 0, 0, "hops", "at least one");
                   require_count(e.hops, "hops");
                   require_positive(e.noise_multiplier, "noise multiplier");
                 },
                 [](const DpGnnEvent& e) {
                   check_sampling(FixedSizeSampling{e.nodes, e.batch});
                   require(e.max_degree < e.nodes, static_cast<double>(e.max_degree), "max degree",
                           "below the number of nodes");
                   require_positive(e.noise_multiplier, "noise multiplier");
                 },
                 [](const RepeatedEvent& e) {
                   if (!e.part) throw InvalidArgument({.what = "a repeated event needs a part"});
                 },
             },
             kind);
}

std::string describe_sampling(const Sampling& sampling) {
  return std::visit(Overloaded{
                        [](const PoissonSampling& s) { return fmt::format("poisson rate {:.6g}", s.rate); },
                        [](const FixedSizeSampling& s) {
                          require_count(s.population, "population");
                          return fmt::format("{} of {} without replacement", s.batch, s.population);
                        },
                    },
                    sampling);
}

}  // namespace

bool ComposedEvent::operator==(const ComposedEvent&) const = default;

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
          [](const GaussianEvent& e) {
            return fmt::format("gaussian(noise multiplier {:.6g})", e.noise_multiplier);
          },
          [](const LaplaceEvent& e) {
            return fmt::format("laplace(noise multiplier {:.6g})", e.noise_multiplier);
          },
          [](const RandomizedResponseEvent& e) {
            return fmt::format("randomized-response(epsilon {:.6g})", e.epsilon);
          },
          [](const PureEvent& e) { return fmt::format("pure(epsilon {:.6g})", e.epsilon); },
          [](const ApproximateEvent& e) {
            return fmt::format("approximate(epsilon {:.6g}, delta {:.6g})", e.epsilon, e.delta);
          },
          [](const SubsampledGaussianEvent& e) {
            return fmt::format("subsampled-gaussian({}, noise multiplier {:.6g}, {} added, {} replaced)",
                               describe_sampling(e.sampling), e.noise_multiplier, e.added, e.replaced);
          },
          [](const ContractiveGaussianEvent& e) {
            return fmt::format("contractive-gaussian(Lipschitz {:.6g}, {} hops, noise multiplier {:.6g})",
                               e.lipschitz, e.hops, e.noise_multiplier);
          },
          [](const DpGnnEvent& e) {
            return fmt::format("dpgnn({} of {}, max degree {}, noise multiplier {:.6g})", e.batch, e.nodes,
                               e.max_degree, e.noise_multiplier);
          },
          [](const RepeatedEvent& e) { return fmt::format("{} x {}", e.times, e.part->describe()); },
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
