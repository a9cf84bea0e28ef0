#pragma once

#include <string_view>

namespace privet::privacy {

/// `strict` is sound: corrected sensitivities, public bounds only, samplers that match the accountant.
/// `paper` follows the text of a paper, also where its guarantee does not hold.
enum class Rigor { kStrict, kPaper };

constexpr std::string_view name(Rigor rigor) noexcept { return rigor == Rigor::kStrict ? "strict" : "paper"; }

}  // namespace privet::privacy
