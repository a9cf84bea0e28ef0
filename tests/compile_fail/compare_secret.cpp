// expect: no match for 'operator=='
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
  const Secret<int> other(2);
#ifdef FORBIDDEN
  return secret == other ? 1 : 0;
#else
  const Secret<bool> same = secret.map([](const int& a, const int& b) { return a == b; }, other);
  (void)same;
#endif
}
