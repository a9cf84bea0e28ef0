#pragma once

#include "privet/graph/dataset.hpp"

namespace privet::methods {

/// Each feature row by itself scaled to Euclidean norm `norm`; rows without a number stay empty. 0 leaves all
/// as they are.
graph::Features scaled_rows(const graph::Features& features, double norm);

}  // namespace privet::methods
