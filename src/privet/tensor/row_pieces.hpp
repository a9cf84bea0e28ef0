#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

namespace privet::tensor {

/// Runs `body(begin, end)` over rows in pieces of about 32,000 numbers, small matrices in one piece on the
/// calling thread. The pieces depend on the shape alone. Nothing is allocated: the body is passed by
/// reference.
template <typename Body>
void for_row_pieces(std::size_t rows, std::size_t columns, const Body& body) {
  static constexpr std::size_t kNumbersPerPiece = std::size_t{1} << 15;
  const std::size_t grain = std::max<std::size_t>(1, kNumbersPerPiece / std::max<std::size_t>(1, columns));
  parallel_for(rows, grain, std::cref(body));
}

inline void require_sizes(bool fit, const char* where) {
  if (!fit) throw InvalidArgument({.what = "sizes do not fit", .where = where});
}

}  // namespace privet::tensor
