#include "privet/graph/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"

namespace privet::graph {
namespace {

OptionTable table_of(SbmOptions& o) {
  OptionTable table("sbm");
  table.add("nodes", o.nodes, "number of nodes", 2, 100'000'000);
  table.add("classes", o.classes, "number of classes, of equal size", 1, 10'000);
  table.add("mean_degree", o.mean_degree, "expected degree of a node", 0, 1e6);
  table.add("homophily", o.homophily, "expected share of edges inside classes", 0, 1);
  return table;
}

OptionTable table_of(CsbmOptions& o) {
  OptionTable table("csbm");
  table.add("nodes", o.nodes, "number of nodes", 2, 10'000'000);
  table.add("features", o.features, "number of features", 1, 100'000);
  table.add("mean_degree", o.mean_degree, "expected degree of a node", 0, 1e6);
  table.add("phi", o.phi, "place on the arc: 0 all features, 1 homophilic graph, -1 heterophilic graph", -1,
            1);
  table.add("arc", o.arc, "radius of the arc above the detection limit (epsilon of the paper)", 0, 1e3);
  return table;
}

OptionTable table_of(DcsbmOptions& o) {
  OptionTable table("dcsbm");
  table.add("like", o.like, "shaped like a graph of the Open Graph Benchmark; others change what it sets",
            {"none", "ogbn-arxiv", "ogbn-products", "ogbn-mag"});
  table.add("nodes", o.nodes, "number of nodes", 2, 100'000'000);
  table.add("classes", o.classes, "number of classes", 2, 10'000);
  table.add("imbalance", o.imbalance, "size of the largest class over the smallest", 1, 1e3);
  table.add("mean_degree", o.mean_degree, "expected meetings per node (a little above its degree)", 0, 1e6);
  table.add("homophily", o.homophily, "expected share of meetings inside classes", 0, 1);
  table.add("exponent", o.exponent, "tail exponent of the degrees", 2.01, 10);
  table.add("max_weight", o.max_weight, "largest node weight over the smallest", 1, 1e6);
  table.add("features", o.features, "number of words", 1, 1'000'000);
  table.add("mean_words", o.mean_words, "expected words of a node", 0, 1e4);
  table.add("signal", o.signal, "share of a node's words that come from its class's topic", 0, 1);
  table.add("topic_words", o.topic_words, "words in a class's topic", 1, 1'000'000);
  table.add("dense", o.dense, "Gaussian numbers around a centre of each class, signal apart, for words");
  table.add("train", o.train, "training nodes of the split 'public'; 0 is no split", 0, 100'000'000);
  table.add("validation", o.validation, "validation nodes of it; the rest are test nodes", 0, 100'000'000);
  return table;
}

OptionTable table_of(ChainsOptions& o) {
  OptionTable table("chains");
  table.add("classes", o.classes, "number of classes", 2, 1000);
  table.add("chains", o.chains, "chains per class", 1, 1'000'000);
  table.add("length", o.length, "nodes in a chain", 1, 1'000'000);
  table.add("features", o.features, "number of features, at least the classes", 2, 100'000);
  table.add("train", o.train, "training nodes", 0, 100'000'000);
  table.add("validation", o.validation, "validation nodes", 0, 100'000'000);
  table.add("test", o.test, "test nodes", 0, 100'000'000);
  return table;
}

// What stands before all other assignments.
template <typename Options>
Options start(const Options& defaults, std::span<const std::string>) {
  return defaults;
}
DcsbmOptions start(const DcsbmOptions& defaults, std::span<const std::string> assignments) {
  DcsbmOptions options = defaults;
  for (const std::string& assignment : assignments) {
    if (!assignment.starts_with("like=")) continue;
    table_of(options).set_assignment(assignment);
    options = dcsbm_like(options.like);
  }
  return options;
}

template <typename Options>
Generator generator(std::string name, std::string description, Dataset (*make)(const Options&, std::uint64_t),
                    Options defaults = {}) {
  return {.name = name,
          .description = std::move(description),
          .options =
              [defaults] {
                Options options = defaults;
                return table_of(options).options();
              },
          .make =
              [name, make, defaults](std::span<const std::string> assignments, std::uint64_t seed) {
                Options options = start(defaults, assignments);
                OptionTable table = table_of(options);
                for (const std::string& assignment : assignments) table.set_assignment(assignment);
                Dataset dataset = make(options, seed);
                dataset.name = name;
                return dataset;
              }};
}

// The four sizes of CARIBOU's table 5.
ChainsOptions chain(std::uint64_t chains, std::uint64_t length) {
  const std::uint64_t nodes = 2 * chains * length;
  return {.classes = 2,
          .chains = chains,
          .length = length,
          .features = 5,
          .train = nodes / 6,
          .validation = nodes / 6,
          .test = nodes - 2 * (nodes / 6)};
}

}  // namespace

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all = {
      generator<DcsbmOptions>(
          "dcsbm", "looks like a social network: power-law degrees, homophily, bags of words", make_dcsbm),
      generator<SbmOptions>("sbm", "stochastic block model, no features", make_sbm),
      generator<CsbmOptions>("csbm", "contextual block model on an arc between features and graph (DPDGC)",
                             make_csbm),
      generator<ChainsOptions>("chains", "the class stands at the head of a chain only (IGNN)", make_chains),
      generator<ChainsOptions>("chain-s", "chains, 48 nodes (CARIBOU)", make_chains, chain(3, 8)),
      generator<ChainsOptions>("chain-m", "chains, 60 nodes (CARIBOU)", make_chains, chain(3, 10)),
      generator<ChainsOptions>("chain-l", "chains, 90 nodes (CARIBOU)", make_chains, chain(3, 15)),
      generator<ChainsOptions>("chain-x", "chains, 150 nodes (CARIBOU)", make_chains, chain(5, 15)),
  };
  return all;
}

const Generator& find_generator(std::string_view name) {
  std::vector<std::string> names;
  for (const Generator& generator : generators()) {
    if (generator.name == name) return generator;
    names.push_back(generator.name);
  }
  throw InvalidArgument({.what = fmt::format("no generator '{}'", name),
                         .where = "data make",
                         .remedy = suggestion(name, names)});
}

}  // namespace privet::graph
