#include "privet/learn/published_accounting.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <vector>

#include "privet/base/error.hpp"

namespace privet::methods {
namespace {

PublishedTraining training(PublishedBatches batches, std::uint64_t nodes, std::uint64_t batch,
                           std::uint64_t epochs) {
  return {.batches = batches, .population = nodes, .batch = batch, .epochs = epochs};
}

// Origin of the numbers in this file: noise scales that runs of the published code logged (GAP, DPDGC, and a
// third party's runs of both), or an independent implementation of their accountants that reproduces those.

TEST(PublishedSigma, OfGapAtEdgeLevel) {
  const auto sigma = [](std::uint64_t hops, double epsilon, double delta) {
    return published_sigma({.gaussians = hops}, epsilon, delta);
  };
  EXPECT_NEAR(sigma(1, 1, 1e-6), 4.2247, 5e-5);
  EXPECT_NEAR(sigma(4, 1, 1e-6), 8.4494, 5e-5);
  EXPECT_NEAR(sigma(20, 1, 1e-6), 18.8933, 5e-5);
  EXPECT_NEAR(sigma(1, 16, 1e-6), 0.3686, 5e-5);
  EXPECT_NEAR(sigma(2, 32, 1e-6), 0.3057, 5e-5);
  EXPECT_NEAR(sigma(1, 1, 1e-2), 1.8779, 5e-5);
  EXPECT_NEAR(sigma(10, 1, 1e-2), 5.9384, 5e-5);
  const std::vector<std::tuple<double, double, double>> facebook = {
      {0.1, 41.330, 58.449}, {0.2, 21.429, 30.305}, {0.5, 8.996, 12.722}, {1, 4.679, 6.617},
      {2, 2.449, 3.464},     {4, 1.298, 1.835},     {8, 0.702, 0.993}};
  for (const auto& [epsilon, one, two] : facebook) {
    EXPECT_NEAR(sigma(1, epsilon, 1e-7), one, 6e-4) << epsilon;
    EXPECT_NEAR(sigma(2, epsilon, 1e-7), two, 6e-4) << epsilon;
  }
}

TEST(PublishedSigma, OfGapAtNodeLevel) {
  const auto sigma = [](std::uint64_t nodes, std::uint64_t batch, std::uint64_t epochs, std::uint64_t hops,
                        double epsilon, double delta) {
    const PublishedTraining sgd = training(PublishedBatches::poisson, nodes, batch, epochs);
    return published_sigma({.trainings = {sgd, sgd}, .gaussians = hops}, epsilon, delta);
  };
  const std::vector<std::pair<double, double>> facebook = {
      {1, 6.086}, {2, 3.241}, {4, 1.760}, {8, 1.004}, {16, 0.667}};
  for (const auto& [epsilon, expected] : facebook)
    EXPECT_NEAR(sigma(19'805, 256, 10, 2, epsilon, 1e-5), expected, 5.1e-4) << epsilon;
  EXPECT_NEAR(sigma(87'535, 2'048, 10, 3, 8, 1e-5), 1.228, 5.1e-4);     // Reddit
  EXPECT_NEAR(sigma(1'343'048, 4'096, 10, 2, 8, 1e-7), 1.069, 5.1e-4);  // Amazon
  EXPECT_NEAR(published_sigma({.trainings = {training(PublishedBatches::poisson, 19'805, 256, 10)}}, 8, 1e-5),
              0.641, 5.1e-4);  // Facebook, MLP-DP
}

// DPDGC's fork, which all logged runs below are of, draws batches of fixed size for every method in it.
// Numbers of training nodes: 70 % of Cora and PubMed; of the others, whose classes are filtered after the
// split, the ones that fit all three tables. The search of the published code ends within 1e-3 of epsilon, so
// that the last printed digit is not certain.
struct Logged {
  const char* data;
  std::uint64_t nodes;
  double delta;
  std::vector<double> dpdgc;  // two trainings with batches of 256 and one release, epsilon 1, 2, 4, 8, 16, 32
  std::vector<double> dp_mlp;  // one training with batches of 64
  double gap;  // two trainings with batches of 256 and 9 hops, epsilon 1; 0 where none was logged
};

const std::vector<Logged>& logged() {
  static const std::vector<Logged> all = {{"Cora",
                                           1'895,
                                           1e-4,
                                           {37.0634, 19.9992, 10.9566, 6.2041, 3.7135, 2.2256},
                                           {13.0238, 7.0534, 3.9075, 2.2801, 1.4526, 0.8840},
                                           38.3566},
                                          {"Photo",
                                           5'271,
                                           1e-4,
                                           {22.3113, 12.0537, 6.6243, 3.7850, 2.3110, 1.4472},
                                           {7.8061, 4.2559, 2.4042, 1.4690, 0.9074, 0.6594},
                                           24.4054},
                                          {"Computers",
                                           9'424,
                                           1e-4,
                                           {16.8292, 9.1012, 5.0170, 2.8913, 1.7982, 1.1403},
                                           {5.8502, 3.2139, 1.8536, 1.1557, 0.7463, 0.5893},
                                           0},
                                          {"PubMed",
                                           13'802,
                                           1e-5,
                                           {16.1915, 8.6219, 4.6790, 2.6411, 1.6110, 0.9835},
                                           {5.5769, 3.0235, 1.7296, 1.0242, 0.7063, 0.5624},
                                           0},
                                          {"Facebook",
                                           18'494,
                                           1e-5,
                                           {14.1303, 7.5296, 4.0953, 2.3262, 1.4387, 0.8728},
                                           {4.8286, 2.6344, 1.5315, 0.8985, 0.6630, 0.5381},
                                           18.1670}};
  return all;
}

double tolerance(double sigma) { return 1e-4 + 2e-5 * sigma; }

TEST(PublishedSigma, OfDpdgcAtNodeLevel) {
  for (const Logged& run : logged()) {
    const PublishedTraining sgd = training(PublishedBatches::fixed_size, run.nodes, 256, 100);
    for (std::size_t i = 0; i < run.dpdgc.size(); ++i) {
      const double epsilon = std::pow(2.0, static_cast<double>(i));
      EXPECT_NEAR(published_sigma({.trainings = {sgd, sgd}, .gaussians = 1}, epsilon, run.delta),
                  run.dpdgc[i], tolerance(run.dpdgc[i]))
          << run.data << ' ' << epsilon;
    }
  }
}

TEST(PublishedSigma, OfDpMlpInTheForkOfDpdgc) {
  for (const Logged& run : logged()) {
    const PublishedTraining sgd = training(PublishedBatches::fixed_size, run.nodes, 64, 100);
    for (std::size_t i = 0; i < run.dp_mlp.size(); ++i) {
      const double epsilon = std::pow(2.0, static_cast<double>(i));
      EXPECT_NEAR(published_sigma({.trainings = {sgd}}, epsilon, run.delta), run.dp_mlp[i],
                  tolerance(run.dp_mlp[i]))
          << run.data << ' ' << epsilon;
    }
  }
}

TEST(PublishedSigma, OfGapInTheForkOfDpdgc) {
  for (const Logged& run : logged()) {
    if (run.gap == 0) continue;
    const PublishedTraining sgd = training(PublishedBatches::fixed_size, run.nodes, 256, 100);
    EXPECT_NEAR(published_sigma({.trainings = {sgd, sgd}, .gaussians = 9}, 1, run.delta), run.gap,
                tolerance(run.gap))
        << run.data;
  }
}

TEST(PublishedSigma, OfDpdgcInItsOwnSetting) {
  // 75 % for training, epsilon 16; independent implementation.
  const auto sigma = [](std::uint64_t nodes, std::uint64_t batch, double delta) {
    const PublishedTraining sgd = training(PublishedBatches::fixed_size, nodes, batch, 100);
    return published_sigma({.trainings = {sgd, sgd}, .gaussians = 1}, 16, delta);
  };
  EXPECT_NEAR(sigma(2'031, 64, 1e-4), 1.914, 6e-4);    // Cora
  EXPECT_NEAR(sigma(14'788, 256, 1e-5), 1.568, 6e-4);  // PubMed
  EXPECT_NEAR(sigma(19'805, 256, 1e-5), 1.402, 6e-4);  // Facebook
}

TEST(PublishedEpsilon, IsWhatSigmaWasFoundFor) {
  const PublishedTraining subgraphs = {.batches = PublishedBatches::subgraphs,
                                       .population = 2'000,
                                       .batch = 64,
                                       .epochs = 5,
                                       .max_degree = 10};
  for (const PublishedPlan& plan :
       {PublishedPlan{.gaussians = 3}, PublishedPlan{.trainings = {subgraphs}, .gaussians = 1},
        PublishedPlan{.trainings = {training(PublishedBatches::poisson, 2'000, 64, 5)}}}) {
    for (const double epsilon : {0.3, 4.0, 30.0}) {
      const double sigma = published_sigma(plan, epsilon, 1e-5);
      EXPECT_NEAR(published_epsilon(plan, sigma, 1e-5), epsilon, 1e-5 * epsilon);
      EXPECT_LT(published_epsilon(plan, 1.01 * sigma, 1e-5), epsilon);
    }
  }
}

TEST(PublishedSigma, RefusesWhatThePublishedCodeTrainsWithoutNoise) {
  // Batches of 256 from 25 training nodes: 78 published runs had no noise at all.
  PublishedTraining larger = training(PublishedBatches::subgraphs, 25, 256, 10);
  larger.max_degree = 5;
  EXPECT_THROW((void)published_sigma({.trainings = {larger}}, 8, 1e-5), InvalidArgument);
}

}  // namespace
}  // namespace privet::methods
