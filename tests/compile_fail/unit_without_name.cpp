// expect: no matching function for call to 'privet::privacy::Unit::Unit()'
#include "privet/core/unit.hpp"

using namespace privet::privacy;

int main() {
#ifdef FORBIDDEN
  const Unit unit;
#else
  const Unit unit = Unit::edge();
#endif
  return unit.protects_features() ? 1 : 0;
}
