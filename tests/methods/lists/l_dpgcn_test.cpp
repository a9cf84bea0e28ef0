#include "privet/methods/lists/l_dpgcn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/method_cases.hpp"
#include "methods/lists/local_cases.hpp"

namespace privet::methods::testing {
namespace {

struct Kept {
  double all = 0;
  double right = 0;
};

Kept kept_of(const graph::Graph& kept, const graph::Graph& truth) {
  Kept counts;
  for (graph::NodeId i = 0; i < kept.nodes(); ++i) {
    for (const graph::NodeId j : kept.neighbors(i)) {
      if (j <= i) continue;
      counts.all += 1;
      counts.right += truth.has_entry(i, j) ? 1 : 0;
    }
  }
  return counts;
}

double laplace(double scale, RandomStream& stream) {
  const double size = -scale * std::log(stream.uniform_positive());
  return stream.uniform() < 0.5 ? -size : size;
}

// As it is published: noise on every entry, entry by entry.
Kept with_noise_everywhere(const graph::Graph& truth, double epsilon, RandomStream& stream) {
  std::vector<std::pair<double, bool>> sums;
  double total = 0;
  for (graph::NodeId i = 0; i < truth.nodes(); ++i) {
    for (graph::NodeId j = i + 1; j < truth.nodes(); ++j) {
      const bool joined = truth.has_entry(i, j);
      const double sum = (joined ? 2 : 0) + laplace(1 / epsilon, stream) + laplace(1 / epsilon, stream);
      sums.emplace_back(sum, joined);
      total += sum;
    }
  }
  std::ranges::sort(sums, std::ranges::greater());
  const auto count = std::min(sums.size(), static_cast<std::size_t>(std::max(0LL, std::llround(total / 2))));
  Kept counts;
  for (std::size_t i = 0; i < count; ++i) {
    counts.all += 1;
    counts.right += sums[i].second ? 1 : 0;
  }
  return counts;
}

struct Moments {
  double sum = 0;
  double squares = 0;
  void add(double one) {
    sum += one;
    squares += one * one;
  }
};

void expect_same_mean(const Moments& a, const Moments& b, double draws) {
  const auto variance = [&](const Moments& of) {
    return of.squares / draws - of.sum / draws * of.sum / draws;
  };
  EXPECT_NEAR(a.sum / draws, b.sum / draws, 4.5 * std::sqrt((variance(a) + variance(b)) / draws));
}

// What is rebuilt from sparse answers is what noise on every entry leaves: numbers of pairs and of true ones
// have the same means over 200 draws (4.5 standard errors: 1 in 100,000 each), and the numbers of pairs the
// same spread.
TEST(LDpgcn, KeepsWhatLaplaceNoiseOnEveryEntryKeeps) {
  const graph::Dataset data = clustered_graph(80);
  constexpr int kDraws = 200;
  for (const double epsilon : {1.0, 3.0, 6.0}) {
    const privacy::LocalQuestion question(
        {.nodes = data.nodes(), .bits_epsilon = epsilon, .asked = privacy::PairReports::both_ends});
    Moments all[2];
    Moments right[2];
    SeededStream stream(21);
    for (int draw = 0; draw < kDraws; ++draw) {
      const Reports reports = reports_for(data.graph, question, static_cast<std::uint64_t>(draw));
      const Kept sparse = kept_of(largest_sums(reports, question.flip_probability(), stream), data.graph);
      const Kept dense = with_noise_everywhere(data.graph, epsilon, stream);
      all[0].add(sparse.all);
      all[1].add(dense.all);
      right[0].add(sparse.right);
      right[1].add(dense.right);
    }
    expect_same_mean(all[0], all[1], kDraws);
    expect_same_mean(right[0], right[1], kDraws);
    const auto deviation = [&](const Moments& of) {
      return std::sqrt(of.squares / kDraws - std::pow(of.sum / kDraws, 2));
    };
    // The standard error of a deviation is its 20th part, of the ratio of two its 14th.
    EXPECT_NEAR(deviation(all[0]) / deviation(all[1]), 1, 4.5 / 14) << epsilon;
  }
}

// Where one end tells, about as many pairs as there are; 4.5 standard errors of the mean of 200 draws.
TEST(LDpgcn, KeepsAsManyPairsAsThereSeemToBe) {
  const graph::Dataset data = clustered_graph(100);
  constexpr int kDraws = 200;
  const privacy::LocalQuestion question(
      {.nodes = data.nodes(), .bits_epsilon = 3, .asked = privacy::PairReports::one_end, .pair_key = 3});
  const double flip = question.flip_probability();
  SeededStream stream(4);
  double sum = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Reports reports = reports_for(data.graph, question, static_cast<std::uint64_t>(draw));
    const graph::Graph kept = expected_pairs(reports, flip, stream);
    for (graph::NodeId i = 0; i < kept.nodes(); ++i) {
      for (const graph::NodeId j : kept.neighbors(i)) {
        ASSERT_TRUE(std::ranges::binary_search(reports.ones.row(i), j) ||
                    std::ranges::binary_search(reports.ones.row(j), i));
      }
    }
    sum += static_cast<double>(kept.edges());
  }
  const double error = std::sqrt(4950 * flip * (1 - flip) / kDraws) / (1 - 2 * flip);
  EXPECT_NEAR(sum / kDraws, static_cast<double>(data.graph.edges()), 4.5 * error);
}

TEST(LDpgcn, GraphsWithoutPairsAreFine) {
  for (const std::size_t nodes : {std::size_t{1}, std::size_t{2}}) {
    Reports reports;
    reports.ones.offsets.assign(nodes + 1, 0);
    SeededStream stream(1);
    EXPECT_LE(largest_sums(reports, 0.1, stream).edges(), 1U);
    EXPECT_EQ(expected_pairs(reports, 0.1, stream).edges(), 0U);
  }
}

TEST(LDpgcn, TakesEveryBackbone) {
  for (const char* backbone : {"backbone=gcn", "backbone=sage", "backbone=gat"}) {
    for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
      const std::unique_ptr<Method> method =
          method_with("l-dpgcn", {"width=8", "epochs=5", "gate=no", backbone});
      const RunResult result =
          run_once(*method, small_graph(), run_with(request_with("local-edge", 4, rigor), 3));
      EXPECT_TRUE(result.certificate.sound);
      EXPECT_EQ(result.certificate.releases.size(), 1U);
    }
  }
}

}  // namespace
}  // namespace privet::methods::testing
