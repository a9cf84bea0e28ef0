#include "privet/methods/tied_votes.hpp"

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

TEST(TiedVotes, NeedAColumnForEveryClass) {
  EXPECT_THROW((void)tied_votes(tensor::Matrix(2, 3), tensor::Matrix(2, 4), 1, 1, {0, 1}), std::logic_error);
}

}  // namespace
}  // namespace privet::methods
