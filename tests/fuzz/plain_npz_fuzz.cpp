#include "fuzz.hpp"
#include "privet/graph/io/plain_npz.hpp"

PRIVET_FUZZ_TARGET([](std::span<const char> bytes) {
  return privet::graph::read_plain_npz(privet::graph::Source::memory("fuzz", bytes));
})
