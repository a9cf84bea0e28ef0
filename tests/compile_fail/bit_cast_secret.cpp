// expect: no matching function for call to 'bit_cast
#include <array>
#include <bit>

#include "privet/core/secret.hpp"

using namespace privet::privacy;

int main() {
  const Secret<int> secret(1);
#ifdef FORBIDDEN
  const auto bytes = std::bit_cast<std::array<char, sizeof secret>>(secret);
#else
  const auto bytes = std::bit_cast<std::array<char, sizeof(int)>>(1);
#endif
  return bytes[0];
}
