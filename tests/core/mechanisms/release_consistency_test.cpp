#include <gtest/gtest.h>

#include "privet/core/mechanisms/clipped_sum.hpp"
#include "privet/core/mechanisms/discrete_gaussian.hpp"
#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/mechanisms/geometric.hpp"
#include "privet/core/mechanisms/laplace.hpp"
#include "privet/core/mechanisms/neighbor_choice.hpp"
#include "privet/core/mechanisms/noisy_max.hpp"
#include "privet/core/mechanisms/randomized_response.hpp"
#include "privet/core/mechanisms/top_entries.hpp"
#include "privet/core/release_check.hpp"

namespace privet::privacy {
namespace {

Sensitivity one_number() {
  return Sensitivity::stated(Unit::edge(),
                             {.l1 = 1, .l2 = 1, .coordinates = 1, .value = "a number", .argument = "test"});
}

// What mechanisms write into the log must pass the check that every certificate goes through.
TEST(ReleaseConsistency, EveryMechanismWritesWhatItsEventSays) {
  ReleaseLog log;
  SeededStream stream(1);
  for (int run = 0; run < 3; ++run) {
    (void)GaussianMechanism::with_stddev(one_number(), NoiseStddev(2))
        .release(Secret<double>(1), "a", log, stream);
    (void)GaussianMechanism::with_multiplier(one_number(), 1.7).release(Secret<double>(1), "b", log, stream);
    (void)LaplaceMechanism::with_epsilon(one_number(), Epsilon(0.3))
        .release(Secret<std::vector<double>>({1}), 1, "c", log, stream);
    (void)DiscreteGaussianMechanism(one_number(), NoiseStddev(3), Delta(1e-6))
        .release(Secret<std::int64_t>(1), "d", log, stream);
    const RandomizedResponse bits(Unit::edge(), Epsilon(1));
    const Secret<graph::Graph> graph(graph::Graph(5, {}, graph::Direction::undirected));
    (void)bits.release_pairs(graph, 5, "e", log, stream);
    (void)bits.release_entries(graph, 5, "f", log, stream);
    (void)TopEntries(Unit::edge(), Epsilon(1)).release(graph, 5, 3, "top", log, stream);
    (void)NeighborChoice(Unit::edge(), Epsilon(1))
        .release(graph, {0, 1, 0, 1, 0}, 2, {4, 3, 2, 1, 0}, "groups", log, stream);
    for (const Sampling sampling : {Sampling(PoissonSampling{0.3}), Sampling(FixedSizeSampling{10, 4})}) {
      const ClippedSum sum({.unit = Unit::node(2, Adjacency::replace),
                            .affected = examples_with_one_hop(Unit::node(2, Adjacency::replace), 10),
                            .clip_norm = ClipNorm(0.7),
                            .noise_multiplier = 1.3,
                            .sampling = sampling,
                            .population = 10,
                            .columns = 2});
      (void)sum.release(Secret<tensor::Matrix>(tensor::Matrix(10, 2)), sum.draw(stream), "g", log, stream);
      sum.release_sum(Secret<std::vector<float>>({0, 0}),
                      [](const std::vector<float>& s) { return std::span(s); }, sum.draw(stream), "h", log,
                      stream, {.use = [](std::size_t, std::span<const float>) {}});
    }
  }
  EXPECT_GE(log.releases().size(), 8u);
  for (const Release& release : log.releases()) {
    const std::vector<std::string> faults = release_faults(release);
    EXPECT_TRUE(faults.empty()) << release.mechanism << " " << release.what << ": " << faults.front();
  }
}

TEST(ReleaseConsistency, StepsOfOneKindAreOneLine) {
  ReleaseLog log;
  SeededStream stream(1);
  const auto mechanism = GaussianMechanism::with_stddev(one_number(), NoiseStddev(2));
  for (int step = 0; step < 100; ++step) (void)mechanism.release(Secret<double>(1), "step", log, stream);
  ASSERT_EQ(log.releases().size(), 1u);
  EXPECT_EQ(log.releases()[0].times, 100u);
  EXPECT_TRUE(release_faults(log.releases()[0]).empty());
}

}  // namespace
}  // namespace privet::privacy
