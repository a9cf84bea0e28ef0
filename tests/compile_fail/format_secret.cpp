// expect: formatter
#include <fmt/format.h>

#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  return static_cast<int>(fmt::format("{}", secret).size());
#else
  ReleaseLog log;
  return static_cast<int>(fmt::format("{}", declassify(secret, "a number", "an example", log)).size());
#endif
}
