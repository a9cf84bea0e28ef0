#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace privet {

/// Moments as certificates and ledgers write them: UTC to the second, "2025-03-01T12:00:00Z". The library
/// never reads the clock by itself; whoever issues a certificate or spends from a ledger says when that was.
std::string utc_timestamp(std::chrono::sys_seconds moment);

/// Whether the text is a moment that exists, in exactly that form.
bool is_utc_timestamp(std::string_view text) noexcept;

}  // namespace privet
