// expect: cannot convert
#include "privet/core/mechanisms/gaussian.hpp"

using namespace privet::privacy;

int main() {
  const Sensitivity sensitivity = degrees_sensitivity(Unit::edge());
#ifdef FORBIDDEN
  const auto mechanism = GaussianMechanism::with_stddev(sensitivity, Epsilon(1));
#else
  const auto mechanism = GaussianMechanism::with_stddev(sensitivity, NoiseStddev(1));
#endif
  return mechanism.grid() > 0 ? 0 : 1;
}
