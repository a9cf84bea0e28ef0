// expect: must not lead to something writable
#include <span>
#include <vector>

#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
  std::vector<int> values(1);
#ifdef FORBIDDEN
  (void)secret.map([](const int& value, const std::span<int>& out) { return out[0] = value; },
                   std::span<int>(values));
#else
  (void)secret.map([](const int& value, const std::span<const int>& in) { return in[0] + value; },
                   std::span<const int>(values));
#endif
}
