#include "privet/methods/lists/soft_aggregation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "posterior_cases.hpp"
#include "privet/base/parallel.hpp"

namespace privet::methods::testing {
namespace {

TEST(SoftAggregation, MultipliesByTiles) {
  // More nodes than a tile has rows and columns.
  const graph::Dataset data = clustered_graph(1100);
  SeededStream stream(2);
  tensor::Matrix x(data.nodes(), 5);
  for (float& one : x.values()) one = static_cast<float>(stream.uniform() - 0.5);
  for (const bool published : {false, true}) {
    const Case one = make_case(data, false, PairReports::one_end, published);
    tensor::Matrix out(data.nodes(), 5);
    const auto links = std::make_shared<LinkPosterior>(one.links);
    SoftAggregation::by_tiles(links).multiply(x, out);
    // Tiles that are kept, some of them or none: the same bytes.
    for (const std::size_t memory : {std::size_t{0}, std::size_t{2} << 20U}) {
      tensor::Matrix again(data.nodes(), 5);
      SoftAggregation::by_tiles(links, memory).multiply(x, again);
      EXPECT_EQ(out, again) << memory;
    }
    for (const std::size_t i : {0U, 1U, 127U, 128U, 600U, 1099U}) {
      for (std::size_t a = 0; a < 5; ++a) {
        double sum = 0;
        double scale = 0;
        for (std::size_t j = 0; j < data.nodes(); ++j) {
          sum += one.links.at(i, j) * static_cast<double>(x(j, a));
          scale += one.links.at(i, j);
        }
        EXPECT_NEAR(static_cast<double>(out(i, a)), sum, 1e-4 * scale + 1e-5) << i;
      }
    }
  }
}

TEST(SoftAggregation, GathersByRowsAndByColumnsWhereTheyDiffer) {
  const graph::Dataset data = clustered_graph(700);
  const auto links = std::make_shared<LinkPosterior>(directed_links(data));
  const std::size_t n = data.nodes();
  tensor::Matrix x(n, 5);
  SeededStream stream(4);
  for (float& one : x.values()) one = static_cast<float>(stream.uniform() - 0.5);
  const SoftAggregation soft(links);
  EXPECT_FALSE(soft.listed());
  tensor::Matrix by_rows(n, 5);
  tensor::Matrix by_columns(n, 5);
  soft.multiply(x, by_rows);
  soft.multiply_transposed(x, by_columns);
  tensor::Matrix again(n, 5);
  SoftAggregation::by_tiles(links, 0).multiply_transposed(x, again);
  EXPECT_EQ(by_columns, again);
  for (const std::size_t i : {0U, 1U, 127U, 128U, 600U, 699U}) {
    for (std::size_t a = 0; a < 5; ++a) {
      double row = 0;
      double column = 0;
      double scale = 0;
      for (std::size_t j = 0; j < n; ++j) {
        row += links->at(i, j) * static_cast<double>(x(j, a));
        column += links->at(j, i) * static_cast<double>(x(j, a));
        scale += links->at(i, j) + links->at(j, i);
      }
      EXPECT_NEAR(by_rows(i, a), row, 1e-5 * scale + 1e-5) << i;
      EXPECT_NEAR(by_columns(i, a), column, 1e-5 * scale + 1e-5) << i;
    }
  }
}

struct ListedCase {
  bool soft;
  PairReports asked;
  bool published;
};

// Columns of the identity, so that every pair is looked at by itself.
void expect_entries(const SoftAggregation& soft, std::size_t from, std::size_t to) {
  const LinkPosterior& links = soft.links();
  const std::size_t n = links.nodes();
  const double mean = 2 * links.total() / static_cast<double>(n * n);
  tensor::Matrix unit(n, to - from);
  for (std::size_t k = from; k < to; ++k) unit(k, k - from) = 1;
  tensor::Matrix out(n, to - from);
  soft.multiply(unit, out);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = from; k < to; ++k) {
      const double expected = links.at(i, k);
      ASSERT_NEAR(out(i, k - from), expected, SoftAggregation::kTolerance * mean + 1e-5 * expected + 1e-9)
          << i << ' ' << k;
    }
  }
}

