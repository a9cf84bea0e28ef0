#include "privet/audit/noise_check.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include "audit/samplers.hpp"
#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

NoiseSample gaussian(const std::string& where, RandomStream& stream, std::size_t count) {
  NoiseSample sample{where, std::vector<double>(count)};
  privacy::fill_gaussian(stream, sample.values);
  return sample;
}

// False alarms: 1e-4 in each of 50 tables of 10 comparisons, seeds fixed.
TEST(NoiseCheck, FreshNoiseIsIndependent) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SeededStream stream(seed);
    std::vector<NoiseSample> samples;
    for (int i = 0; i < 5; ++i) samples.push_back(gaussian(std::to_string(i), stream, 500));
    EXPECT_TRUE(noise_faults(samples, 4, 0.9999).empty());
  }
}

TEST(NoiseCheck, FindsTheSameNumbersAgainAndLater) {
  SeededStream stream(1);
  const NoiseSample all = gaussian("all", stream, 600);
  const auto cut = [&](const std::string& where, std::ptrdiff_t from) {
    return NoiseSample{where, {all.values.begin() + from, all.values.begin() + from + 500}};
  };
  const auto same = noise_faults({cut("a", 0), cut("b", 0)}, 0, 0.999);
  ASSERT_EQ(same.size(), 1U);
  EXPECT_GT(same[0].correlation, 0.99);
  const auto later = noise_faults({cut("a", 0), cut("b", 7)}, 16, 0.999);
  ASSERT_FALSE(later.empty());
  EXPECT_EQ(later[0].lag, -7);
  EXPECT_TRUE(noise_faults({cut("a", 0), cut("b", 7)}, 3, 0.999).empty());
}

TEST(NoiseCheck, FindsAFaintLikeness) {
  SeededStream stream(2);
  NoiseSample a = gaussian("a", stream, 20000);
  NoiseSample b = gaussian("b", stream, 20000);
  for (std::size_t i = 0; i < a.values.size(); ++i) b.values[i] += 0.06 * a.values[i];
  EXPECT_FALSE(noise_faults({a, b}, 0, 0.999).empty());
}

// Every process that makes a stream of its own has noise of its own.
TEST(NoiseCheck, ProcessesDrawTheirOwn) {
  const auto draws_of = [](RandomStream& stream) {
    std::vector<double> values;
    for (int i = 0; i < 200; ++i) values.push_back(stream.uniform());
    return values;
  };
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    SecureStream own;
    const std::vector<double> values = draws_of(own);
    const auto bytes = static_cast<ssize_t>(values.size() * sizeof(double));
    ::_exit(::write(pipe_ends[1], values.data(), static_cast<std::size_t>(bytes)) == bytes ? 0 : 1);
  }
  std::vector<double> theirs(200);
  int status = 1;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_EQ(::read(pipe_ends[0], theirs.data(), theirs.size() * sizeof(double)),
            static_cast<ssize_t>(theirs.size() * sizeof(double)));
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  SecureStream own;
  EXPECT_TRUE(noise_faults({{"parent", draws_of(own)}, {"child", theirs}}, 8, 0.9999).empty());
}

TEST(NoiseCheck, SamplesRunsAndReleases) {
  SeededStream stream(3);
  const auto samples = sample_noise(testing::gaussian_sampler(1), 3, 2, 100, stream);
  ASSERT_EQ(samples.size(), 6U);
  EXPECT_EQ(samples[3].where, "run 2, release 2");
  EXPECT_TRUE(noise_faults(samples, 4, 0.9999).empty());
}

TEST(NoiseCheck, RefusesTooFewValues) {
  SeededStream stream(4);
  EXPECT_THROW((void)noise_faults({gaussian("a", stream, 10), gaussian("b", stream, 10)}, 0, 0.99),
               InvalidArgument);
  EXPECT_THROW((void)noise_faults({gaussian("a", stream, 100), gaussian("b", stream, 99)}, 0, 0.99),
               InvalidArgument);
}

}  // namespace
}  // namespace privet::audit
