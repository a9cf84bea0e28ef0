#include "fuzz.hpp"
#include "privet/graph/io/native.hpp"

PRIVET_FUZZ_TARGET([](std::string_view bytes) {
  return privet::graph::read_native(privet::graph::Source::memory("fuzz", bytes));
})
