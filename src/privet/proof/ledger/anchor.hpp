#pragma once

#include <cstdint>
#include <string>

namespace privet::privacy {

/// One entry of a ledger by its place and its hash. The hash covers everything up to that entry, so whoever
/// keeps an anchor outside the ledger (every certificate issued against a ledger carries one) can tell later
/// that no entry up to there was changed or cut off.
struct LedgerAnchor {
  std::uint64_t sequence = 0;
  std::string hash;  ///< 64 hexadecimal digits
  bool operator==(const LedgerAnchor&) const = default;
};

}  // namespace privet::privacy
