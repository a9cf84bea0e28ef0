#include "privet/methods/released/top_entries_sampler.hpp"

#include <algorithm>
#include <memory>

#include "privet/base/parallel.hpp"
#include "privet/core/secret.hpp"

namespace privet::methods {
namespace {

constexpr std::size_t kNodes = 64;
constexpr std::size_t kEntries = kNodes * (kNodes - 1) / 2;  // above the diagonal

graph::Graph world(bool has_edges, graph::Direction direction) {
  graph::EdgeList edges;
  for (graph::NodeId i = 0; has_edges && i < kNodes; ++i) {
    for (graph::NodeId j = i + 1; j < kNodes; ++j) edges.add(i, j);
  }
  return {kNodes, edges, direction};
}

// Of the entries above the diagonal, row by row; `draws` may be fewer.
void mark_told(const privacy::BitRows& told, std::span<double> draws) {
  std::size_t at = 0;
  for (graph::NodeId i = 0; i < kNodes; ++i) {
    const std::span<const graph::NodeId> columns =
        std::span(told.columns).subspan(told.offsets[i], told.offsets[i + 1] - told.offsets[i]);
    for (graph::NodeId j = i + 1; j < kNodes && at < draws.size(); ++j, ++at)
      draws[at] = std::ranges::binary_search(columns, j) ? 1 : 0;
  }
}

}  // namespace

AuditSampler top_entries_sampler(const privacy::TopEntries& entries) {
  const graph::Direction direction =
      entries.unit().changes_pairs() ? graph::Direction::undirected : graph::Direction::directed;
  return {.what = "noisy entries of the matrix, with and without an edge there",
          .draw = [entries, direction](bool second, std::span<double> draws, RandomStream& noise) {
            const privacy::Secret<graph::Graph> graph(world(!second, direction));
            const std::unique_ptr<RandomStream> own = noise.fork("entries", noise.bits());
            parallel_for(draws.size(), kEntries, [&](std::size_t begin, std::size_t end) {
              const std::unique_ptr<RandomStream> stream = own->fork("release", begin);
              privacy::ReleaseLog log;
              mark_told(entries.release(graph, kNodes, kNodes * kNodes, "audit", log, *stream),
                        draws.subspan(begin, end - begin));
            });
          }};
}

}  // namespace privet::methods
