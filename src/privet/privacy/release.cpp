#include "privet/privacy/release.hpp"

namespace privet::privacy {

Event ReleaseLog::total() const {
  std::vector<Event> parts;
  parts.reserve(releases_.size());
  for (const Release& release : releases_) parts.push_back(release.event);
  return composed(std::move(parts));
}

}  // namespace privet::privacy
