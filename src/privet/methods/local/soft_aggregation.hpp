#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "privet/base/large_vector.hpp"
#include "privet/methods/local/link_posterior.hpp"
#include "privet/tensor/view.hpp"

namespace privet::methods {

/// P X for the matrix P of link probabilities, by tiles: each tile of the upper triangle is made once, in a
/// cache, and multiplied both ways.
///
/// A network asks for thousands of products with the same P. Making a tile takes about as long as multiplying
/// with it, so the first ones are kept, as many as fit into `memory` bytes: all of them up to about 22,500
/// nodes. Beside that memory goes with the nodes. The result depends neither on what is kept nor on the
/// number of threads.
class SoftAggregation {
 public:
  static constexpr std::size_t kMemory = std::size_t{1} << 30U;

  explicit SoftAggregation(std::shared_ptr<const LinkPosterior> links, std::size_t memory = kMemory);

  [[nodiscard]] const LinkPosterior& links() const { return *links_; }
  void multiply(tensor::ConstMatrixView x, tensor::MatrixView out) const;

 private:
  struct Share;
  void add_row_block(const tensor::ConstMatrixView& x, std::size_t block, Share& share) const;

  std::shared_ptr<const LinkPosterior> links_;
  std::vector<float> diagonal_;
  std::vector<LargeVector<float>> kept_;  // the tiles of the first blocks of rows
};

}  // namespace privet::methods
