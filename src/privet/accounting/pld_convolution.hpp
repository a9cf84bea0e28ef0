#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace privet::privacy {

/// A probability distribution over few integers, to be added to itself `times` over.
struct Summand {
  std::vector<std::int64_t> index;
  std::vector<double> mass;  ///< sums to 1
  double times = 1;          ///< a whole number
};

/// The distribution of a sum of independent draws on the integers first, first + 1, ..., by Fourier
/// transform. Sums outside that window are wrapped into it, modulo its size.
struct WrappedSum {
  std::int64_t first = 0;
  std::vector<double> mass;  ///< never negative
  double error = 0;          ///< no mass is further than this from the exact one
};

/// `size` is a power of two, at least 4.
WrappedSum sum_distribution(const std::vector<Summand>& summands, std::int64_t first, std::size_t size);

}  // namespace privet::privacy
