// expect: returns a value, not a pointer or view
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  (void)secret.map([](const int& value) { return &value; });
#else
  (void)secret.map([](const int& value) { return value; });
#endif
}
