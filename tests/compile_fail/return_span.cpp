// expect: returns a value, not a pointer or view
#include <span>
#include <vector>

#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<std::vector<int>> secret(std::vector<int>{1});
#ifdef FORBIDDEN
  (void)secret.map([](const std::vector<int>& values) { return std::span<const int>(values); });
#else
  (void)secret.map([](const std::vector<int>& values) { return values; });
#endif
}
