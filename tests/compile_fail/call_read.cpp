// expect: invalid use of incomplete type
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  return *secret.read(Opening());
#else
  ReleaseLog log;
  return declassify(secret, "a number", "an example", log);
#endif
}
