// expect: a computation that changes a Secret returns nothing
#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  Secret<int> secret(1);
#ifdef FORBIDDEN
  secret.modify([](int& value) { return value; });
#else
  secret.modify([](int& value) { value = 2; });
#endif
}
