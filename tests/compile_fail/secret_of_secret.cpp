// expect: a Secret within a Secret
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
#ifdef FORBIDDEN
  const Secret<Secret<int>> secret(Secret<int>(1));
#else
  const Secret<int> secret(1);
#endif
  (void)secret;
}
