#include "privet/methods/lists/smooth_links.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "posterior_cases.hpp"

namespace privet::methods::testing {
namespace {

// c v + c' v^2 of what is believed of a pair, for one told as 0, by the first two derivatives of Bayes' rule.
double second_order(const LinkPosterior& links, double prior) {
  const tensor::EvidenceRule& rule = links.rule_of(0);
  const auto ratio = static_cast<double>(rule.ratio);
  return ratio * prior - ratio * (ratio - static_cast<double>(rule.subtract)) * prior * prior;
}

void expect_second_order(const LinkPosterior& links) {
  const std::optional<SmoothLinks> smooth = SmoothLinks::of(links);
  ASSERT_TRUE(smooth);
  const std::size_t n = links.nodes();
  tensor::Matrix unit(n, n);
  for (std::size_t i = 0; i < n; ++i) unit(i, i) = 1;
  tensor::Matrix whole(n, n);
  smooth->add_product(unit, whole);
  std::size_t curved = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<float> row(n);
    smooth->row(i, 0, row);
    for (std::size_t j = 0; j < n; ++j) {
      const auto prior = static_cast<double>(links.prior().at(std::min(i, j), std::max(i, j)));
      const double expected = second_order(links, prior);
      EXPECT_NEAR(row[j], expected, 1e-4 * std::abs(expected) + 1e-9) << i << ' ' << j;
      EXPECT_NEAR(whole(i, j), expected, 1e-4 * std::abs(expected) + 1e-9) << i << ' ' << j;
      if (std::abs(expected - static_cast<double>(links.rule_of(0).ratio) * prior) > 1e-2 * expected)
        ++curved;
    }
  }
  EXPECT_GT(curved, n);  // the second power is worth something
}

LinkPosterior with_prior(const Case& one, std::shared_ptr<const LinkPrior> prior) {
  return {
      std::move(prior),
      std::make_shared<Evidence>(one.reports, one.question.query().asked, one.question.flip_probability()),
      {.published = true}};
}

TEST(SmoothLinks, AreTheFirstTwoPowersOfTheBlockModel) {
  const graph::Dataset data = clustered_graph(80);
  for (const bool soft : {false, true}) {
    const Case one = make_case(data, soft, PairReports::one_end, true, 3);
    BlockModel model = one.model;
    for (double& entry : model.theta) entry = std::abs(entry);  // those below 0 are cut off
    expect_second_order(with_prior(one, std::make_shared<LowRankPrior>(model)));
  }
}

TEST(SmoothLinks, AreTheFirstTwoPowersOfOdds) {
  const graph::Dataset data = clustered_graph(80);
  const Case one = make_case(data, false, PairReports::both_ends, true, 1);
  std::vector<double> odds(data.nodes());
  for (std::size_t i = 0; i < odds.size(); ++i) odds[i] = 0.05 + 0.01 * static_cast<double>(i);
  expect_second_order(with_prior(one, std::make_shared<LowRankPrior>(odds)));
}

TEST(SmoothLinks, AreNoneWithoutFactorsOrForTwoDirections) {
  const graph::Dataset data = clustered_graph(80);
  const Case one = make_case(data, false, PairReports::both_ends, true);
  EXPECT_FALSE(SmoothLinks::of(with_prior(one, std::make_shared<ConstantPrior>(data.nodes(), 0.5F))));
  EXPECT_FALSE(SmoothLinks::of(directed_links(data)));
  const auto prior = std::make_shared<LowRankPrior>(one.model);
  EXPECT_FALSE(SmoothLinks::of(
      {prior,
       std::make_shared<Evidence>(one.reports, PairReports::both_ends, one.question.flip_probability()),
       {.published = true},
       prior}));
}

}  // namespace
}  // namespace privet::methods::testing
