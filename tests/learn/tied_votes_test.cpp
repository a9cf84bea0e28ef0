#include "privet/learn/tied_votes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "privet/base/random.hpp"

namespace privet::methods {
namespace {

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

TEST(TiedVotes, AddedVotesLeaveThePlainScoresBehindThem) {
  Combiner plain{.name = "plain"};
  plain.prior_weights = tensor::Matrix(2, 2);
  plain.prior_weights(0, 0) = plain.prior_weights(1, 1) = 0.5F;
  plain.vote_weights = tensor::Matrix(0, 2);
  plain.offsets = tensor::Matrix(1, 2);
  tensor::Matrix prior(1, 2);
  prior(0, 0) = 3;
  tensor::Matrix votes(1, 4);  // two blocks: the second speaks for class 1
  votes(0, 3) = 1;
  bool heard_second = false;
  for (const Combiner& combiner : with_votes_added(plain, 2, 2)) {
    const tensor::Matrix scores = combiner.scores(prior, votes);
    EXPECT_FLOAT_EQ(scores(0, 0), 1.5F) << combiner.name;
    EXPECT_EQ(scores(0, 1) > 0, combiner.name.ends_with("votes 2")) << combiner.name;
    if (combiner.name != "plain + 0.4 x votes 2") continue;
    EXPECT_FLOAT_EQ(scores(0, 1), 0.8F);  // 0.4 x the scale 2
    heard_second = true;
  }
  EXPECT_TRUE(heard_second);

  plain.hidden_weights = tensor::Matrix(2, 3);  // a network beside, which reads the prior alone
  plain.hidden_weights(0, 0) = 1;
  plain.hidden_offsets = tensor::Matrix(1, 3);
  plain.output_weights = tensor::Matrix(3, 2);
  plain.output_weights(0, 0) = 1;
  const float expected = plain.scores(prior, votes)(0, 0);
  EXPECT_GT(expected, 2);
  for (const Combiner& combiner : with_votes_added(plain, 2, 2))
    EXPECT_FLOAT_EQ(combiner.scores(prior, votes)(0, 0), expected) << combiner.name;
}

TEST(TiedVotes, NeedAColumnForEveryClass) {
  EXPECT_THROW((void)tied_votes(tensor::Matrix(2, 3), tensor::Matrix(2, 4), 1, 1, {0, 1}), std::logic_error);
}

}  // namespace
}  // namespace privet::methods
