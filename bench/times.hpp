#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <vector>

#include "privet/base/parallel.hpp"

namespace privet::bench {

/// Seconds; on one thread of processor time, so that other work on the machine does not count.
template <typename Body>
double seconds(const Body& body) {
  if (thread_count() == 1) {
    const std::clock_t start = std::clock();
    body();
    return static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
  }
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Times {
  double best;
  double median;
};

/// Times of some bodies, run in turns.
template <typename... Bodies>
std::array<Times, sizeof...(Bodies)> times_of(int rounds, const Bodies&... bodies) {
  std::array<std::vector<double>, sizeof...(Bodies)> all;
  for (int round = 0; round < rounds; ++round) {
    std::size_t i = 0;
    (all[i++].push_back(seconds(bodies)), ...);
  }
  std::array<Times, sizeof...(Bodies)> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::sort(all[i].begin(), all[i].end());
    result[i] = {all[i].front(), all[i][all[i].size() / 2]};
  }
  return result;
}

}  // namespace privet::bench
