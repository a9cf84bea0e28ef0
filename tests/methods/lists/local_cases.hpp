#pragma once

#include <cmath>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/graph/generate.hpp"
#include "privet/learn/collector.hpp"
#include "privet/reports/collection.hpp"

/// A graph with clusters, a query about them and the reports of all clients.
namespace privet::methods::testing {

inline graph::Dataset clustered_graph(std::size_t nodes, std::uint64_t seed = 3) {
  graph::DcsbmOptions options;
  options.nodes = nodes;
  options.features = 8;
  return graph::make_dcsbm(options, seed);
}

/// Soft: each node mostly in its own class, the rest of it spread over the others.
inline std::vector<std::uint32_t> memberships_for(const graph::Dataset& data, bool soft) {
  if (!soft) return privacy::hard_memberships(data.labels, data.classes);
  SeededStream stream(8);
  tensor::Matrix rows(data.nodes(), data.classes);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (float& one : rows.row(i)) one = static_cast<float>(stream.uniform());
    rows(i, static_cast<std::size_t>(data.labels[i])) += static_cast<float>(data.classes);
  }
  return privacy::memberships_of(rows);
}

inline privacy::LocalQuery query_for(const graph::Dataset& data, bool soft, privacy::PairReports asked,
                                     double bits, double degrees) {
  return {.nodes = data.nodes(),
          .bits_epsilon = bits,
          .degrees_epsilon = degrees,
          .asked = asked,
          .pair_key = 5,
          .clusters = data.classes,
          .memberships = memberships_for(data, soft)};
}

inline Reports reports_for(const graph::Graph& graph, const privacy::LocalQuestion& question,
                           std::uint64_t seed) {
  privacy::ReleaseLog log;
  SeededStream stream(seed);
  return reports_of(question.query(), question.query_digest(),
                    privacy::collect(privacy::Secret<graph::Graph>(graph), question, log, stream));
}

/// C^T A C.
inline std::vector<double> true_connections(const graph::Graph& graph, const privacy::LocalQuery& query) {
  const std::size_t c = query.clusters;
  std::vector<double> sums(c * c);
  const auto unit = static_cast<double>(privacy::kMembershipSteps);
  for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
    for (const graph::NodeId j : graph.neighbors(i)) {
      for (std::size_t a = 0; a < c; ++a) {
        for (std::size_t b = 0; b < c; ++b)
          sums[a * c + b] += query.memberships_of(i)[a] / unit * query.memberships_of(j)[b] / unit;
      }
    }
  }
  return sums;
}

}  // namespace privet::methods::testing
