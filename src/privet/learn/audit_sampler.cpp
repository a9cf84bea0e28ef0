#include "privet/learn/audit_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "privet/core/secret.hpp"

namespace privet::methods {
namespace {

// Of row i in one world: everybody's row counts 1, the person's `own`.
double row_sum(const graph::Graph& graph, graph::NodeId i, std::optional<graph::NodeId> person, double own) {
  auto sum = static_cast<double>(graph.degree(i));
  if (person && graph.has_entry(i, *person)) sum += own - 1;
  return sum;
}

std::string released(const std::string& what, std::uint64_t times) {
  return fmt::format("{}, released {}", what, times == 1 ? "once" : fmt::format("{} times", times));
}

}  // namespace

AuditSampler shifted_sampler(const privacy::GaussianMechanism& mechanism, double shift, std::uint64_t times,
                             const std::string& what) {
  return {.what = released(what, times),
          .gaussian = true,
          .draw = [mechanism, shift, times](bool second, std::span<double> draws, RandomStream& noise) {
            std::ranges::fill(draws, 0.0);
            const double scale = 1 / std::sqrt(static_cast<double>(times));
            for (std::uint64_t time = 0; time < times; ++time) {
              privacy::ReleaseLog log;
              const privacy::Secret<std::vector<double>> value(
                  std::vector<double>(draws.size(), second ? 0 : shift));
              const std::vector<double> seen = mechanism.release(value, draws.size(), "audit", log, noise);
              for (std::size_t i = 0; i < draws.size(); ++i) draws[i] += scale * seen[i];
            }
          }};
}

AuditSampler counts_sampler(const privacy::GeometricMechanism& mechanism, std::vector<std::int64_t> moved,
                            std::uint64_t times, const std::string& what) {
  return {.what = released(what, times),
          .draw = [mechanism, moved = std::move(moved), times](bool second, std::span<double> draws,
                                                               RandomStream& noise) {
            const double rate = mechanism.rate().value();
            const std::size_t numbers = moved.size();
            std::ranges::fill(draws, 0.0);
            for (std::uint64_t time = 0; time < times; ++time) {
              std::vector<std::int64_t> value(draws.size() * numbers);
              for (std::size_t i = 0; i < value.size() && !second; ++i) value[i] = moved[i % numbers];
              privacy::ReleaseLog log;
              const std::vector<std::int64_t> seen = mechanism.release(
                  privacy::Secret<std::vector<std::int64_t>>(value), value.size(), "audit", log, noise);
              for (std::size_t i = 0; i < seen.size(); ++i)
                draws[i / numbers] +=
                    rate * static_cast<double>(std::abs(seen[i]) - std::abs(seen[i] - moved[i % numbers]));
            }
          }};
}

AuditSampler neighbor_sums_sampler(const privacy::GaussianMechanism& mechanism,
                                   const privacy::NeighborSum& sum, std::uint64_t times,
                                   const AuditPair& pair) {
  const privacy::Unit& unit = mechanism.sensitivity().unit();
  const bool blanked = unit.bounds_degree() && unit.blanks_person();
  const bool replaced = pair.person && sum.rows == privacy::RowsOf::their_owners && !blanked;
  // Rows that are never negative can turn aside, not round: then the person's new row is orthogonal, and the
  // part of the shift along the old one is what is looked at.
  const double turned = replaced ? (sum.non_negative ? 0 : -1) : 1;
  double squares = 0;
  for (graph::NodeId i = 0; i < pair.first.nodes(); ++i) {
    if (pair.person && i == *pair.person && unit.excludes_own_row()) continue;
    const double moved =
        row_sum(pair.first, i, pair.person, 1) - row_sum(pair.second, i, pair.person, turned);
    squares += moved * moved;
  }
  const double shift = sum.row_bound * std::sqrt(squares);
  return shifted_sampler(mechanism, shift, times, "noisy sums over neighbours");
}

}  // namespace privet::methods
