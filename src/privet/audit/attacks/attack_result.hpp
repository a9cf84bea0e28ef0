#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "privet/audit/attacks/roc.hpp"

namespace privet::audit {

/// A descriptive attack: a number for the reader, from which no bound on epsilon follows, in either
/// direction.
struct AttackResult {
  std::string name = {};     ///< "linkteller", "lpa", "gmia", "lira"
  std::string variant = {};  ///< which of its scores
  std::string target = {};   ///< the method attacked: the one audited, or a reference beside it
  std::string about = {};    ///< whom it was asked about: "balanced pairs", "nodes"
  /// Nothing where the attack can't say anything; `note` has the reason.
  std::optional<Roc> roc = {};
  std::uint64_t present = 0;  ///< edges or members asked about
  std::uint64_t absent = 0;
  std::string note = {};
  double seconds = 0;
  std::vector<RocPoint> curve = {};  ///< thinned

  /// Measures what `scored` shows.
  static AttackResult of(std::string name, std::string variant, const Scored& scored);
};

}  // namespace privet::audit
