#include "privet/base/large_vector.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace privet {
namespace {

// Below and above the size from which large pages are asked for.
TEST(LargeVector, HoldsWhatIsWrittenWhenItGrowsMovesAndShrinks) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{3'000'000}}) {
    LargeVector<std::uint32_t> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::uint32_t>(i * 7);
    values.push_back(1);
    values.resize(size);
    values.shrink_to_fit();
    LargeVector<std::uint32_t> moved = std::move(values);
    const LargeVector<std::uint32_t> copy = moved;
    moved.assign(5, 3);
    ASSERT_EQ(copy.size(), size);
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(copy[i], static_cast<std::uint32_t>(i * 7));
    EXPECT_EQ(moved, (LargeVector<std::uint32_t>{3, 3, 3, 3, 3}));
  }
}

TEST(LargeVector, LargeOnesBeginAtALargePage) {
  const LargeVector<std::uint32_t> values(3'000'000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % (std::uintptr_t{1} << 21), 0u);
}

}  // namespace
}  // namespace privet
