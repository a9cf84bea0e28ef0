#include "fuzz.hpp"
#include "privet/graph/io/native.hpp"

PRIVET_FUZZ_TARGET([](std::string_view bytes) {
  const std::string archive = privet::graph::testing::as_archive(bytes);
  return privet::graph::read_native(privet::graph::Source::memory("fuzz", archive));
})
