#pragma once

#include <memory>
#include <vector>

#include "privet/methods/local/link_posterior.hpp"
#include "privet/tensor/view.hpp"

namespace privet::methods {

/// P X for the matrix P of link probabilities, by tiles: each tile of the upper triangle is made once, in a
/// cache, and multiplied both ways. Memory goes with the nodes, and the result does not depend on the number
/// of threads.
void multiply(const LinkPosterior& links, tensor::ConstMatrixView x, tensor::MatrixView out);

}  // namespace privet::methods
