#include "privet/core/mechanisms/noisy_max.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/core/mechanisms/grid.hpp"
#include "privet/core/noise/permute_and_flip.hpp"
#include "privet/core/opening.hpp"

namespace privet::privacy {
namespace {

constexpr std::uint64_t kDenominator = std::uint64_t{1} << 60;

}  // namespace

NoisyMax::NoisyMax(Sensitivity sensitivity, Epsilon epsilon)
    : sensitivity_(std::move(sensitivity)),
      grid_(grid_below(sensitivity_.each())),
      // After rounding, scores that were d apart are at most ceil(d) steps apart, and one more for safety.
      steps_(static_cast<std::uint64_t>(std::ceil(sensitivity_.each() / grid_)) + 1) {
  if (!(epsilon.value() >= 0x1p-20 && epsilon.value() <= 0x1p20)) {
    throw InvalidArgument({.what = fmt::format("{}", epsilon.value()),
                           .where = "epsilon of a noisy maximum",
                           .expected = "from 2^-20 to 2^20"});
  }
  numerator_ =
      static_cast<std::uint64_t>(epsilon.value() * (1 - 0x1p-48) / (2 * static_cast<double>(steps_)) *
                                 static_cast<double>(kDenominator));
}

Event NoisyMax::event() const {
  return PureEvent{2 * static_cast<double>(steps_) * static_cast<double>(numerator_) /
                   static_cast<double>(kDenominator) * (1 + 0x1p-50)};
}

std::size_t NoisyMax::release(const Secret<std::vector<double>>& scores, std::size_t candidates,
                              std::string what, ReleaseLog& log, RandomStream& stream) const {
  if (candidates == 0) throw InvalidArgument({.what = "no candidates", .where = "noisy maximum"});
  const std::unique_ptr<RandomStream> coins = stream.fork("noisy maximum", stream.bits());
  std::vector<std::int64_t> steps(candidates, 0);
  log.add(Release{.what = std::move(what),
                  .unit = sensitivity_.unit().text(),
                  .mechanism = "noisy-max",
                  .sensitivity = static_cast<double>(steps_) * grid_,
                  .norm = "L-infinity",
                  .noise_stddev = static_cast<double>(kDenominator) / static_cast<double>(numerator_) * grid_,
                  .times = 1,
                  .sampling = "none",
                  .reference = "McKenna, Sheldon 2020, Theorem 1; " + sensitivity_.argument(),
                  .replayable = stream.replayable(),
                  .event = event()});
  const std::vector<double>* opened = scores.read(OpeningBy<NoisyMax>::key());
  if (opened != nullptr && opened->size() == candidates) {
    for (std::size_t i = 0; i < candidates; ++i) steps[i] = to_steps((*opened)[i], grid_);
  }
  return permute_and_flip(*coins, steps, numerator_, kDenominator);
}

}  // namespace privet::privacy
