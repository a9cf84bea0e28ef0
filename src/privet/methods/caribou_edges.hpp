#pragma once

#include "privet/methods/caribou_plan.hpp"

namespace privet::methods {

/// caribou where edges are protected, or nothing is, and features and labels are public: X0 from the features
/// (and labels), one release of the last state, and the combiner of ballot, which takes the state only where
/// it beats the features alone on validation labels by a standard error.
Fit fit_caribou_edges(const CaribouOptions& options, const Request& request,
                      const privacy::ProtectedDataset& data, Run& run);

/// From what the model holds; no edge is read.
tensor::Matrix caribou_edge_scores(const CaribouOptions& options, const Model& model,
                                   const privacy::ProtectedDataset& data);

}  // namespace privet::methods
