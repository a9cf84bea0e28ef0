// expect: a computation on a Secret has no captures
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
  int leak = 0;
#ifdef FORBIDDEN
  (void)secret.map([&](const int& value) { return leak = value; });
#else
  (void)secret.map([](const int& value, int public_number) { return value + public_number; }, leak);
#endif
  return leak;
}
