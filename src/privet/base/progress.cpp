#include "privet/base/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace privet {
namespace {

std::atomic<bool> bars_shown{false};
constexpr std::size_t kBarWidth = 24;

}  // namespace

void show_progress(bool shown) noexcept { bars_shown = shown; }

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::lround(std::max(0.0, seconds)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

Progress::Progress(std::string label, std::uint64_t total)
    : label_(std::move(label)), total_(total), shown_(bars_shown) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::advance(std::uint64_t steps) {
  done_ += steps;
  if (!shown_) return;
  const Clock::rep now = Clock::now().time_since_epoch().count();
  Clock::rep due = next_draw_;
  const Clock::rep pause =
      std::chrono::duration_cast<Clock::duration>(std::chrono::milliseconds(100)).count();
  if (now >= due && next_draw_.compare_exchange_strong(due, now + pause)) draw();
}

void Progress::note(std::string text) {
  const std::lock_guard lock(mutex_);
  note_ = std::move(text);
}

void Progress::draw() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t done = std::min<std::uint64_t>(done_, total_);
  const double share = total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : 0.0;
  const auto filled = static_cast<std::size_t>(share * kBarWidth);
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string left = share > 0 ? clock_text(seconds / share - seconds) : "?";
  const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
  fmt::print(stderr, "\r\x1b[K{} [{}] {:3.0f}% {} left {}", label_, bar, 100 * share, left, note_);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace privet
