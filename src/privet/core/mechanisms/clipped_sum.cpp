#include "privet/core/mechanisms/clipped_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/fixed_point.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/noise/add_rounded.hpp"
#include "privet/core/opening.hpp"
#include "privet/core/release_check.hpp"

namespace privet::privacy {
namespace {

// Fine against the noise, but never so fine that 2^31 clipped rows could overflow 63 bits.
double grid_for(double stddev, double clip_norm) {
  return std::max(grid_below(stddev), grid_below(clip_norm) * 0x1p-8);
}

// Into how many clip norms of distance the rounding of the whole sum can be divided. Everybody is in every
// full batch, so two sums are compared with all affected examples in them; in other batches it may be one.
double clip_norms_moved(const ClippedSumPlan& plan) {
  const auto* poisson = std::get_if<PoissonSampling>(&plan.sampling);
  const auto* fixed = std::get_if<FixedSizeSampling>(&plan.sampling);
  const bool full = poisson != nullptr ? poisson->rate == 1 : fixed->batch == fixed->population;
  return full ? plan.affected.among(plan.population).clip_norms() : 1;
}

}  // namespace

ClippedSum::ClippedSum(const ClippedSumPlan& plan)
    : plan_(plan),
      stddev_(plan_.noise_multiplier * plan_.clip_norm.value() * (1 + 0x1p-50)),
      grid_(grid_for(stddev_.value(), plan_.clip_norm.value())),
      sampler_(plan_.sampling, plan_.population) {
  (void)clipped_sum_sensitivity(plan_.unit, plan_.affected, plan_.clip_norm, plan_.columns);
  (void)event();
  if (!(plan_.sum_error >= 0 && plan_.sum_error <= 1)) {
    throw InvalidArgument({.what = fmt::format("rounding of {} clip norms", plan_.sum_error),
                           .where = "clipped sum",
                           .expected = "at most 1: sum in smaller pieces"});
  }
}

Event ClippedSum::event() const {
  return SubsampledGaussianEvent{plan_.sampling, plan_.noise_multiplier, plan_.affected.added,
                                 plan_.affected.replaced};
}

void ClippedSum::require_own(const SampledBatch& batch) const {
  if (batch.sampling() != plan_.sampling || batch.population() != plan_.population) {
    throw std::logic_error("a batch was drawn under another plan");
  }
}

void ClippedSum::write(std::string what, double sensitivity, double stddev, ReleaseLog& log,
                       const RandomStream& stream) const {
  log.add(Release{
      .what = std::move(what),
      .unit = plan_.unit.text(),
      .mechanism = "clipped-sum",
      .sensitivity = sensitivity,
      .norm = "L2 of one example",
      .noise_stddev = stddev,
      .times = 1,
      .sampling = sampling_text(event()),
      .reference = "Abadi et al. 2016; ideal Gaussian noise, rounded; docs/privacy/mechanisms.md#clipped-sum",
      .replayable = stream.replayable(),
      .event = event()});
}

const Opening& ClippedSum::opening() {
  static const Opening key = OpeningBy<ClippedSum>::key();
  return key;
}

std::vector<double> ClippedSum::release(const Secret<tensor::Matrix>& rows, SampledBatch batch,
                                        std::string what, ReleaseLog& log, RandomStream& stream) const {
  require_own(batch);
  std::vector<std::int32_t> noise(plan_.columns);
  fill_rounded_gaussian(stream, stddev_.value() / grid_, noise);
  std::vector<std::int64_t> sum(plan_.columns, 0);
  std::vector<double> result(plan_.columns);
  write(std::move(what), plan_.clip_norm.value(), stddev_.value(), log, stream);
  const std::vector<std::uint32_t>* members = batch.members().read(opening());
  const tensor::Matrix* opened = rows.read(opening());
  if (members != nullptr && opened != nullptr && opened->columns() == plan_.columns) {
    const std::size_t count = std::min(members->size(), opened->rows());
    const RowRounding rounding{.grid = grid_, .row_bound = plan_.clip_norm.value()};
    for (std::size_t i = 0; i < count; ++i) add_bounded_row(opened->row(i), rounding, sum);
  }
  for (std::size_t j = 0; j < sum.size(); ++j) {
    result[j] = from_steps(std::clamp(sum[j], -kMostSteps, kMostSteps) + noise[j], grid_);
  }
  return result;
}

double ClippedSum::charged() const {
  // Distances are charged in whole clip norms: a batch with affected examples is at least one from another,
  // and pays for the rounding of the whole sum once. At distance none two sums must be equal bit by bit:
  // those of a batch with blank members and without them.
  const double clip_norm = plan_.clip_norm.value();
  return (clip_norm +
          (2 * plan_.sum_error * clip_norm + grid_ * std::sqrt(static_cast<double>(plan_.columns))) /
              clip_norms_moved(plan_)) *
         (1 + 0x1p-49);
}

void ClippedSum::require_drawable() const {
  if (plan_.noise_multiplier * charged() * (1 + 0x1p-50) <= kMostGaussianSteps * grid_) return;
  throw InvalidArgument(
      {.what = fmt::format("noise of {:.3g} clip norms on each of {} numbers", plan_.noise_multiplier,
                           plan_.columns),
       .where = "private training",
       .expected = "less: nothing can be learnt under so much, and it can't be drawn",
       .remedy = "a larger epsilon, or a unit in which fewer examples change (a smaller D of node:D)"});
}

double ClippedSum::logged_stddev(const std::string& what, ReleaseLog& log, const RandomStream& stream) const {
  const double stddev = plan_.noise_multiplier * charged() * (1 + 0x1p-50);
  write(what, charged(), stddev, log, stream);
  return stddev;
}

void ClippedSum::add_noise(std::span<const float> sum, double stddev, RandomStream& stream,
                           const Receiver& receiver) const {
  const bool fits = sum.size() == plan_.columns;
  add_noise_to_parts(
      [&](std::size_t first, std::span<float> part) {
        if (fits) std::ranges::copy(sum.subspan(first, part.size()), part.begin());
      },
      stddev, stream, receiver);
}

void ClippedSum::add_noise_to_parts(
    const std::function<void(std::size_t first, std::span<float> part)>& write, double stddev,
    RandomStream& stream, const Receiver& receiver) const {
  for_each_noise_piece(
      stream, stddev / grid_, plan_.columns,
      [&](std::size_t first, std::span<const std::int32_t> noise) {
        alignas(64) std::array<float, kNoisePiece> room;  // NOLINT: zeros below
        const std::span<float> part = std::span(room).first(noise.size());
        std::ranges::fill(part, 0.0F);
        write(first, part);
        add_rounded(part, noise, grid_, part);
        receiver.use(first, part);
      },
      receiver.near);
}

}  // namespace privet::privacy
