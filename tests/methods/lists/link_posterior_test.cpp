#include "privet/methods/lists/link_posterior.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "posterior_cases.hpp"
#include "privet/base/parallel.hpp"

namespace privet::methods::testing {
namespace {

bool told(const Reports& reports, std::size_t i, std::size_t j) {
  return std::ranges::binary_search(reports.ones.row(i), static_cast<graph::NodeId>(j));
}

// Bayes' rule for the two bits (or the one) of a pair, written out: in double precision, with the prior's own
// numbers, as published (q Pi / (q Pi + q' (1 - Pi)), then brought to [0, 1]) or with the prior bounded.
double reference(const Case& one, std::size_t i, std::size_t j, bool published) {
  const bool both = one.question.query().asked == PairReports::both_ends;
  if (i == j && !published) return 0;
  double prior = one.model.at(std::min(i, j), std::max(i, j));
  if (!published) prior = std::clamp(prior, 1e-4, 1 - 0x1p-20);
  const double flip = one.question.flip_probability();
  const int ones = (told(one.reports, i, j) ? 1 : 0) + (told(one.reports, j, i) ? 1 : 0);
  const int bits = both ? 2 : 1;
  const double joined = std::pow(1 - flip, ones) * std::pow(flip, bits - ones);
  const double apart = std::pow(flip, ones) * std::pow(1 - flip, bits - ones);
  return std::clamp(joined * prior / (joined * prior + apart * (1 - prior)), 0.0, 1.0);
}

// Where the denominator of the published rule is near 0 its sign, and so the result, is a matter of rounding.
bool is_near_pole(const Case& one, std::size_t i, std::size_t j) {
  const double prior = one.model.at(std::min(i, j), std::max(i, j));
  const double flip = one.question.flip_probability();
  for (const double ratio : {std::pow((1 - flip) / flip, -2), 1.0, std::pow((1 - flip) / flip, 2)}) {
    if (std::abs(1 + prior * (ratio - 1)) < 1e-3) return true;
  }
  return false;
}

TEST(LinkPosterior, IsBayesRule) {
  const graph::Dataset data = clustered_graph(150);
  int compared = 0;
  for (const bool soft : {false, true}) {
    for (const PairReports asked : {PairReports::both_ends, PairReports::one_end}) {
      for (const bool published : {false, true}) {
        const Case one = make_case(data, soft, asked, published);
        for (std::size_t i = 0; i < data.nodes(); ++i) {
          std::vector<float> row(data.nodes() - i);
          std::size_t cursor = 0;
          // In two pieces, as tiles ask for them.
          const std::size_t half = row.size() / 2;
          one.links.upper_row(i, i, std::span(row).first(half), cursor);
          one.links.upper_row(i, i + half, std::span(row).subspan(half), cursor);
          for (std::size_t j = i; j < data.nodes(); ++j) {
            if (published && is_near_pole(one, i, j)) continue;
            const double expected = reference(one, i, j, published);
            EXPECT_NEAR(static_cast<double>(row[j - i]), expected, 1e-3 * expected + 1e-6) << i << " " << j;
            EXPECT_NEAR(one.links.at(j, i), static_cast<double>(row[j - i]), 1e-4) << i << " " << j;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 80'000);
}

TEST(LinkPosterior, HardHasThePairsAboveOneHalf) {
  const graph::Dataset data = clustered_graph(300);
  for (const PairReports asked : {PairReports::both_ends, PairReports::one_end}) {
    const Case one = make_case(data, true, asked, false);
    const graph::Graph graph = one.links.hard();
    EXPECT_GT(graph.edges(), 10U);
    for (graph::NodeId i = 0; i < data.nodes(); ++i) {
      for (graph::NodeId j = 0; j < data.nodes(); ++j)
        EXPECT_EQ(graph.has_entry(i, j), one.links.at(i, j) > 0.5) << i << " " << j;
    }
  }
}

TEST(LinkPosterior, SumsAreThoseOfItsEntries) {
  const graph::Dataset data = clustered_graph(200);
  for (const bool published : {false, true}) {
    const Case one = make_case(data, true, PairReports::both_ends, published);
    const std::vector<double> rows = one.links.row_sums();
    double total = 0;
    for (std::size_t i = 0; i < data.nodes(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < data.nodes(); ++j) sum += one.links.at(i, j);
      EXPECT_NEAR(rows[i], sum, 1e-3);
      total += sum - one.links.at(i, i);
    }
    EXPECT_NEAR(one.links.total(), total / 2, 1e-2);
  }
}

// Five standard deviations of a sum of independent coins.
TEST(LinkPosterior, SampledHasAsManyAsExpected) {
  const graph::Dataset data = clustered_graph(300);
  const Case one = make_case(data, false, PairReports::one_end, false);
  const SeededStream stream(1);
  const graph::Graph graph = one.links.sampled(stream);
  EXPECT_NEAR(static_cast<double>(graph.edges()), one.links.total(), 5 * std::sqrt(one.links.total()));
  EXPECT_EQ(graph, one.links.sampled(stream));
}

TEST(LinkPosterior, TopHasTheLikeliest) {
  const graph::Dataset data = clustered_graph(200);
  for (const bool soft : {false, true}) {
    const Case one = make_case(data, soft, PairReports::both_ends, false);
    const tensor::SparseMatrix top = one.links.top();
    const auto keep = static_cast<std::size_t>(one.links.total());
    ASSERT_EQ(top.entries(), 2 * keep);
    EXPECT_EQ(top, top.transposed());
    std::vector<float> all;
    for (std::size_t i = 0; i < data.nodes(); ++i) {
      for (std::size_t j = i + 1; j < data.nodes(); ++j)
        all.push_back(static_cast<float>(one.links.at(i, j)));
    }
    std::ranges::sort(all, std::greater<>());
    std::vector<float> kept;
    for (std::size_t i = 0; i < data.nodes(); ++i) {
      for (std::uint64_t e = top.offsets()[i]; e < top.offsets()[i + 1]; ++e) {
        if (top.column_indices()[e] > i) kept.push_back(top.value(e));
      }
    }
    std::ranges::sort(kept, std::greater<>());
    for (std::size_t k = 0; k < keep; ++k) EXPECT_NEAR(kept[k], all[k], 1e-4);
  }
}

TEST(LinkPosterior, HasANumberForEachDirection) {
  const graph::Dataset data = clustered_graph(300);
  const LinkPosterior links = directed_links(data);
  ASSERT_FALSE(links.symmetric());
  const std::size_t n = data.nodes();
  const graph::Graph hard = links.hard();
  const std::vector<double> sums = links.row_sums();
  ASSERT_FALSE(hard.undirected());
  std::size_t differ = 0;
  double total = 0;
  std::vector<float> all;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<float> upper(n - i);
    std::vector<float> lower(n - i);
    std::size_t cursor = 0;
    links.upper_row(i, i, upper, cursor);
    cursor = 0;
    links.upper_row(i, i, lower, cursor, Triangle::lower);
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      sum += links.at(i, j);
      if (i == j) continue;
      total += links.at(i, j);
      all.push_back(static_cast<float>(links.at(i, j)));
      // Row j of the graph gathers what i is likely to send.
      EXPECT_EQ(hard.has_entry(static_cast<graph::NodeId>(j), static_cast<graph::NodeId>(i)),
                links.at(i, j) > 0.5);
      if (j < i) continue;
      EXPECT_NEAR(upper[j - i], links.at(i, j), 1e-5);
      EXPECT_NEAR(lower[j - i], links.at(j, i), 1e-5);
      if (hard.has_entry(static_cast<graph::NodeId>(i), static_cast<graph::NodeId>(j)) !=
          hard.has_entry(static_cast<graph::NodeId>(j), static_cast<graph::NodeId>(i)))
        ++differ;
    }
    EXPECT_NEAR(sums[i], sum, 1e-3);
  }
  EXPECT_GT(differ, 0U);
  EXPECT_NEAR(links.total(), total, 1e-2);

  const tensor::SparseMatrix top = links.top();
  std::ranges::sort(all, std::greater<>());
  ASSERT_EQ(top.entries(), static_cast<std::size_t>(links.total()));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::uint64_t e = top.offsets()[j]; e < top.offsets()[j + 1]; ++e) {
      EXPECT_NEAR(top.value(e), links.at(top.column_indices()[e], j), 1e-5);
      EXPECT_GE(top.value(e), all[top.entries() - 1] - 1e-5F);
    }
  }
  const SeededStream stream(1);
  const graph::Graph sampled = links.sampled(stream);
  EXPECT_NEAR(static_cast<double>(sampled.stored_entries()), total, 5 * std::sqrt(total));
}

TEST(LinkPosterior, DoesNotDependOnThreads) {
  const graph::Dataset data = clustered_graph(700);
  const Case one = make_case(data, true, PairReports::one_end, false);
  const std::size_t before = thread_count();
  const auto run = [&](std::size_t threads) {
    set_thread_count(threads);
    return std::tuple(one.links.hard(), one.links.top(), one.links.row_sums());
  };
  const auto single = run(1);
  const auto two = run(2);
  set_thread_count(before);
  EXPECT_EQ(single, two);
}

}  // namespace
}  // namespace privet::methods::testing
