#include "fuzz.hpp"
#include "privet/graph/io/plain_npz.hpp"

PRIVET_FUZZ_TARGET([](std::string_view bytes) {
  const std::string archive = privet::graph::testing::as_archive(bytes);
  return privet::graph::read_plain_npz(privet::graph::Source::memory("fuzz", archive));
})
