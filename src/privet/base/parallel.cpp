#include "privet/base/parallel.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "privet/base/error.hpp"

namespace privet {
namespace {

thread_local bool inside_region = false;

struct Region {
  std::size_t count = 0;
  std::size_t grain = 1;
  const std::function<void(std::size_t, std::size_t)>* body = nullptr;
  std::atomic<std::size_t> next_piece{0};
  std::atomic<bool> failed{false};
  std::mutex failure_mutex;
  std::size_t failed_piece = SIZE_MAX;
  std::exception_ptr failure;

  void work() {
    inside_region = true;
    const std::size_t pieces = (count + grain - 1) / grain;
    // Pieces are handed out in order, so when one fails every lower one has been started and will end: the
    // lowest failing piece is always among those that ran.
    while (!failed) {
      const std::size_t piece = next_piece++;
      if (piece >= pieces) break;
      try {
        (*body)(piece * grain, std::min(count, (piece + 1) * grain));
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        failed = true;
        if (piece < failed_piece) {
          failed_piece = piece;
          failure = std::current_exception();
        }
      }
    }
    inside_region = false;
  }
};

// A moment for the other threads of the core, and for its power.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Looks again and again, for at most as long as it takes to wake a sleeping thread where processors are
// shared; the parts of a training step that one thread does alone are no longer, so that a step keeps its
// workers. Only while there is a core for every thread: else the one that is waited for may be the one that
// does not run.
template <typename Condition>
void spin_until(bool core_for_everybody, const Condition& condition) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kMost(100);
  constexpr int kLooks = 64;  // between two looks at the clock
  const auto give_up = Clock::now() + (core_for_everybody ? kMost : kMost / 10);
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (condition()) return;
      relax();
    }
  } while (Clock::now() < give_up);
}

// Between regions workers look for the next one for a moment, then sleep on a condition variable. What a
// container may use of the cores, rather than which, is not asked.
class Pool {
 public:
  ~Pool() { resize(1); }

  std::size_t threads() const noexcept { return threads_; }

  void resize(std::size_t threads) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    workers_.clear();
    stopping_ = false;
    threads_ = threads;
    core_for_everybody_ = threads <= std::thread::hardware_concurrency();
    for (std::size_t i = 1; i < threads; ++i) {
      workers_.emplace_back([this, seen = generation_.load()] { serve(seen); });
    }
  }

  void run(Region& region) {
    const std::lock_guard one_region_at_a_time(region_mutex_);
    {
      const std::lock_guard lock(mutex_);
      region_ = &region;
      busy_ = workers_.size();
      ++generation_;
    }
    wake_.notify_all();
    region.work();
    spin_until(core_for_everybody_, [this] { return busy_ == 0; });
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    region_ = nullptr;
  }

 private:
  void serve(std::uint64_t seen) {
    for (;;) {
      Region* region = nullptr;
      spin_until(core_for_everybody_, [&] { return stopping_ || generation_ != seen; });
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
        if (stopping_) return;
        seen = generation_;
        region = region_;
      }
      region->work();
      {
        const std::lock_guard lock(mutex_);
        --busy_;
      }
      done_.notify_one();
    }
  }

  std::mutex region_mutex_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Region* region_ = nullptr;
  // Changed under the mutex; atomic for those who look without it.
  std::atomic<std::size_t> busy_{0};
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<bool> stopping_{false};
  std::size_t threads_ = 1;
  bool core_for_everybody_ = true;
  std::vector<std::jthread> workers_;
};

Pool& pool() {
  // OpenSSL keeps some state for every thread that draws, and frees it when the thread ends, unless it has
  // been taken down itself. What is set up first is taken down last.
  [[maybe_unused]] static const int openssl = OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr);
  static Pool instance;
  static std::once_flag started;
  std::call_once(started, [] { instance.resize(std::max(1u, std::thread::hardware_concurrency())); });
  return instance;
}

}  // namespace

std::size_t thread_count() noexcept { return pool().threads(); }

void set_thread_count(std::size_t threads) {
  if (threads < 1 || threads > 1024) {
    throw InvalidArgument({.what = "can't use " + std::to_string(threads) + " threads",
                           .where = "threads",
                           .expected = "1 to 1024"});
  }
  if (threads != pool().threads()) pool().resize(threads);
}

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  if (inside_region || count <= grain || pool().threads() == 1) {
    for (std::size_t begin = 0; begin < count; begin += grain) body(begin, std::min(count, begin + grain));
    return;
  }
  Region region;
  region.count = count;
  region.grain = grain;
  region.body = &body;
  pool().run(region);
  if (region.failure) std::rethrow_exception(region.failure);
}

}  // namespace privet
