// expect: must not lead to something writable
#include <functional>

#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  int leak = 0;
  const std::function<int(int)> keep = [&](int value) { return leak = value; };
  (void)secret.map([](const int& value, const std::function<int(int)>& f) { return f(value); }, keep);
#else
  const auto add_one = [](int value) { return value + 1; };
  (void)secret.map([](const int& value, const auto& f) { return f(value); }, add_one);
#endif
}
