#include "privet/learn/vote_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace privet::methods {
namespace {

TEST(VoteRows, AreCentredAndShort) {
  tensor::Matrix log_probabilities(2, 3);
  log_probabilities(0, 0) = 5;
  const tensor::Matrix rows = vote_rows(log_probabilities, {0, 2}, {false, true});
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = 0;
    double squares = 0;
    for (const float value : rows.row(i)) {
      sum += static_cast<double>(value);
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    EXPECT_NEAR(sum, 0, 1e-6);
    EXPECT_LE(squares, 1 + 1e-6);
  }
  EXPECT_NEAR(rows(1, 2), std::sqrt(2.0 / 3), 1e-6) << "the label, whatever the probabilities";
}

TEST(CombinerRows, AreApart) {
  graph::Split split{"s", std::vector<graph::Role>(10, graph::Role::train)};
  SeededStream stream(1);
  const CombinerRows fifth = combiner_rows({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, split, stream);
  EXPECT_EQ(fifth.to_choose.size(), 2U);
  EXPECT_EQ(fifth.to_fit.size(), 8U);
  split.roles[9] = graph::Role::validation;
  const CombinerRows given = combiner_rows({0, 1, 2}, split, stream);
  EXPECT_EQ(given.to_choose, std::vector<graph::NodeId>{9});
  EXPECT_EQ(given.to_fit.size(), 3U);
}

}  // namespace
}  // namespace privet::methods
