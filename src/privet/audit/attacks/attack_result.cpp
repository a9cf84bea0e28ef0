#include "privet/audit/attacks/attack_result.hpp"

namespace privet::audit {
namespace {

constexpr std::size_t kCurvePoints = 500;

}  // namespace

AttackResult AttackResult::of(std::string name, std::string variant, const Scored& scored) {
  return {.name = std::move(name),
          .variant = std::move(variant),
          .roc = measure_roc(scored),
          .present = scored.present.size(),
          .absent = scored.absent.size(),
          .curve = thinned(roc_curve(scored), kCurvePoints)};
}

}  // namespace privet::audit
