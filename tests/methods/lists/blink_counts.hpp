#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "local_cases.hpp"
#include "privet/graph/io/open.hpp"
#include "privet/methods/lists/blink.hpp"
#include "support/data.hpp"

namespace privet::methods::testing {

struct Counts {
  double kept = 0;
  double right = 0;
};

/// Entries (both directions) of Blink's hard graph, and how many of them are true: both ends asked, a tenth
/// of epsilon for the degrees.
inline Counts blink_counts(const graph::Graph& graph, double epsilon, std::uint64_t seed) {
  const privacy::LocalQuestion question(
      {.nodes = graph.nodes(),
       .bits_epsilon = 0.9 * epsilon,
       .degrees_epsilon = 0.1 * epsilon,
       .asked = privacy::PairReports::both_ends,
       .clusters = 1,
       .memberships = std::vector<std::uint32_t>(graph.nodes(), privacy::kMembershipSteps)});
  const graph::Graph hard = blink_links(question, reports_for(graph, question, seed)).hard();
  Counts counts{.kept = static_cast<double>(hard.stored_entries())};
  for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
    for (const graph::NodeId j : hard.neighbors(i)) counts.right += graph.has_entry(i, j) ? 1 : 0;
  }
  return counts;
}

struct PublishedCounts {
  double epsilon;
  Counts counts;
};

/// One draw against published means: how many kept entries are wrong and how many true ones are missing, each
/// a sum of rare pairs of entries. Five standard deviations of such a count, doubled variance for the pairs:
/// a false alarm in 1e6 for each.
inline void expect_counts(const graph::Graph& graph, const std::vector<PublishedCounts>& all) {
  for (const PublishedCounts& published : all) {
    const Counts drawn = blink_counts(graph, published.epsilon, 1);
    const auto truth = static_cast<double>(graph.stored_entries());
    const double wrong = published.counts.kept - published.counts.right;
    const double missing = truth - published.counts.right;
    EXPECT_NEAR(drawn.kept - drawn.right, wrong, 5 * std::sqrt(2 * wrong) + 2) << published.epsilon;
    const double spread = std::min(missing, published.counts.right);
    EXPECT_NEAR(truth - drawn.right, missing, 5 * std::sqrt(2 * spread) + 2) << published.epsilon;
  }
}

}  // namespace privet::methods::testing
