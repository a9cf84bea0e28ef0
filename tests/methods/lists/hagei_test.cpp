#include "privet/methods/lists/hagei.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "methods/lists/local_cases.hpp"

namespace privet::methods::testing {
namespace {

// The numbers of HPGR's fact sheet, written out for every pair: A_ij from both counts, then each row scaled
// so that a node has as many neighbours in a cluster as it has counted (`share` times).
std::vector<double> written_out(const Reports& reports, const std::vector<std::int32_t>& clusters,
                                std::size_t classes, double share) {
  const std::size_t n = clusters.size();
  const auto d = [&](std::size_t i, std::size_t b) { return share * reports.degrees_of(i)[b]; };
  const auto cluster = [&](std::size_t i) { return static_cast<std::size_t>(clusters[i]); };
  std::vector<double> size(classes);
  for (std::size_t i = 0; i < n; ++i) size[cluster(i)] += 1;
  std::vector<double> sums(classes * classes);
  double h = 0;
  double v = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t b = 0; b < classes; ++b) sums[cluster(i) * classes + b] += d(i, b);
    h += d(i, cluster(i)) / size[cluster(i)];
    v += d(i, cluster(i));
  }
  std::vector<double> result(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> of_cluster(classes);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t a = cluster(i);
      const std::size_t b = cluster(j);
      result[i * n + j] =
          (d(j, a) + h) / (sums[b * classes + a] + v) + (d(i, b) + h) / (sums[a * classes + b] + v);
      of_cluster[b] += result[i * n + j];
    }
    for (std::size_t j = 0; j < n; ++j) result[i * n + j] *= d(i, cluster(j)) / of_cluster[cluster(j)];
  }
  return result;
}

void expect_compiled_formula(privacy::PairReports asked, double share) {
  const graph::Dataset data = clustered_graph(120);
  const std::size_t n = data.nodes();
  const privacy::LocalQuestion question(query_for(data, false, asked, 3, 2));
  const Reports reports = reports_for(data.graph, question, 6);
  const std::vector<double> expected = written_out(reports, data.labels, data.classes, share);
  const HageiPrior first(reports, question.query(), ScaledBy::first);
  const HageiPrior second(reports, question.query(), ScaledBy::second);
  const HageiPrior mean(reports, question.query(), ScaledBy::mean);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<float> row(n - i);
    first.row(i, i, row);
    for (std::size_t j = i; j < n; ++j) {
      const double along = expected[i * n + j];
      const double against = expected[j * n + i];
      const double tolerance = 1e-4 * (std::abs(along) + std::abs(against)) + 1e-7;
      EXPECT_NEAR(first.at(i, j), along, tolerance) << i << ' ' << j;
      EXPECT_NEAR(row[j - i], along, tolerance) << i << ' ' << j;
      EXPECT_NEAR(second.at(i, j), against, tolerance) << i << ' ' << j;
      EXPECT_NEAR(mean.at(i, j), (along + against) / 2, tolerance) << i << ' ' << j;
    }
  }
}

TEST(HageiPrior, IsTheCompiledFormula) { expect_compiled_formula(privacy::PairReports::both_ends, 1); }

// Then a node has counted about half of its neighbours.
TEST(HageiPrior, CountsTwiceWhatOneEndIsAskedAbout) {
  expect_compiled_formula(privacy::PairReports::one_end, 2);
}

}  // namespace
}  // namespace privet::methods::testing
