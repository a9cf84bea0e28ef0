#include "privet/methods/vote_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "privet/methods/tied_votes.hpp"

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

TEST(TiedVotes, FindTheBlockThatSpeaks) {
  SeededStream stream(2);
  tensor::Matrix prior(300, 2);
  tensor::Matrix votes(300, 4);
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < 300; ++i) {
    labels.push_back(static_cast<std::int32_t>(stream.below(2)));
    for (std::size_t j = 0; j < 4; ++j) votes(i, j) = static_cast<float>(2 * stream.uniform() - 1);
    votes(i, static_cast<std::size_t>(labels.back())) += 1;
  }
  const Combiner combiner = tied_votes(prior, votes, 2, 1, labels);
  const tensor::Matrix scores = combiner.scores(prior, votes);
  int right = 0;
  for (std::size_t i = 0; i < 300; ++i)
    right +=
        scores(i, static_cast<std::size_t>(labels[i])) > scores(i, static_cast<std::size_t>(1 - labels[i]));
  EXPECT_GT(right, 240) << "7 of 8 pairs of votes are ordered right";
  EXPECT_GT(combiner.vote_weights(0, 0), 1);
  EXPECT_EQ(combiner.vote_weights(0, 0), combiner.vote_weights(1, 1)) << "one number for all classes";
  EXPECT_LT(std::abs(combiner.vote_weights(6, 0)), 0.5) << "the second block is noise";
}

}  // namespace
}  // namespace privet::methods
