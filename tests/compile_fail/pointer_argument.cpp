// expect: must not lead to something writable
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
  int leak = 0;
#ifdef FORBIDDEN
  (void)secret.map([](const int& value, int* out) { return *out = value; }, &leak);
#else
  (void)secret.map([](const int& value, int add) { return value + add; }, leak);
#endif
}
