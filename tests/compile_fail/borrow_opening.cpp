// expect: is private within this context
#include "privet/core/mechanisms/clipped_sum.hpp"
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  return *secret.read(ClippedSum::opening());
#else
  ReleaseLog log;
  return declassify(secret, "a number", "an example", log);
#endif
}
