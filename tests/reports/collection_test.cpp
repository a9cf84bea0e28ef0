#include "privet/reports/collection.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/accounting/accountant.hpp"
#include "privet/base/parallel.hpp"
#include "privet/core/release_check.hpp"
#include "privet/reports/report.hpp"

namespace privet::privacy {
namespace {

using graph::NodeId;

constexpr NodeId kNodes = 300;

graph::Graph ring() {
  graph::EdgeList edges;
  for (NodeId i = 0; i < kNodes; ++i) {
    edges.add(i, (i + 1) % kNodes);
    edges.add(i, (i + 7) % kNodes);
  }
  return {kNodes, std::move(edges), graph::Direction::undirected};
}

LocalQuestion question(PairReports asked) {
  std::vector<std::int32_t> labels(kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) labels[i] = static_cast<std::int32_t>(i % 3);
  return LocalQuestion({.nodes = kNodes,
                        .bits_epsilon = 3,
                        .degrees_epsilon = 1,
                        .asked = asked,
                        .pair_key = 1,
                        .clusters = 3,
                        .memberships = hard_memberships(labels, 3)});
}

TEST(LocalCollection, LogsWhatOneClientCosts) {
  for (const PairReports asked : {PairReports::both_ends, PairReports::one_end}) {
    ReleaseLog log;
    SeededStream stream(1);
    const LocalQuestion asking = question(asked);
    EXPECT_EQ(collect(Secret<graph::Graph>(ring()), asking, log, stream).size(), kNodes);
    ASSERT_EQ(log.releases().size(), 2U);
    for (const Release& release : log.releases()) {
      EXPECT_EQ(release.unit, "local-edge");
      EXPECT_TRUE(release_faults(release).empty()) << release_faults(release).front();
    }
    EXPECT_EQ(log.total(), collection_event(asking));
    const double epsilon = privacy::epsilon(log.total(), Delta(0)).upper;
    EXPECT_LE(epsilon, 4);
    EXPECT_GT(epsilon, 3.999);
  }
}

// Bits and degrees of all clients, within five standard deviations (a false alarm in 2e6 for each line).
TEST(LocalCollection, TellsTheGraphWithNoise) {
  for (const PairReports asked : {PairReports::both_ends, PairReports::one_end}) {
    ReleaseLog log;
    SeededStream stream(2);
    const LocalQuestion asking = question(asked);
    const graph::Graph graph = ring();
    const LocalMessages messages = collect(Secret<graph::Graph>(ring()), asking, log, stream);
    double truths = 0;
    double kept = 0;
    double zeros = 0;
    double made = 0;
    double degrees = 0;
    for (NodeId i = 0; i < kNodes; ++i) {
      const LocalReport report = decode(messages[i], asking.query(), asking.query_digest());
      EXPECT_EQ(report.own, i);
      for (const std::int64_t one : report.degrees) degrees += static_cast<double>(one) / kMembershipSteps;
      for (NodeId j = 0; j < kNodes; ++j) {
        if (!asks(asking.query(), i, j)) continue;
        const bool told = std::ranges::binary_search(report.ones, j);
        (graph.has_entry(i, j) ? truths : zeros) += 1;
        (graph.has_entry(i, j) ? kept : made) += told ? 1 : 0;
      }
    }
    EXPECT_EQ(truths, asked == PairReports::both_ends ? 1200 : 600);
    const double flip = asking.flip_probability();
    EXPECT_NEAR(kept, truths * (1 - flip), 5 * std::sqrt(truths * flip * (1 - flip)));
    EXPECT_NEAR(made, zeros * flip, 5 * std::sqrt(zeros * flip * (1 - flip)));
    EXPECT_NEAR(degrees, truths, 5 * std::sqrt(2 * 3 * kNodes));
  }
}

TEST(LocalCollection, DoesNotDependOnThreads) {
  const auto run = [](std::size_t threads) {
    set_thread_count(threads);
    ReleaseLog log;
    SeededStream stream(3);
    return collect(Secret<graph::Graph>(ring()), question(PairReports::one_end), log, stream);
  };
  const std::size_t before = thread_count();
  const LocalMessages one = run(1);
  const LocalMessages two = run(2);
  set_thread_count(before);
  EXPECT_EQ(one, two);
}

TEST(LocalCollection, AGraphOfAnotherSizeHasNoEdges) {
  const auto run = [](graph::Graph graph) {
    ReleaseLog log;
    SeededStream stream(4);
    return collect(Secret<graph::Graph>(std::move(graph)), question(PairReports::one_end), log, stream);
  };
  EXPECT_EQ(run(graph::Graph(5, {}, graph::Direction::undirected)),
            run(graph::Graph(kNodes, {}, graph::Direction::undirected)));
  EXPECT_NE(run(ring()), run(graph::Graph(kNodes, {}, graph::Direction::undirected)));
}

}  // namespace
}  // namespace privet::privacy
