#include "privet/core/mechanisms/top_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/noise/discrete_laplace.hpp"
#include "privet/core/noise/sparse_coins.hpp"
#include "privet/core/opening.hpp"

namespace privet::privacy {
namespace {

constexpr double kLeastProbability = 0x1p-40;  // of sparse coins

Unit checked_unit(Unit unit) {
  if (!unit.is_about_edges() || unit.is_reported_locally()) {
    throw Unsound({.what = "noise on single entries protects single entries",
                   .where = fmt::format("unit {}", unit.text()),
                   .remedy = "use edge or directed-edge"});
  }
  return unit;
}

double checked_epsilon(double epsilon) {
  if (!(epsilon >= 0x1p-20 && epsilon <= 0x1p10)) {
    throw InvalidArgument({.what = fmt::format("{}", epsilon),
                           .where = "epsilon of the largest entries",
                           .expected = "from 2^-20 to 2^10"});
  }
  return epsilon;
}

struct Candidate {
  std::int64_t value = 0;  // in grid steps
  std::uint64_t tie = 0;   // continuous noise has no ties; a coin decides them
  graph::NodeId row = 0;
  graph::NodeId column = 0;
};

bool is_larger(const Candidate& a, const Candidate& b) {
  return a.value != b.value ? a.value > b.value : a.tie > b.tie;
}

}  // namespace

TopEntries::TopEntries(Unit unit, Epsilon epsilon)
    : unit_(checked_unit(unit)), epsilon_(checked_epsilon(epsilon.value())) {
  const double scale = 1 / (epsilon_ - kMargin);
  grid_ = std::min(1.0, grid_below(scale));
  half_steps_ = static_cast<std::uint64_t>(std::ceil(2 * scale / grid_ * (1 + 0x1p-48)));
}

Event TopEntries::event() const { return LaplaceEvent{1 / epsilon_}; }

TopEntries::Threshold TopEntries::threshold(std::size_t nodes, std::uint64_t keep) const {
  const auto n = static_cast<double>(nodes);
  const double places = std::max(1.0, n * (n - 1) / (unit_.changes_pairs() ? 2 : 1));
  const auto kept = static_cast<double>(keep);
  // Ten standard deviations more; and of the zeros that are made some fall on ones, which ignore them.
  const double wanted = kept + 10 * std::sqrt(kept) + 50;
  const double share = std::clamp(wanted / places * (1 + kept / places), kLeastProbability, 0.5);
  // P[noise >= k grid steps] = exp(-(2k - 1) / half_steps) / 2 for k >= 1.
  const auto half = static_cast<double>(half_steps_);
  const double steps = std::floor((1 - half * std::log(2 * share)) / 2);
  const double most = std::floor((1 - half * std::log(2 * kLeastProbability)) / 2);
  Threshold found{.steps = static_cast<std::int64_t>(std::clamp(steps, 1.0, std::max(1.0, most)))};
  found.probability =
      std::max(kLeastProbability, 0.5 * std::exp(-(2 * static_cast<double>(found.steps) - 1) / half));
  return found;
}

BitRows TopEntries::release(const Secret<graph::Graph>& graph, std::size_t nodes, std::uint64_t keep,
                            std::string what, ReleaseLog& log, RandomStream& stream) const {
  if (nodes == 0 || nodes > graph::kMaxNodes) {
    throw InvalidArgument({.what = fmt::format("{}", nodes), .where = "number of nodes"});
  }
  const bool pairs = unit_.changes_pairs();
  const Threshold least = threshold(nodes, keep);
  const SparseCoins coins(least.probability);
  const std::unique_ptr<RandomStream> base = stream.fork("largest entries", stream.bits());
  std::vector<graph::NodeId> places;
  std::vector<std::uint64_t> ends(nodes);
  {
    const std::unique_ptr<RandomStream> own = base->fork("places", 0);
    Words words(*own);
    for (std::size_t i = 0; i < nodes; ++i) {
      const auto row = static_cast<graph::NodeId>(i);
      if (!pairs) coins.toss(words, 0, row, places);
      coins.toss(words, row + 1, static_cast<graph::NodeId>(nodes - i - 1), places);
      ends[i] = places.size();
    }
  }
  const std::unique_ptr<RandomStream> beyond = base->fork("noise of zeros", 0);
  const Ratio rate{2, half_steps_};
  std::vector<Candidate> zeros(places.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    zeros[k] = {least.steps + static_cast<std::int64_t>(geometric(*beyond, rate)), beyond->bits(), 0,
                places[k]};
  log.add(Release{.what = std::move(what),
                  .unit = unit_.text(),
                  .mechanism = "top-entries",
                  .sensitivity = 1,
                  .norm = "L1",
                  .noise_stddev = std::numbers::sqrt2 / epsilon_,
                  .times = 1,
                  .sampling = "none",
                  .reference = "Dwork, McSherry, Nissim, Smith 2006, Proposition 1; one entry moves by 1; "
                               "docs/privacy/mechanisms.md#top-entries",
                  .replayable = stream.replayable(),
                  .event = event()});
  const graph::Graph* opened = graph.read(OpeningBy<TopEntries>::key());
  const bool fits = opened != nullptr && opened->nodes() == nodes;
  const std::unique_ptr<RandomStream> own = base->fork("noise of ones", 0);
  const auto one_step = static_cast<std::int64_t>(1 / grid_);
  std::vector<Candidate> all;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto row = static_cast<graph::NodeId>(i);
    std::span<const graph::NodeId> ones = fits ? opened->neighbors(row) : std::span<const graph::NodeId>();
    if (pairs) ones = ones.subspan(std::upper_bound(ones.begin(), ones.end(), row) - ones.begin());
    for (; at < ends[i]; ++at) {
      if (std::binary_search(ones.begin(), ones.end(), zeros[at].column)) continue;
      zeros[at].row = row;
      all.push_back(zeros[at]);
    }
    for (const graph::NodeId column : ones) {
      const std::int64_t value = one_step + rounded_laplace(*own, half_steps_);
      const std::uint64_t tie = own->bits();
      if (value >= least.steps) all.push_back({value, tie, row, column});
    }
  }
  if (all.size() > keep) {
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keep), all.end(), &is_larger);
    all.resize(keep);
  }
  std::ranges::sort(all, [](const Candidate& a, const Candidate& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  BitRows result;
  result.offsets.assign(nodes + 1, 0);
  result.columns.reserve(all.size());
  for (const Candidate& one : all) {
    ++result.offsets[one.row + 1];
    result.columns.push_back(one.column);
  }
  for (std::size_t i = 0; i < nodes; ++i) result.offsets[i + 1] += result.offsets[i];
  return result;
}

}  // namespace privet::privacy
