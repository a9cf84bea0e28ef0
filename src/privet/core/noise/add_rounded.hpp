#pragma once

#include <cstdint>
#include <span>

namespace privet::privacy {

/// result = (values rounded to the grid + noise) x grid, number by number: the end of a mechanism on floats.
/// `grid` is a power of two, `noise` is in grid steps. What is not a number counts as 0, and what lies beyond
/// kMostSteps (mechanisms/grid.hpp) steps as that bound. All three have the same length.
void add_rounded(std::span<const float> values, std::span<const std::int32_t> noise, double grid,
                 std::span<float> result);

}  // namespace privet::privacy
