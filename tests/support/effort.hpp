#pragma once

namespace privet::testing {

/// Long tests divide their number of runs by this. Under a sanitizer code is up to twenty times slower, and
/// what is looked for there is wrong memory and races, which a tenth of the runs shows as well; the release
/// build does them all.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kFewerRuns = 10;
#else
inline constexpr int kFewerRuns = 1;
#endif

}  // namespace privet::testing
