// expect: cannot convert
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  const int value = secret;
  return value;
#else
  ReleaseLog log;
  return declassify(secret, "a number", "an example", log);
#endif
}
