#include "fuzz.hpp"
#include "privet/graph/io/ogb.hpp"

PRIVET_FUZZ_TARGET([](std::string_view bytes) {
  using namespace privet::graph;
  const auto next = [&](const char* name) { return Source::memory(name, testing::next_file(bytes)); };
  const Source edges = next("edge");
  const Source node_count = next("num-node-list");
  const Source labels = next("node-label");
  const Source features = next("node-feat");
  const Source train = next("train");
  const Source validation = next("valid");
  const Source test = next("test");
  OgbFiles files{.name = "fuzz",
                 .edges = edges,
                 .node_count = node_count,
                 .edge_count = {},
                 .features = {},
                 .labels = {},
                 .splits = {}};
  if (!labels.bytes().empty()) files.labels = labels;
  if (!features.bytes().empty()) files.features = features;
  if (!train.bytes().empty()) files.splits.push_back({"time", train, validation, test});
  return read_ogb_files(files);
})
