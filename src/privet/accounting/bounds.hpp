#pragma once

namespace privet::privacy {

/// A number known to lie between two others. `upper` is the one that may be claimed; `lower` shows how much
/// of it is numerical slack, for the same worst-case pair of distributions. `upper` may be infinite where
/// nothing is provable; neither is ever not-a-number.
struct Bounds {
  double lower = 0;
  double upper = 0;
};

}  // namespace privet::privacy
