#include "privet/graph/communities.hpp"

#include <gtest/gtest.h>

namespace privet::graph {
namespace {

// Cliques of `size` nodes in a ring, one edge between one and the next.
std::vector<WeightedPair> ring_of_cliques(std::uint32_t cliques, std::uint32_t size) {
  std::vector<WeightedPair> pairs;
  for (std::uint32_t c = 0; c < cliques; ++c) {
    for (std::uint32_t i = 0; i < size; ++i) {
      for (std::uint32_t j = i + 1; j < size; ++j) pairs.push_back({c * size + i, c * size + j, 1});
    }
    pairs.push_back({c * size, ((c + 1) % cliques) * size + 1, 1});
  }
  return pairs;
}

TEST(Louvain, FindsCliquesInARing) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SeededStream order(seed);
    const std::vector<std::uint32_t> found = louvain(48, ring_of_cliques(8, 6), 1, order);
    for (std::uint32_t i = 0; i < 48; ++i) EXPECT_EQ(found[i], i / 6) << "seed " << seed;
  }
}

// Two cliques of 5 joined by an edge: 21 edges, degrees 21 on each side. 20/21 - 2 (21/42)^2.
TEST(Louvain, ModularityByHand) {
  std::vector<WeightedPair> pairs;
  for (std::uint32_t side = 0; side < 2; ++side) {
    for (std::uint32_t i = 0; i < 5; ++i) {
      for (std::uint32_t j = i + 1; j < 5; ++j) pairs.push_back({5 * side + i, 5 * side + j, 1});
    }
  }
  pairs.push_back({0, 5, 1});
  const std::vector<std::uint32_t> sides = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  EXPECT_NEAR(modularity(pairs, sides, 1), 20.0 / 21 - 0.5, 1e-12);
  SeededStream order(1);
  EXPECT_EQ(louvain(10, pairs, 1, order), sides);
}

TEST(Louvain, NeverEndsBelowWhereItStarts) {
  SeededStream stream(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<WeightedPair> pairs;
    for (int k = 0; k < 60; ++k) {
      pairs.push_back({static_cast<std::uint32_t>(stream.below(20)),
                       static_cast<std::uint32_t>(stream.below(20)), stream.uniform_positive()});
    }
    std::vector<std::uint32_t> alone(20);
    for (std::uint32_t i = 0; i < 20; ++i) alone[i] = i;
    EXPECT_GE(modularity(pairs, louvain(20, pairs, 1, stream), 1), modularity(pairs, alone, 1) - 1e-12);
  }
}

TEST(Louvain, LeavesWhatHasNoEdgesAlone) {
  SeededStream order(1);
  EXPECT_EQ(louvain(3, {}, 1, order), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(louvain(3, {{0, 2, 1}}, 1, order), (std::vector<std::uint32_t>{0, 1, 0}));
}

}  // namespace
}  // namespace privet::graph
