#include "privet/methods/lists/block_model.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "local_cases.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

using privacy::PairReports;

constexpr double kNoRidge = std::numeric_limits<double>::infinity();

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

// Xie et al. 2025, Theorem 3: (7a) C^T Pi C = M, (7b) the sums are equal, (7c) rows of nodes of equal
// memberships are to each other as their degrees. The floating point error of a sum of n^2 terms is far below
// 1e-9 of it.
TEST(BlockModel, KeepsConnectionsSumAndDegrees) {
  const graph::Dataset data = clustered_graph(150);
  for (const bool soft : {false, true}) {
    for (const PairReports asked : {PairReports::both_ends, PairReports::one_end}) {
      privacy::LocalQuery query = query_for(data, soft, asked, 2, 1);
      // Two nodes of equal memberships, for (7c).
      for (std::size_t a = 0; a < query.clusters; ++a)
        query.memberships[1 * query.clusters + a] = query.memberships[a];
      const privacy::LocalQuestion question(query);
      const Reports reports = reports_for(data.graph, question, 1);
      const LinkStatistics statistics = link_statistics(reports, query, Fusion::by_variance);
      const BlockModel model = block_model(statistics, query, kNoRidge);
      const std::size_t c = query.clusters;
      std::vector<double> joined(c * c);
      std::vector<double> rows(data.nodes());
      double scale = 0;
      for (std::size_t i = 0; i < data.nodes(); ++i) {
        for (std::size_t j = 0; j < data.nodes(); ++j) {
          const double link = model.at(i, j);
          rows[i] += link;
          scale += std::abs(link);
          for (std::size_t a = 0; a < c; ++a) {
            for (std::size_t b = 0; b < c; ++b)
              joined[a * c + b] += model.memberships[i * c + a] * link * model.memberships[j * c + b];
          }
        }
      }
      for (std::size_t ab = 0; ab < c * c; ++ab)
        EXPECT_NEAR(joined[ab], statistics.connections[ab], 1e-9 * scale);
      EXPECT_NEAR(sum_of(rows), sum_of(statistics.connections), 1e-9 * scale);
      EXPECT_NEAR(model.total(), sum_of(statistics.connections), 1e-9 * scale);
      EXPECT_NEAR(rows[0] * statistics.degrees[1], rows[1] * statistics.degrees[0], 1e-9 * scale);
    }
  }
}

// Proposition 1: with hard clusters, theta_ab = M_ab / (R_a R_b).
TEST(BlockModel, IsTheOrdinaryOneForHardClusters) {
  const graph::Dataset data = clustered_graph(200);
  const privacy::LocalQuestion question(query_for(data, false, PairReports::both_ends, 2, 1));
  const LinkStatistics statistics =
      link_statistics(reports_for(data.graph, question, 2), question.query(), Fusion::by_size);
  const BlockModel model = block_model(statistics, question.query(), kNoRidge);
  std::vector<double> sums(data.classes);
  for (std::size_t i = 0; i < data.nodes(); ++i)
    sums[static_cast<std::size_t>(data.labels[i])] += statistics.degrees[i];
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j < data.nodes(); ++j) {
      const auto a = static_cast<std::size_t>(data.labels[i]);
      const auto b = static_cast<std::size_t>(data.labels[j]);
      const double expected =
          statistics.degrees[i] * statistics.degrees[j] * statistics.connection(a, b) / (sums[a] * sums[b]);
      EXPECT_NEAR(model.at(i, j), expected, 1e-12 + 1e-10 * std::abs(expected));
    }
  }
}

// Theorem 2 with its constants corrected. 2,000 draws: the variance of a variance is about 2 / draws of its
// square (Laplace sums are close to normal), so 5 standard deviations are 16 %; the mean is within 5 of its
// own. 16 entries: a false alarm in 1e5.
TEST(BlockModel, ConnectionsHaveTheStatedVariance) {
  const graph::Dataset data = clustered_graph(60);
  for (const bool soft : {false, true}) {
    for (const PairReports asked : {PairReports::both_ends, PairReports::one_end}) {
      const privacy::LocalQuestion question(query_for(data, soft, asked, 0, 0.5));
      const std::vector<double> truth = true_connections(data.graph, question.query());
      const std::size_t c = data.classes;
      constexpr int kDraws = 2000;
      std::vector<double> sums(c * c);
      std::vector<double> squares(c * c);
      for (int draw = 0; draw < kDraws; ++draw) {
        const LinkStatistics one =
            link_statistics(reports_for(data.graph, question, static_cast<std::uint64_t>(100 + draw)),
                            question.query(), Fusion::by_variance);
        for (std::size_t ab = 0; ab < c * c; ++ab) {
          const double error = one.connections[ab] - truth[ab];
          sums[ab] += error;
          squares[ab] += error * error;
        }
      }
      for (std::size_t a = 0; a < c; ++a) {
        for (std::size_t b = 0; b < c; ++b) {
          const double expected = connection_variance(question.query(), a, b);
          EXPECT_NEAR(squares[a * c + b] / kDraws, expected, 0.17 * expected) << a << b << soft;
          EXPECT_NEAR(sums[a * c + b] / kDraws, 0, 5 * std::sqrt(expected / kDraws)) << a << b << soft;
        }
      }
    }
  }
}

