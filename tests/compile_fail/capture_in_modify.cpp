// expect: a computation on a Secret has no captures
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  Secret<int> secret(1);
  int leak = 0;
#ifdef FORBIDDEN
  secret.modify([&](int& value) { leak = value; });
#else
  secret.modify([](int& value, int public_number) { value += public_number; }, leak);
#endif
  return leak;
}
