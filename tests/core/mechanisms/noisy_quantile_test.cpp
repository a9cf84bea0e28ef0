#include "privet/core/mechanisms/noisy_quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/one_run.hpp"
#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

using Values = Secret<std::vector<double>>;

QuantileQuery query_on(double quantile, std::uint64_t count) {
  QuantileQuery query{.quantile = quantile, .count = count, .changed_values = 1, .candidates = {}};
  for (int i = 0; i <= 100; ++i) query.candidates.push_back(i);
  return query;
}

TEST(NoisyQuantile, FindsTheQuantileWithEnoughData) {
  std::vector<double> values(10001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 100 * static_cast<double>(i) / 10000;
  const Values secret(values);
  ReleaseLog log;
  SeededStream stream(1);
  for (const double quantile : {0.1, 0.5, 0.9}) {
    // A candidate one off is 100 ranks off: taken with probability e^-50.
    EXPECT_EQ(noisy_quantile(secret, query_on(quantile, 10001), Unit::record(Adjacency::replace), Epsilon(1),
                             "norm", log, stream),
              100 * quantile);
  }
  ASSERT_EQ(log.releases()[0].times, 3u);
  EXPECT_LE(std::get<PureEvent>(one_run(log.releases()[0]).kind()).epsilon, 1);
  EXPECT_GE(std::get<PureEvent>(one_run(log.releases()[0]).kind()).epsilon, 1 - 1e-9);
}

TEST(NoisyQuantile, WhatIsNotANumberIsAboveAll) {
  const auto chosen = [](double value) {
    ReleaseLog log;
    SeededStream stream(2);
    const Values secret({1, 2, value, value});
    std::vector<double> all;
    for (int i = 0; i < 100; ++i) {
      all.push_back(noisy_quantile(secret, query_on(0.5, 4), Unit::edge(), Epsilon(2), "x", log, stream));
    }
    return all;
  };
  EXPECT_EQ(chosen(std::nan("")), chosen(101));
  EXPECT_NE(chosen(std::nan("")), chosen(0));
}

TEST(NoisyQuantile, MoreChangedValuesMeanMoreNoise) {
  ReleaseLog log;
  SeededStream stream(3);
  QuantileQuery query = query_on(0.5, 100);
  query.changed_values = 21;
  (void)noisy_quantile(Values(std::vector<double>(100, 50.0)), query, Unit::node(10, Adjacency::replace),
                       Epsilon(1), "x", log, stream);
  EXPECT_NEAR(log.releases()[0].sensitivity, 21, 1e-4);
  EXPECT_NEAR(log.releases()[0].noise_stddev, 42, 1e-3);
}

TEST(NoisyQuantile, RefusesNonsense) {
  const Values secret(std::vector<double>{1});
  const auto ask = [&](QuantileQuery query) {
    ReleaseLog log;
    SeededStream stream(4);
    (void)noisy_quantile(secret, query, Unit::edge(), Epsilon(1), "x", log, stream);
  };
  EXPECT_THROW(ask({.quantile = 1.5, .count = 1, .candidates = {1}}), InvalidArgument);
  EXPECT_THROW(ask({.quantile = 0.5, .count = 0, .candidates = {1}}), InvalidArgument);
  EXPECT_THROW(ask({.quantile = 0.5, .count = 1, .candidates = {}}), InvalidArgument);
  EXPECT_THROW(ask({.quantile = 0.5, .count = 1, .candidates = {2, 1}}), InvalidArgument);
  EXPECT_THROW(ask({.quantile = 0.5, .count = 1, .changed_values = 0, .candidates = {1}}), InvalidArgument);
  EXPECT_THROW(ask({.quantile = 0.5, .count = 1, .candidates = {std::nan("")}}), InvalidArgument);
}

}  // namespace
}  // namespace privet::privacy
