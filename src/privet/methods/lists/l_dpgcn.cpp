#include "privet/methods/lists/l_dpgcn.hpp"

#include <algorithm>
#include <cmath>

#include "privet/base/distributions.hpp"
#include "privet/methods/lists/evidence.hpp"
#include "privet/methods/lists/laplace_values.hpp"

namespace privet::methods {
namespace {

constexpr double kStepsPerUnit = 64;  // of thresholds
constexpr auto kSteps = static_cast<std::size_t>((2 - LaplaceValues::kLowest) * kStepsPerUnit);

struct Pair {
  double sum;
  graph::NodeId low;
  graph::NodeId high;
};

double pairs_of(std::size_t nodes) {
  const auto n = static_cast<double>(nodes);
  return n * (n - 1) / 2;
}

std::size_t rounded(double count, double most) {
  return static_cast<std::size_t>(std::llround(std::clamp(count, 0.0, most)));
}

// Pairs told as 0 by both ends whose sum is above the threshold.
void add_silent(const Evidence& evidence, const LaplaceValues& values, double threshold, RandomStream& stream,
                std::vector<Pair>& all) {
  const double share = values.zeros_above(threshold);
  if (share <= 0) return;
  const GeometricSkip skip(share);
  const std::size_t n = evidence.nodes();
  std::uint64_t ahead = skip(stream, n * n);  // pairs told as 0 to pass by
  for (std::size_t i = 0; i < n; ++i) {
    const auto told = evidence.row(i);
    const std::uint64_t silent = n - 1 - i - told.size();
    std::size_t passed = 0;  // of the told ones
    std::uint64_t at = 0;    // place among the silent ones
    for (; ahead < silent - at; ahead = skip(stream, n * n)) {
      at += ahead;
      while (passed < told.size() && told[passed].other() <= i + 1 + at + passed) ++passed;
      all.push_back({values.zeros_above(threshold, stream), static_cast<graph::NodeId>(i),
                     static_cast<graph::NodeId>(i + 1 + at + passed)});
      ++at;
    }
    ahead -= silent - at;
  }
}

}  // namespace

graph::Graph largest_sums(const Reports& reports, double flip, RandomStream& stream) {
  const Evidence evidence(reports, privacy::PairReports::both_ends, flip);
  const LaplaceValues values(flip);
  const double possible = pairs_of(evidence.nodes());
  // Drawn twice, the same both times: to find the threshold, then to keep what is above it. A seed is enough,
  // as nothing here protects anybody.
  const std::uint64_t seed = stream.bits();
  const auto draw_told = [&](const auto& see) {
    SeededStream own(seed);
    for (std::size_t i = 0; i < evidence.nodes(); ++i) {
      for (const Evidence::Told told : evidence.row(i)) {
        const double first = values.of_one(own);
        const double second = told.ones() == 2 ? values.of_one(own) : values.of_zero(own);
        see(Pair{first + second, static_cast<graph::NodeId>(i), told.other()});
      }
    }
  };
  std::vector<std::uint64_t> by_step(kSteps + 1);  // sums above 2 - step / 64, but not above the step before
  double total = 0;
  double told = 0;
  draw_told([&](const Pair& one) {
    total += one.sum;
    told += 1;
    const double step = std::floor((2 - one.sum) * kStepsPerUnit) + 1;
    ++by_step[static_cast<std::size_t>(std::clamp(step, 0.0, static_cast<double>(kSteps)))];
  });
  // Numbers that are never drawn enter by the normal law of their sum.
  const double silent = possible - told;
  total += 2 * silent * values.mean_of_zero() +
           std::sqrt(2 * silent * values.variance()) * standard_normal(stream);
  const std::size_t count = rounded(total / 2, possible);
  // A threshold that so many pairs exceed, six standard deviations of chance included.
  const double enough = static_cast<double>(count) + 6 * std::sqrt(static_cast<double>(count));
  double threshold = 2;
  std::uint64_t above = 0;
  for (std::size_t step = 0; step <= kSteps; ++step) {
    threshold = 2 - static_cast<double>(step) / kStepsPerUnit;
    above += by_step[step];
    if (static_cast<double>(above) + silent * values.zeros_above(threshold) >= enough) break;
  }
  std::vector<Pair> all;
  draw_told([&](const Pair& one) {
    if (one.sum > threshold) all.push_back(one);
  });
  add_silent(evidence, values, threshold, stream, all);
  const std::size_t kept = std::min(count, all.size());
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(kept), std::ranges::greater(),
                           &Pair::sum);
  graph::EdgeList edges;
  for (std::size_t i = 0; i < kept; ++i) edges.add(all[i].low, all[i].high);
  return {evidence.nodes(), std::move(edges), graph::Direction::undirected, "largest sums"};
}

graph::Graph expected_pairs(const Reports& reports, double flip, RandomStream& stream) {
  const auto told = static_cast<double>(reports.ones.columns.size());
  const double joined = (told - flip * pairs_of(reports.nodes())) / (1 - 2 * flip);
  auto wanted = static_cast<double>(rounded(joined, told));
  double left = told;
  graph::EdgeList edges;
  for (std::size_t i = 0; i < reports.nodes(); ++i) {
    for (const graph::NodeId j : reports.ones.row(i)) {
      if (stream.uniform() * left-- >= wanted) continue;
      --wanted;
      edges.add(static_cast<graph::NodeId>(i), j);
    }
  }
  return {reports.nodes(), std::move(edges), graph::Direction::undirected, "local reports"};
}

std::string LDpgcn::summary() const {
  return "locally private lists, the pairs with the largest noisy bits, then a network";
}
std::string LDpgcn::reference() const {
  return "Zhu et al. 2023 (L-DPGCN, baseline of Blink); Wu et al. 2022 (DPGCN)";
}

Reconstruction LDpgcn::reconstruct(const Request&, const privacy::LocalQuestion& question,
                                   const Reports& reports, RandomStream& stream) const {
  const double flip = question.flip_probability();
  return {.graph = question.query().asked == privacy::PairReports::both_ends
                       ? largest_sums(reports, flip, stream)
                       : expected_pairs(reports, flip, stream)};
}

}  // namespace privet::methods
