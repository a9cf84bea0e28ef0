#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/accounting/event.hpp"

namespace privet::privacy {

/// One thing that left the private data, as the certificate prints it.
struct Release {
  std::string what;       ///< "sum of neighbours' rows, hop 1"
  std::string unit;       ///< the unit of protection that the sensitivity and the event are for: "edge"
  std::string mechanism;  ///< "gaussian", "laplace", "randomized-response", ...
  double sensitivity = 0;
  std::string norm;         ///< "L2", "L1", "count"; empty where the mechanism has none
  double noise_stddev = 0;  ///< of one coordinate, in the units of the value
  std::uint64_t times = 1;  ///< how often the mechanism ran
  std::string sampling;     ///< "none", or how the examples were drawn
  std::string reference;    ///< the result in the literature, or the page of docs/privacy/, that it rests on
  bool replayable = true;   ///< whether somebody who knows a seed can draw the noise again
  Event event;              ///< what all `times` cost together
};

/// A look at private data without noise, with the reason given for it.
struct UnaccountedUse {
  std::string what;
  std::string reason;
};

/// Everything that has left the private data in one run, in order. Mechanisms write it; accountants and
/// certificates read it.
class ReleaseLog {
 public:
  /// A mechanism that runs again in the same words, with the same noise and event, is counted in `times` of
  /// the entry before it: ten thousand steps are one line of a certificate.
  void add(Release release);
  void add(UnaccountedUse use) { unaccounted_.push_back(std::move(use)); }

  [[nodiscard]] const std::vector<Release>& releases() const noexcept { return releases_; }
  [[nodiscard]] const std::vector<UnaccountedUse>& unaccounted() const noexcept { return unaccounted_; }
  /// The cost of all releases together.
  [[nodiscard]] Event total() const;

 private:
  std::vector<Release> releases_;
  std::vector<UnaccountedUse> unaccounted_;
};

}  // namespace privet::privacy
