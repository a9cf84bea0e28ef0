// expect: could not convert
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<bool> secret(true);
#ifdef FORBIDDEN
  return secret ? 1 : 0;
#else
  (void)secret.map([](const bool& yes) { return yes ? 1 : 0; });
#endif
}