// Weights by the sizes of soft clusters are not the best.
TEST(BlockModel, FusionByVarianceIsNoWorseThanBySize) {
  const graph::Dataset data = clustered_graph(60);
  const privacy::LocalQuestion question(query_for(data, true, PairReports::both_ends, 0, 0.5));
  const std::vector<double> truth = true_connections(data.graph, question.query());
  double by_variance = 0;
  double by_size = 0;
  for (std::uint64_t draw = 0; draw < 300; ++draw) {
    const Reports reports = reports_for(data.graph, question, 900 + draw);
    for (std::size_t ab = 0; ab < truth.size(); ++ab) {
      by_variance += std::pow(
          link_statistics(reports, question.query(), Fusion::by_variance).connections[ab] - truth[ab], 2);
      by_size += std::pow(
          link_statistics(reports, question.query(), Fusion::by_size).connections[ab] - truth[ab], 2);
    }
  }
  EXPECT_LE(by_variance, by_size * 1.001);
}

// Theorems 4 and 5 as bounds on the mean of 100 draws, with the classes known (no systematic error): the sum
// of the prior is off by at most 2 sqrt 2 / e sqrt(c n / pi), the connections by at most 2 c / e
// sqrt(c n / pi).
TEST(BlockModel, ErrorsStayBelowTheBoundsOfThePaper) {
  const graph::Dataset data = clustered_graph(300);
  for (const bool soft : {false, true}) {
    for (const double epsilon : {0.25, 1.0}) {
      const privacy::LocalQuestion question(query_for(data, soft, PairReports::both_ends, 0, epsilon));
      const std::vector<double> truth = true_connections(data.graph, question.query());
      const auto edges = static_cast<double>(data.graph.stored_entries());
      const auto c = static_cast<double>(data.classes);
      const double root = std::sqrt(c * static_cast<double>(data.nodes()) / std::numbers::pi);
      double sparsity = 0;
      double homophily = 0;
      for (std::uint64_t draw = 0; draw < 100; ++draw) {
        const LinkStatistics statistics = link_statistics(reports_for(data.graph, question, 500 + draw),
                                                          question.query(), Fusion::by_variance);
        sparsity += std::abs(block_model(statistics, question.query(), kNoRidge).total() - edges) / 100;
        for (std::size_t ab = 0; ab < truth.size(); ++ab)
          homophily += std::abs(statistics.connections[ab] - truth[ab]) / 100;
      }
      EXPECT_LE(sparsity, 2 * std::numbers::sqrt2 / epsilon * root);
      EXPECT_GT(sparsity, 0);
      EXPECT_LE(homophily, 2 * c / epsilon * root);
      EXPECT_GT(homophily, 0.1 * c / epsilon * root);
    }
  }
}

TEST(BlockModel, ARidgeBoundsTheCondition) {
  graph::Dataset data = clustered_graph(100);
  privacy::LocalQuery query = query_for(data, false, PairReports::both_ends, 1, 1);
  // Everybody in the same mixture: R has rank one.
  tensor::Matrix same(data.nodes(), data.classes);
  for (float& one : same.values()) one = 0.25F;
  query.memberships = privacy::memberships_of(same);
  const privacy::LocalQuestion question(query);
  const LinkStatistics statistics =
      link_statistics(reports_for(data.graph, question, 1), query, Fusion::by_variance);
  EXPECT_THROW((void)block_model(statistics, query, kNoRidge), DataError);
  const BlockModel model = block_model(statistics, query, 100);
  EXPECT_TRUE(std::isfinite(model.at(0, 1)));
}

TEST(BlockModel, AClusterWithoutNodesHasNoLinks) {
  const graph::Dataset data = clustered_graph(100);
  privacy::LocalQuery query = query_for(data, false, PairReports::both_ends, 1, 1);
  query.clusters = data.classes + 1;
  query.memberships = privacy::hard_memberships(data.labels, query.clusters);
  const privacy::LocalQuestion question(query);
  const BlockModel model = block_model(
      link_statistics(reports_for(data.graph, question, 1), query, Fusion::by_size), query, kNoRidge);
  EXPECT_TRUE(std::isfinite(model.total()));
}

// Closer to the truth than what a node has counted itself, at every budget.
TEST(BlockModel, SmoothedDegreesAreCloser) {
  const graph::Dataset data = clustered_graph(400);
  for (const PairReports asked : {PairReports::both_ends, PairReports::one_end}) {
    for (const double epsilon : {0.1, 1.0, 5.0}) {
      const privacy::LocalQuestion question(query_for(data, false, asked, epsilon, epsilon));
      const Reports reports = reports_for(data.graph, question, 4);
      const LinkStatistics plain = link_statistics(reports, question.query(), Fusion::by_variance);
      const std::vector<double> smooth =
          smoothed_degrees(reports, question.query(), question.flip_probability());
      double error = 0;
      double before = 0;
      for (graph::NodeId i = 0; i < data.nodes(); ++i) {
        const auto truth = static_cast<double>(data.graph.degree(i));
        error += std::pow(smooth[i] - truth, 2);
        before += std::pow(plain.degrees[i] - truth, 2);
        EXPECT_GT(smooth[i], 0);
      }
      EXPECT_LT(error, before) << epsilon;
    }
  }
}

}  // namespace
}  // namespace privet::methods::testing
