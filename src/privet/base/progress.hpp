#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace privet {

/// Whether progress bars are drawn. Off at first: the library never prints. The program turns it on when
/// stderr is a terminal.
void show_progress(bool shown) noexcept;

/// One bar on stderr for one piece of long work; the line is erased when the work ends.
///
///     Progress progress("training", epochs);
///     for (...) { ...; progress.advance(); }
///
/// Redrawn at most ten times a second; `advance` may be called from any thread.
class Progress {
 public:
  Progress(std::string label, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::uint64_t steps = 1);
  /// A short remark behind the bar, such as the current loss.
  void note(std::string text);

 private:
  using Clock = std::chrono::steady_clock;
  void draw();

  std::string label_;
  std::uint64_t total_;
  bool shown_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<Clock::rep> next_draw_{0};
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::string note_;
  bool drawn_ = false;
};

/// "1:05" or "2:03:20": a duration as people read it.
std::string clock_text(double seconds);

}  // namespace privet
