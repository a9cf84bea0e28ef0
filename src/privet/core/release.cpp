#include "privet/core/release.hpp"

#include <utility>

namespace privet::privacy {

void ReleaseLog::add(Release release) {
  if (!releases_.empty() && release.times == 1) {
    Release& last = releases_.back();
    const bool same = last.what == release.what && last.unit == release.unit &&
                      last.replayable == release.replayable && last.mechanism == release.mechanism &&
                      last.sensitivity == release.sensitivity && last.norm == release.norm &&
                      last.noise_stddev == release.noise_stddev && last.sampling == release.sampling &&
                      last.reference == release.reference &&
                      last.event == repeated(release.event, last.times);
    if (same) {
      ++last.times;
      last.event = repeated(std::move(release.event), last.times);
      return;
    }
  }
  releases_.push_back(std::move(release));
}

Event ReleaseLog::total() const {
  std::vector<Event> parts;
  parts.reserve(releases_.size());
  for (const Release& release : releases_) parts.push_back(release.event);
  return composed(std::move(parts));
}

}  // namespace privet::privacy
