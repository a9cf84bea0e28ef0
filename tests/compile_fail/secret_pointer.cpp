// expect: a Secret holds a value
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  int value = 1;
#ifdef FORBIDDEN
  const Secret<int*> secret(&value);
#else
  const Secret<int> secret(value);
#endif
  (void)secret;
}
