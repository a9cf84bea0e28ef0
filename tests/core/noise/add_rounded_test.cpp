#include "privet/core/noise/add_rounded.hpp"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cmath>
#include <limits>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/mechanisms/grid.hpp"

namespace privet::privacy {
namespace {

TEST(AddRounded, IsTheGridsOwnRoundingOnEveryInstructionSet) {
  SeededStream stream(1);
  const double grid = 0x1p-12;
  std::vector<float> values = {0,
                               -0.0F,
                               std::nanf(""),
                               std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::max(),
                               static_cast<float>(grid / 2),
                               static_cast<float>(-1.5 * grid)};
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<float>(stream.uniform() * 8 - 4));
  std::vector<std::int32_t> noise;
  for (std::size_t i = 0; i < values.size(); ++i)
    noise.push_back(static_cast<std::int32_t>(stream.bits() >> 40) - (1 << 23));
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    std::vector<float> result(values.size());
    add_rounded(values, noise, grid, result);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = from_steps(to_steps(static_cast<double>(values[i]), grid) + noise[i], grid);
      ASSERT_EQ(result[i], static_cast<float>(expected)) << values[i] << " on target " << target;
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(AddRounded, LengthsMustAgree) {
  std::vector<float> result(2);
  EXPECT_THROW(add_rounded(std::vector<float>{1}, std::vector<std::int32_t>{1, 2}, 1, result),
               std::logic_error);
}

}  // namespace
}  // namespace privet::privacy
