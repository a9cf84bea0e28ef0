// expect: a computation on a Secret returns its result
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  (void)secret.map([](const int&) {});
#else
  (void)secret.map([](const int& value) { return value; });
#endif
}
