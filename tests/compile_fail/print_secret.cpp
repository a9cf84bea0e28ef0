// expect: no match for 'operator<<'
#include <iostream>

#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  std::cout << secret;
#else
  ReleaseLog log;
  std::cout << declassify(secret, "a number", "an example", log);
#endif
}
