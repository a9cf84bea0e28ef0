#pragma once

#include <cstddef>
#include <functional>

namespace privet {

/// How many threads parallel work uses; at first, as many as the machine has cores.
std::size_t thread_count() noexcept;
void set_thread_count(std::size_t threads);

/// Runs `body(begin, end)` over [0, count) in pieces of `grain` items (the last may be shorter), on all
/// threads.
///
/// The pieces do not depend on the number of threads, so work that draws randomness or adds up per piece
/// gives the same bytes on one thread and on many. If bodies throw, the exception of the lowest piece is
/// rethrown after all running pieces have ended. Called from inside a body, it runs in place. Waiting threads
/// look out for some hundred microseconds, then sleep.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace privet
