#pragma once

#include "privet/audit/attacks/target.hpp"
#include "privet/graph/generate.hpp"
#include "privet/graph/split.hpp"
#include "privet/run/runner.hpp"

namespace privet::audit {

/// What the tests of attacks share: a graph in which neighbours are alike, and a trained model on it.

inline graph::Dataset alike_neighbors(std::uint64_t nodes = 400, double signal = 0.4) {
  return graph::make_dcsbm({.nodes = nodes,
                            .classes = 4,
                            .mean_degree = 5,
                            .homophily = 0.9,
                            .features = 100,
                            .mean_words = 12,
                            .signal = signal,
                            .topic_words = 25},
                           11);
}

inline methods::Request open_request(const graph::Dataset& dataset) {
  return {.unit = privacy::Unit::none(), .delta = methods::strict_delta(dataset.nodes())};
}

inline graph::Split half_split(const graph::Dataset& dataset) {
  SeededStream stream(2);
  return graph::make_split(dataset, "50/10/40", stream);
}

}  // namespace privet::audit
