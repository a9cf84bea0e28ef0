// expect: no matching function for call to
#include <vector>

#include "privet/core/mechanisms/gaussian.hpp"

using namespace privet::privacy;

int main() {
  const auto mechanism = GaussianMechanism::with_multiplier(degrees_sensitivity(Unit::edge()), 4.0);
  privet::SeededStream stream(1);
  ReleaseLog log;
  const std::vector<double> values = {1.0};
#ifdef FORBIDDEN
  return mechanism.release(values, 1, "degrees", log, stream).empty() ? 1 : 0;
#else
  return mechanism.release(Secret<std::vector<double>>(values), 1, "degrees", log, stream).empty() ? 1 : 0;
#endif
}
