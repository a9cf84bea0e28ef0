#include "privet/graph/io/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/graph/io/fields.hpp"

namespace privet::graph {
namespace {

// The offsets of 2^20 nodes are 8 MiB: harmless. Public graphs have a mean degree far above 1/32.
constexpr std::uint64_t kFreeNodes = std::uint64_t{1} << 20;
constexpr std::uint64_t kNodesPerEdge = 64;
constexpr std::uint64_t kFreeClasses = std::uint64_t{1} << 16;

}  // namespace

void expect_plausible_nodes(std::uint64_t nodes, std::size_t edges, std::size_t rows,
                            const std::string& where) {
  if (nodes == 0) throw DataError({.what = "the graph has no nodes", .where = where});
  if (nodes > kMaxNodes) {
    throw DataError({.what = fmt::format("{} nodes", nodes),
                     .where = where,
                     .expected = fmt::format("at most {}", kMaxNodes)});
  }
  const std::uint64_t most = std::max<std::uint64_t>(kFreeNodes + kNodesPerEdge * edges, rows);
  if (nodes > most) {
    throw DataError({.what = fmt::format("{} nodes for {}", nodes, counted(edges, "edge")),
                     .where = where,
                     .expected = fmt::format("at most {}", most),
                     .remedy =
                         "if the ids are names and not indices, read them as names; if there are so many "
                         "isolated nodes, list them in a nodes file"});
  }
}

void expect_plausible_classes(std::uint64_t classes, std::size_t nodes, const std::string& where) {
  const std::uint64_t most = std::max<std::uint64_t>(kFreeClasses, nodes);
  if (classes > most) {
    throw DataError({.what = fmt::format("{} classes for {} nodes", classes, nodes),
                     .where = where,
                     .expected = fmt::format("at most {}", most)});
  }
}

}  // namespace privet::graph