// With few ones told most pairs are those of the matrix of low rank.
TEST(SoftAggregation, ListsThePairsThatLowRankMisses) {
  const graph::Dataset data = clustered_graph(1100);
  const auto pairs = static_cast<double>(data.nodes() * data.nodes()) / 2;
  for (const ListedCase& wanted :
       {ListedCase{false, PairReports::one_end, true}, ListedCase{true, PairReports::one_end, true},
        ListedCase{false, PairReports::both_ends, true}, ListedCase{true, PairReports::both_ends, false}}) {
    const Case one = make_case(data, wanted.soft, wanted.asked, wanted.published, 9, 20);
    const SoftAggregation listed(std::make_shared<LinkPosterior>(one.links));
    ASSERT_TRUE(listed.listed());
    EXPECT_GT(*listed.listed(), data.graph.edges() / 2);
    EXPECT_LT(static_cast<double>(*listed.listed()), SoftAggregation::kMostListed * pairs);
    expect_entries(listed, 0, 40);
    expect_entries(listed, 1060, 1100);
  }
}

// Of hubs the numbers of the matrix of low rank, with themselves and with one another, are larger than any
// probability: a few of a row are listed, but P would be lost beside many.
TEST(SoftAggregation, IsRightWhereHubsAreJoinedToEverybody) {
  const graph::Dataset data = clustered_graph(600);
  const Case one = make_case(data, false, PairReports::both_ends, true, 6, 20);
  struct Hubs {
    std::size_t count;
    double odds;
    bool listed;
  };
  for (const Hubs& hubs : {Hubs{1, 2, true}, Hubs{1, 300, true}, Hubs{1, 1000, true}, Hubs{3, 1000, true},
                           Hubs{100, 1000, false}, Hubs{1, 30000, false}}) {
    std::vector<double> odds(data.nodes(), 0.05);
    for (std::size_t k = 0; k < hubs.count; ++k) odds[7 + 5 * k] = hubs.odds;
    const SoftAggregation soft(std::make_shared<LinkPosterior>(
        std::make_shared<LowRankPrior>(odds),
        std::make_shared<Evidence>(one.reports, PairReports::both_ends, one.question.flip_probability()),
        PriorBounds{.published = true}));
    EXPECT_EQ(soft.listed().has_value(), hubs.listed) << hubs.count << ' ' << hubs.odds;
    expect_entries(soft, 0, 20);
  }
}

TEST(SoftAggregation, GoesBackToTilesWhereManyPairsWouldBeListed) {
  const graph::Dataset data = clustered_graph(300);
  // Of two bits one at least is told as 1 for a third of the pairs.
  const Case one = make_case(data, false, PairReports::both_ends, true, 1.5, 20);
  const auto links = std::make_shared<LinkPosterior>(one.links);
  const SoftAggregation chosen(links);
  EXPECT_FALSE(chosen.listed());
  tensor::Matrix x(data.nodes(), 4);
  for (std::size_t i = 0; i < x.size(); ++i) x.values()[i] = static_cast<float>(i % 13);
  tensor::Matrix by_choice(data.nodes(), 4);
  tensor::Matrix by_tiles(data.nodes(), 4);
  chosen.multiply(x, by_choice);
  SoftAggregation::by_tiles(links).multiply(x, by_tiles);
  EXPECT_EQ(by_choice, by_tiles);
}

TEST(SoftAggregation, DoesNotDependOnThreads) {
  const graph::Dataset data = clustered_graph(700);
  const std::size_t before = thread_count();
  for (const double bits : {0.5, 9.0}) {
    const Case one = make_case(data, true, PairReports::one_end, true, bits, 20);
    tensor::Matrix x(data.nodes(), 3);
    for (std::size_t i = 0; i < x.size(); ++i) x.values()[i] = static_cast<float>(i % 17);
    const auto run = [&](std::size_t threads) {
      set_thread_count(threads);
      const SoftAggregation links(std::make_shared<LinkPosterior>(one.links));
      EXPECT_EQ(links.listed().has_value(), bits > 1);
      tensor::Matrix out(data.nodes(), 3);
      links.multiply(x, out);
      return out;
    };
    const tensor::Matrix single = run(1);
    const tensor::Matrix two = run(2);
    set_thread_count(before);
    EXPECT_EQ(single, two) << bits;
  }
}

}  // namespace
}  // namespace privet::methods::testing
