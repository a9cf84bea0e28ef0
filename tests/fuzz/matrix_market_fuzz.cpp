#include "fuzz.hpp"
#include "privet/graph/io/matrix_market.hpp"

PRIVET_FUZZ_TARGET([](std::string_view bytes) {
  return privet::graph::read_matrix_market(privet::graph::Source::memory("fuzz", bytes));
})
