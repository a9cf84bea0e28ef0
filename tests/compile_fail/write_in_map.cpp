// expect: assignment of read-only reference
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  (void)secret.map([](const int& value) { return value = 3; });
#else
  (void)secret.map([](const int& value) { return value + 3; });
#endif
}
