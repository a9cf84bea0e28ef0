#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/graph/chain_splits.hpp"
#include "privet/graph/generate.hpp"
#include "privet/graph/split.hpp"

namespace privet::graph {

Dataset make_chains(const ChainsOptions& o, std::uint64_t seed) {
  const std::uint64_t nodes = o.classes * o.chains * o.length;
  if (o.features < o.classes) {
    throw InvalidArgument({.what = fmt::format("{} features for {} classes", o.features, o.classes),
                           .where = "chains",
                           .expected = "at least as many features as classes"});
  }
  if (nodes > kMaxNodes || o.train + o.validation + o.test > nodes) {
    throw InvalidArgument({.what = fmt::format("train, validation and test ask for {} of {} nodes",
                                               o.train + o.validation + o.test, nodes),
                           .where = "chains"});
  }
  Dataset dataset;
  dataset.name = "chains";
  dataset.classes = o.classes;
  dataset.labels.resize(nodes);
  EdgeList forward;
  EdgeList both;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    const std::uint64_t label = i / (o.chains * o.length);
    dataset.labels[i] = static_cast<std::int32_t>(label);
    if (i % o.length == 0) columns.push_back(static_cast<std::uint32_t>(label));
    offsets.push_back(columns.size());
    if ((i + 1) % o.length != 0) {
      forward.add(static_cast<NodeId>(i), static_cast<NodeId>(i + 1));
      both.add(static_cast<NodeId>(i), static_cast<NodeId>(i + 1));
    }
  }
  dataset.features = tensor::SparseMatrix(nodes, o.features, std::move(offsets), std::move(columns), {});
  dataset.graph = Graph(nodes, std::move(both), Direction::undirected);
  dataset.directed_graph = Graph(nodes, std::move(forward), Direction::directed);

  std::vector<NodeId> order(nodes);
  std::iota(order.begin(), order.end(), NodeId{0});
  shuffle(order, *SeededStream(seed).fork("split", 0));
  Split split{.name = "public", .roles = std::vector<Role>(nodes, Role::none)};
  for (std::uint64_t i = 0; i < o.train + o.validation + o.test; ++i) {
    split.roles[order[i]] = i < o.train                  ? Role::train
                            : i < o.train + o.validation ? Role::validation
                                                         : Role::test;
  }
  dataset.splits.push_back(std::move(split));
  if (std::optional<Split> published = published_chain_split(o.chains, o.length); published && o.classes == 2)
    dataset.splits.push_back(std::move(*published));
  return dataset;
}

}  // namespace privet::graph
