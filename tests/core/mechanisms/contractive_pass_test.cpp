#include "privet/core/mechanisms/contractive_pass.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/contractive_worlds.hpp"
#include "privet/base/parallel.hpp"

namespace privet::privacy::testing {
namespace {

World random_world(std::size_t nodes, std::size_t columns, bool undirected, RandomStream& stream) {
  World world(nodes, columns);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (double& value : world.rows[i]) value = 2 * stream.uniform() - 1;
    for (std::size_t j = 0; j < i; ++j) {
      if (stream.below(4) != 0) continue;
      const bool turned = stream.below(2) == 0;
      world.flip(turned ? i : j, turned ? j : i, undirected);
    }
  }
  return world;
}

void project(std::vector<double>& row) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  for (double& value : row) value /= std::max(1.0, std::sqrt(squares));
}

// The definition, hop by hop.
Dense reference(const World& world, const ContractiveLayer& layer, int hops) {
  Dense start = world.rows;
  for (auto& row : start) project(row);
  const Dense matrix = layer_matrix(world, layer);
  Dense x = start;
  for (int hop = 0; hop < hops; ++hop) {
    if (hop > 0)
      for (auto& row : x) project(row);
    Dense next(world.nodes, std::vector<double>(x[0].size()));
    for (std::size_t i = 0; i < world.nodes; ++i) {
      for (std::size_t c = 0; c < x[0].size(); ++c) {
        for (std::size_t j = 0; j < world.nodes; ++j)
          next[i][c] += layer.contraction * matrix[i][j] * x[j][c];
        next[i][c] += layer.residual * start[i][c];
      }
    }
    x = next;
  }
  return x;
}

TEST(ContractiveStates, AreTheDefinition) {
  SeededStream stream(6);
  for (const std::size_t columns : {1, 2, 3, 4, 5, 8, 16, 19, 37}) {
    for (const bool undirected : {true, false}) {
      for (const auto kind : {ContractiveLayer::Kind::floored, ContractiveLayer::Kind::bounded}) {
        const World world = random_world(12, columns, undirected, stream);
        const ContractiveLayer layer{.kind = kind,
                                     .bound = kind == ContractiveLayer::Kind::bounded ? 12U : 3U,
                                     .contraction = 0.8,
                                     .graph_share = 0.7,
                                     .residual = 0.6};
        const tensor::Matrix got =
            contractive_states(world.graph(undirected), layer, 5, world.matrix(), {}, stream);
        const Dense expected = reference(world, layer, 5);
        for (std::size_t i = 0; i < 12; ++i)
          for (std::size_t c = 0; c < columns; ++c)
            EXPECT_NEAR(got(i, c), expected[i][c], 1e-6) << columns << " " << i << " " << c;
      }
    }
  }
}

TEST(ContractiveStates, ProjectAndNeverScaleUp) {
  // Without edges and with contraction 1 a short row stays as it is, hop after hop, and a long one is cut
  // once; a row that is no number is nothing.
  tensor::Matrix x(3, 2);
  x(0, 0) = 0.01F;
  x(1, 1) = 7;
  x(2, 0) = std::nanf("");
  SeededStream stream(1);
  const graph::Graph none(3, graph::EdgeList(), graph::Direction::undirected);
  const tensor::Matrix y = contractive_states(none, {.contraction = 1, .residual = 0}, 10, x, {}, stream);
  EXPECT_NEAR(y(0, 0), 0.01, 1e-8);
  EXPECT_NEAR(y(1, 1), 1, 1e-6);
  EXPECT_EQ(y(2, 0), 0);
}

TEST(ContractiveStates, HaveNoiseAfterEveryProduct) {
  // Of the state after K hops without edges the variance is that of K noises, each shrunk by the hops that
  // follow it: rows this short are never projected. 40,000 numbers: the estimate is within 5 standard errors
  // (3.6 %) but once in a million.
  const graph::Graph none(40'000, graph::EdgeList(), graph::Direction::undirected);
  const double sigma = 0.02;
  for (const std::uint64_t hops : {1, 2, 6}) {
    SeededStream stream(9);
    const tensor::Matrix y =
        contractive_states(none, {.contraction = 0.8, .residual = 0}, hops, tensor::Matrix(40'000, 1),
                           {.stddev = sigma, .grid = 0x1p-28}, stream);
    double squares = 0;
    for (const float value : y.values()) squares += static_cast<double>(value) * static_cast<double>(value);
    double expected = 0;
    for (std::uint64_t k = 0; k < hops; ++k) expected += std::pow(0.64, static_cast<double>(k));
    EXPECT_NEAR(squares / 40'000 / (sigma * sigma) / expected, 1, 0.036) << hops;
    // On the grid, whatever was added.
    for (const float value : y.values()) {
      const double steps = static_cast<double>(value) / 0x1p-28;
      ASSERT_EQ(steps, std::round(steps));
    }
  }
}

TEST(ContractiveStates, DoNotDependOnThreads) {
  SeededStream make(2);
  graph::EdgeList edges;
  for (int e = 0; e < 60'000; ++e)
    edges.add(static_cast<graph::NodeId>(make.below(20'000)), static_cast<graph::NodeId>(make.below(20'000)));
  const graph::Graph graph(20'000, std::move(edges), graph::Direction::undirected);
  tensor::Matrix x(20'000, 5);
  for (float& value : x.values()) value = static_cast<float>(make.uniform() - 0.5);
  const std::size_t before = thread_count();
  const auto run = [&](std::size_t threads) {
    set_thread_count(threads);
    SeededStream stream(8);
    return contractive_states(graph, {.bound = 4, .graph_share = 0.9}, 3, x, {.stddev = 0.3, .grid = 0x1p-24},
                              stream);
  };
  EXPECT_EQ(run(1), run(2));
  set_thread_count(before);
}

TEST(HopRounding, BoundsWhatIsComputed) {
  // The largest distance seen between the kernel and the definition is far below the bound, grid included.
  SeededStream stream(12);
  const World world = random_world(60, 7, true, stream);
  const ContractiveLayer layer{.bound = 2, .contraction = 0.9, .graph_share = 0.8, .residual = 1};
  SeededStream quiet(1);
  const tensor::Matrix got = contractive_states(world.graph(true), layer, 1, world.matrix(), {}, quiet);
  const Dense expected = reference(world, layer, 1);
  double squares = 0;
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t c = 0; c < 7; ++c)
      squares += std::pow(static_cast<double>(got(i, c)) - expected[i][c], 2);
  EXPECT_LT(std::sqrt(squares), 2 * hop_rounding(layer, 60, 7, 1e-30));
  EXPECT_GT(hop_rounding(layer, 60, 7, 1), std::sqrt(420.0));
}

}  // namespace
}  // namespace privet::privacy::testing
