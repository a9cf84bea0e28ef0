// expect: is private within this context
#ifdef FORBIDDEN
#include "privet/core/opening.hpp"
#endif
#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
  ReleaseLog log;
#ifndef FORBIDDEN
  return declassify(secret, "a number", "an example", log);
#else
  return *secret.read(OpeningBy<GaussianMechanism>::key());
#endif
}
