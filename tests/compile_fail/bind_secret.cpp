// expect: cannot decompose
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  const auto& [value, failure] = secret;
  return *value;
#else
  (void)secret;
#endif
}
