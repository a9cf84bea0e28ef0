#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "privet/base/large_vector.hpp"
#include "privet/methods/lists/link_posterior.hpp"
#include "privet/methods/lists/smooth_links.hpp"
#include "privet/tensor/view.hpp"

namespace privet::methods {

/// P X for the matrix P of link probabilities, both ways for each pair. Where P is not symmetric, a pair has
/// a number for each way, and everything below takes twice as long and as much memory.
///
/// A network asks for thousands of products with the same P. Where most pairs were told as 0, P is near a
/// matrix S of low rank, and P - S is kept for the pairs where it is more than kTolerance of the mean
/// probability: of a row's sum, what is left out is at most that share of the mean row's, beside the rounding
/// of float32 sums. Where more than kMostListed of all pairs would have to be kept, or where a row of S is so
/// much larger than P that rounding would take more than that, P is multiplied by tiles instead, each made in
/// a cache; making one takes about as long as multiplying with it, so the first ones are kept, as many as fit
/// into kMemory: all of them up to about 22,500 nodes. Beside that memory goes with the nodes. The result
/// depends on the probabilities alone, not on the number of threads.
class SoftAggregation {
 public:
  static constexpr std::size_t kMemory = std::size_t{1} << 30U;
  static constexpr double kTolerance = 1e-4;
  static constexpr double kMostListed = 0.2;  // beyond it tiles are faster (bench_local_graph)

  explicit SoftAggregation(std::shared_ptr<const LinkPosterior> links);
  /// By tiles, whatever the pairs, of which as many are kept as fit into `memory` bytes (for each way of a
  /// pair): the same bytes.
  static SoftAggregation by_tiles(std::shared_ptr<const LinkPosterior> links, std::size_t memory = kMemory);

  [[nodiscard]] const LinkPosterior& links() const { return *links_; }
  /// How many pairs are kept beside a matrix of low rank; nothing where P is multiplied by tiles.
  [[nodiscard]] std::optional<std::size_t> listed() const;
  void multiply(tensor::ConstMatrixView x, tensor::MatrixView out) const { gather(x, out, Side::rows); }
  /// P^T X.
  void multiply_transposed(tensor::ConstMatrixView x, tensor::MatrixView out) const {
    gather(x, out, Side::columns);
  }

 private:
  enum class Side { rows, columns };  // what gathers
  // P - S in one block of rows, tile by tile, where it is not left out.
  struct Differences {
    std::vector<std::uint32_t> ends;  // of each row in each tile, counted from the tile's first number
    std::vector<std::uint16_t> columns;
    std::vector<float> values;
  };
  struct Share;

  struct Plain {};
  SoftAggregation(std::shared_ptr<const LinkPosterior> links, Plain);
  void keep_tiles(std::size_t memory);
  [[nodiscard]] bool list_differences(const SmoothLinks& smooth);
  [[nodiscard]] bool loses_to_rounding() const;
  void gather(const tensor::ConstMatrixView& x, const tensor::MatrixView& out, Side side) const;
  void add_tiles(const tensor::ConstMatrixView& x, std::size_t block, Side side, Share& share) const;
  void add_differences(const tensor::ConstMatrixView& x, std::size_t block, Share& share) const;

  std::shared_ptr<const LinkPosterior> links_;
  std::vector<float> diagonal_;           // of P, or of P - S
  std::vector<LargeVector<float>> kept_;  // the tiles of the first blocks of rows, of each triangle
  std::optional<SmoothLinks> smooth_;
  std::vector<Differences> differences_;  // by block of rows
};

}  // namespace privet::methods
