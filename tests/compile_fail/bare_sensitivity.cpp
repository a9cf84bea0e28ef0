// expect: cannot convert
#include "privet/core/mechanisms/gaussian.hpp"

using namespace privet::privacy;

int main() {
#ifdef FORBIDDEN
  const auto mechanism = GaussianMechanism::with_multiplier(1.0, 4.0);
#else
  const auto mechanism = GaussianMechanism::with_multiplier(degrees_sensitivity(Unit::edge()), 4.0);
#endif
  return mechanism.grid() > 0 ? 0 : 1;
}
