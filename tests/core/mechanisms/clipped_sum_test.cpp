#include "privet/core/mechanisms/clipped_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/one_run.hpp"
#include "privet/base/error.hpp"
#include "privet/core/noise/gaussian.hpp"

namespace privet::privacy {
namespace {

using tensor::Matrix;

ClippedSumPlan plan_on(Sampling sampling, std::uint64_t population, std::uint64_t columns,
                       double multiplier = 1e-3) {
  return {.unit = Unit::record(Adjacency::replace),
          .affected = examples_of_one_record(Unit::record(Adjacency::replace)),
          .clip_norm = ClipNorm(2),
          .noise_multiplier = multiplier,
          .sampling = sampling,
          .population = population,
          .columns = columns};
}

Matrix rows_of(std::initializer_list<std::initializer_list<float>> rows) {
  Matrix matrix(rows.size(), rows.begin()->size());
  std::size_t i = 0;
  for (const auto& row : rows) {
    std::copy(row.begin(), row.end(), matrix.row(i).begin());
    ++i;
  }
  return matrix;
}

std::vector<double> released(const ClippedSum& sum, Matrix rows, std::uint64_t seed = 1) {
  ReleaseLog log;
  SeededStream stream(seed);
  SampledBatch batch = sum.draw(stream);
  return sum.release(Secret<Matrix>(std::move(rows)), std::move(batch), "step", log, stream);
}

TEST(ClippedSum, SumsClippedRows) {
  const ClippedSum sum(plan_on(PoissonSampling{1}, 3, 2));
  // (3, 4) is scaled to norm 2, (1, 0) is short enough.
  const auto result = released(sum, rows_of({{3, 4}, {1, 0}, {-300, 0}}));
  // Noise has a standard deviation of 0.002; six of them and the grid.
  EXPECT_NEAR(result[0], 1.2 + 1 - 2, 0.012 + 1e-5);
  EXPECT_NEAR(result[1], 1.6, 0.012 + 1e-5);
}

TEST(ClippedSum, OneRowMovesTheSumByTwoClipNormsAtMost) {
  const ClippedSum sum(plan_on(PoissonSampling{1}, 2, 3));
  SeededStream stream(5);
  double farthest = 0;
  for (int round = 0; round < 300; ++round) {
    Matrix first(2, 3);
    for (float& value : first.values()) value = static_cast<float>(20 * stream.uniform() - 10);
    Matrix second = first;
    for (float& value : second.row(0)) value = round % 2 == 0 ? -value : static_cast<float>(stream.uniform());
    const auto a = released(sum, first);
    const auto b = released(sum, second);
    double squares = 0;
    for (std::size_t j = 0; j < 3; ++j) squares += (a[j] - b[j]) * (a[j] - b[j]);
    farthest = std::max(farthest, std::sqrt(squares));
  }
  EXPECT_LE(farthest, 4.0) << "no allowance for rounding: it is in the scheme";
  EXPECT_GT(farthest, 4.0 * (1 - 1e-5));
}

TEST(ClippedSum, RowsThatAreNotFiniteCountAsZero) {
  const ClippedSum sum(plan_on(PoissonSampling{1}, 2, 2));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto plain = released(sum, rows_of({{0, 0}, {1, 1}}));
  EXPECT_EQ(released(sum, rows_of({{nan, 1}, {1, 1}})), plain);
  EXPECT_EQ(released(sum, rows_of({{1, -inf}, {1, 1}})), plain);
}

TEST(ClippedSum, EmptyBatchesReleaseNoise) {
  const ClippedSum sum(plan_on(PoissonSampling{1e-9}, 3, 2));
  const auto result = released(sum, Matrix(0, 2));
  EXPECT_NE(result[0], 0);
  EXPECT_NEAR(result[0], 0, 0.012);
  EXPECT_EQ(released(sum, rows_of({{5, 5}, {5, 5}})), result) << "rows beyond the batch are not read";
}

TEST(ClippedSum, IsTotalOnStrangeShapes) {
  const ClippedSum sum(plan_on(PoissonSampling{1}, 2, 2));
  const auto noise = released(sum, Matrix(2, 2));
  EXPECT_EQ(released(sum, Matrix(2, 3)), noise);
  EXPECT_EQ(released(sum, Matrix()), noise);
}

TEST(ClippedSum, TheOrderOfRowsDoesNotMatter) {
  const ClippedSum sum(plan_on(PoissonSampling{1}, 3, 1));
  EXPECT_EQ(released(sum, rows_of({{0.1F}, {1e-7F}, {-0.3F}})),
            released(sum, rows_of({{-0.3F}, {0.1F}, {1e-7F}})));
}

TEST(ClippedSum, TheEventIsThePlan) {
  ClippedSumPlan plan = plan_on(FixedSizeSampling{100, 10}, 100, 4, 1.1);
  plan.unit = Unit::k_neighbor(3);
  plan.affected = examples_with_one_hop(plan.unit, plan.population);
  const ClippedSum sum(plan);
  const Event expected = SubsampledGaussianEvent{FixedSizeSampling{100, 10}, 1.1, 0, 4};
  EXPECT_EQ(sum.event(), expected);
  EXPECT_NEAR(sum.stddev().value(), 2.2, 1e-12);
  ReleaseLog log;
  SeededStream stream(2);
  SampledBatch batch = sum.draw(stream);
  (void)sum.release(Secret<Matrix>(Matrix(10, 4)), std::move(batch), "step 1", log, stream);
  ASSERT_EQ(log.releases().size(), 1u);
  EXPECT_EQ(log.releases()[0].event, expected);
  EXPECT_EQ(log.releases()[0].sampling, "10 of 100 without replacement");
  EXPECT_EQ(log.releases()[0].sensitivity, 2) << "the clip norm; the event counts the four examples";
}

TEST(ClippedSum, BatchesOfAnotherPlanAreRefused) {
  const ClippedSum sum(plan_on(PoissonSampling{0.5}, 3, 2));
  const ClippedSum other(plan_on(PoissonSampling{0.25}, 3, 2));
  ReleaseLog log;
  SeededStream stream(3);
  EXPECT_THROW((void)sum.release(Secret<Matrix>(Matrix(0, 2)), other.draw(stream), "step", log, stream),
               std::logic_error);
  EXPECT_TRUE(log.releases().empty());
}

ClippedSum::Receiver into(std::vector<float>& result) {
  return {.use = [&result](std::size_t first, std::span<const float> numbers) {
    std::ranges::copy(numbers, result.begin() + static_cast<std::ptrdiff_t>(first));
  }};
}

TEST(ClippedSum, PiecesOfAReadySumTogetherAreTheSum) {
  constexpr std::size_t kColumns = (std::size_t{1} << 15) + 100;  // two forks of the noise, and a bit
  const ClippedSum sum(plan_on(PoissonSampling{1}, 3, kColumns, 1.0));
  const auto whole = [](const std::vector<float>& v) { return std::span(v); };
  std::vector<float> values(kColumns);
  for (std::size_t j = 0; j < kColumns; ++j) values[j] = static_cast<float>(j % 1000) / 1000;
  const auto released = [&](std::vector<float> secret) {
    ReleaseLog log;
    SeededStream stream(6);
    std::vector<float> result(kColumns, -1e9F);
    sum.release_sum(Secret<std::vector<float>>(std::move(secret)), whole, sum.draw(stream), "step", log,
                    stream, into(result));
    return result;
  };
  const std::vector<float> noise = released(std::vector<float>(kColumns));
  const std::vector<float> noisy = released(values);
  for (std::size_t j = 0; j < kColumns; ++j) ASSERT_NEAR(noisy[j] - noise[j], values[j], 1e-5) << j;
  EXPECT_EQ(released(std::vector<float>(kColumns - 1, 7.0F)), noise);  // another length counts as zeros
}

// Formed part by part, the same release: noise, numbers and what is written down.
TEST(ClippedSum, PartsAreReleasedLikeTheWhole) {
  constexpr std::size_t kColumns = 40000;  // several pieces
  const ClippedSum sum(plan_on(PoissonSampling{0.5}, 10, kColumns, 2.0));
  std::vector<float> values(kColumns);
  for (std::size_t j = 0; j < kColumns; ++j) values[j] = static_cast<float>(j % 1000) / 1000;
  ReleaseLog log;
  SeededStream first(6);
  SeededStream second(6);
  std::vector<float> whole(kColumns, -1e9F);
  std::vector<float> parts(kColumns, -1e9F);
  sum.release_sum(
      Secret<std::vector<float>>(values), [](const std::vector<float>& v) { return std::span(v); },
      sum.draw(first), "step", log, first, into(whole));
  sum.release_parts(
      Secret<std::vector<float>>(values),
      [](const std::vector<float>& v, std::size_t from, std::span<float> part, const float& factor) {
        for (std::size_t j = 0; j < part.size(); ++j) part[j] = factor * v[from + j];
      },
      sum.draw(second), "step", log, second, into(parts), 1.0F);
  EXPECT_EQ(whole, parts);
  // Parts that fail, or are not written, are zeros, and nobody hears why.
  SeededStream third(6);
  SeededStream fourth(6);
  std::vector<float> zeros(kColumns, -1e9F);
  std::vector<float> failed(kColumns, -1e9F);
  sum.release_parts(
      Secret<std::vector<float>>(values), [](const std::vector<float>&, std::size_t, std::span<float>) {},
      sum.draw(third), "step", log, third, into(zeros));
  sum.release_parts(
      Secret<std::vector<float>>(values),
      [](const std::vector<float>& v, std::size_t, std::span<float> part) {
        part[0] = v[0];
        part[1] = v.at(v.size());
      },
      sum.draw(fourth), "step", log, fourth, into(failed));
  EXPECT_EQ(zeros, failed);
  SeededStream fifth(6);
  std::vector<float> never(kColumns, -1e9F);
  const Secret<std::vector<float>> sound(values);
  sum.release_parts(
      sound.map([](const std::vector<float>& v) { return std::vector<float>(1, v.at(v.size())); }),
      [](const std::vector<float>& v, std::size_t, std::span<float> part) { part[0] = v[0]; },
      sum.draw(fifth), "step", log, fifth, into(never));
  EXPECT_EQ(zeros, never);
  EXPECT_NE(zeros, whole);
  ASSERT_EQ(log.releases().size(), 1U);  // alike, so counted together
  EXPECT_EQ(log.releases()[0].times, 5U);
}

TEST(ClippedSum, ReadySumsPayForTheirRounding) {
  const ClippedSum sum(plan_on(PoissonSampling{1}, 3, 2, 1.0));
  ReleaseLog log;
  SeededStream first(4);
  SeededStream second(4);
  std::vector<float> zero(2);
  std::vector<float> moved(2);
  const auto whole = [](const std::vector<float>& v) { return std::span(v); };
  sum.release_sum(Secret<std::vector<float>>({0, 0}), whole, sum.draw(first), "step", log, first, into(zero));
  sum.release_sum(Secret<std::vector<float>>({1, std::nanf("")}), whole, sum.draw(second), "step", log,
                  second, into(moved));
  EXPECT_NEAR(moved[0] - zero[0], 1, 1e-6);  // float32 holds the result
  EXPECT_EQ(moved[1], zero[1]);
  EXPECT_GT(log.releases()[0].noise_stddev, sum.stddev().value());
  EXPECT_EQ(one_run(log.releases()[0]), sum.event());
}

double charged_for(ClippedSumPlan plan, double sum_error) {
  plan.sum_error = sum_error;
  const ClippedSum sum(plan);
  ReleaseLog log;
  SeededStream stream(5);
  std::vector<float> noisy(2);
  sum.release_sum(
      Secret<std::vector<float>>({0, 0}), [](const std::vector<float>& v) { return std::span(v); },
      sum.draw(stream), "step", log, stream, into(noisy));
  return log.releases()[0].sensitivity / plan.clip_norm.value();
}

// What rounding adds to a moved sum it adds once. A batch may hold one affected example only, but a full one
// holds all: 2 x 0.25 clip norms for 2, 6, or with two added ones 8 that the examples move it by.
TEST(ClippedSum, FullBatchesDivideErrorsAmongAllThatMoves) {
  ClippedSumPlan plan = plan_on(PoissonSampling{0.5}, 9, 2, 1.0);
  plan.affected = {.added = 0, .replaced = 3};
  EXPECT_NEAR(charged_for(plan, 0.25), 1.5, 1e-5);
  plan.sampling = FixedSizeSampling{9, 8};
  EXPECT_NEAR(charged_for(plan, 0.25), 1.5, 1e-5);
  for (const Sampling& full : {Sampling(PoissonSampling{1}), Sampling(FixedSizeSampling{9, 9})}) {
    plan.sampling = full;
    plan.affected = {.added = 0, .replaced = 1};
    EXPECT_NEAR(charged_for(plan, 0.25), 1 + 0.5 / 2, 1e-5);
    plan.affected = {.added = 0, .replaced = 3};
    EXPECT_NEAR(charged_for(plan, 0.25), 1 + 0.5 / 6, 1e-5);
    plan.affected = {.added = 2, .replaced = 3};
    EXPECT_NEAR(charged_for(plan, 0.25), 1 + 0.5 / 8, 1e-5);
  }
}

TEST(ClippedSum, ErrorsOfReadySumsAreChargedForBothDataSets) {
  ClippedSumPlan plan = plan_on(PoissonSampling{0.5}, 3, 2, 1.0);
  plan.sum_error = 0.25;
  const ClippedSum sum(plan);
  ReleaseLog log;
  SeededStream stream(5);
  std::vector<float> noisy(2);
  sum.release_sum(
      Secret<std::vector<float>>({0, 0}), [](const std::vector<float>& v) { return std::span(v); },
      sum.draw(stream), "step", log, stream, into(noisy));
  EXPECT_GE(log.releases()[0].sensitivity, 1.5 * plan.clip_norm.value());
  EXPECT_GE(log.releases()[0].noise_stddev, plan.noise_multiplier * log.releases()[0].sensitivity);
  plan.sum_error = 2;
  EXPECT_THROW(ClippedSum{plan}, InvalidArgument);
}

TEST(BatchSampler, MostMembersAreRarelyExceeded) {
  EXPECT_EQ(most_members(FixedSizeSampling{100, 7}, 100), 7U);
  EXPECT_EQ(most_members(PoissonSampling{1}, 100), 100U);
  // Chernoff for a mean of 256: exp(-d^2 / 2 / (256 + d / 3)) = 2^-100 at d about 212.
  const std::uint64_t most = most_members(PoissonSampling{256.0 / 2000}, 2000);
  EXPECT_GT(most, 256U + 150);
  EXPECT_LT(most, 256U + 215);
}

TEST(ClippedSum, RefusesPlansThatMakeNoSense) {
  ClippedSumPlan plan = plan_on(PoissonSampling{0.5}, 3, 2);
  plan.unit = Unit::none();
  EXPECT_THROW(ClippedSum{plan}, Unsound);
  plan = plan_on(PoissonSampling{0.5}, 3, 2);
  plan.affected = {};
  EXPECT_THROW(ClippedSum{plan}, InvalidArgument);
  EXPECT_THROW(ClippedSum(plan_on(PoissonSampling{0.5}, 3, 2, 0)), InvalidArgument);
  EXPECT_THROW(ClippedSum(plan_on(PoissonSampling{0.5}, 3, 0)), InvalidArgument);
  EXPECT_THROW(ClippedSum(plan_on(FixedSizeSampling{4, 2}, 3, 2)), InvalidArgument);
}

// require_drawable says what release_sum would say, on either side of the limit.
TEST(ClippedSum, KnowsBeforehandWhetherItsNoiseCanBeDrawn) {
  std::size_t refused = 0;
  for (const double multiplier : {1.0, 1e3, 1e4, 2e4, 1e5, 1e7}) {
    const ClippedSum sum(plan_on(PoissonSampling{0.5}, 4, 100000, multiplier));
    ReleaseLog log;
    SeededStream stream(5);
    const auto release = [&] {
      sum.release_sum(Secret<std::vector<float>>(std::vector<float>(100000)),
                      [](const std::vector<float>& values) { return std::span<const float>(values); },
                      sum.draw(stream), "test", log, stream,
                      {.use = [](std::size_t, std::span<const float>) {}});
    };
    try {
      sum.require_drawable();
      EXPECT_NO_THROW(release()) << multiplier;
    } catch (const InvalidArgument&) {
      ++refused;
      EXPECT_THROW(release(), InvalidArgument) << multiplier;
    }
  }
  EXPECT_GT(refused, 0U);
  EXPECT_LT(refused, 6U);
}

}  // namespace
}  // namespace privet::privacy
