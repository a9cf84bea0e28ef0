// expect: use of deleted function
#include <utility>

#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  Secret<int> secret(1);
#ifdef FORBIDDEN
  Secret<int> other = secret;
#else
  Secret<int> other = std::move(secret);
#endif
  (void)other;
}
