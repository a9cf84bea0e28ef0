#pragma once

#include <span>

#include "privet/tensor/view.hpp"

namespace privet::tensor {

/// Dropout. `draws` are uniform on [0, 1): those below `rate` become 0 and the others 1 / (1 - rate), and
/// every number is multiplied by what its draw became. Without numbers `from` they count as ones. `to` may be
/// `draws`, where nobody needs the factors.
void drop(float rate, std::span<float> draws, std::span<const float> from, std::span<float> to);
void drop(float rate, const MatrixView& draws, const ConstMatrixView& from, const MatrixView& to);

}  // namespace privet::tensor
