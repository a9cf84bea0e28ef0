#include "fuzz.hpp"
#include "privet/graph/io/edge_list.hpp"

// The first byte chooses what is read beside the edges and how; the files follow one another.
PRIVET_FUZZ_TARGET([](std::string_view bytes) {
  using namespace privet::graph;
  const unsigned choice = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
  if (!bytes.empty()) bytes.remove_prefix(1);
  ReadOptions options;
  const Source edges = Source::memory("edges", testing::next_file(bytes));
  if ((choice & 1U) != 0) options.labels = Source::memory("labels", testing::next_file(bytes));
  if ((choice & 2U) != 0) options.features = Source::memory("features", testing::next_file(bytes));
  if ((choice & 4U) != 0) options.nodes = Source::memory("nodes", testing::next_file(bytes));
  if ((choice & 8U) != 0) options.ids = Ids::indices;
  if ((choice & 16U) != 0) options.direction = Direction::directed;
  if ((choice & 32U) != 0) options.node_count = 100;
  return read_edge_list(edges, options);
})
