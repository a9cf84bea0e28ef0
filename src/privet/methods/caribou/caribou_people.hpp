#pragma once

#include "privet/methods/caribou/caribou_plan.hpp"

namespace privet::methods {

/// caribou under node:D, where everything is protected: a private regression on the features makes X0, the
/// last state is released without anybody's own row, and a private linear classifier on the scores of the
/// regression and the state starts as the regression. One person is one example of each training, and for the
/// iteration one row that others may hear (docs/methods/caribou.md).
Fit fit_caribou_people(const CaribouOptions& options, const Request& request,
                       const privacy::ProtectedDataset& data, Run& run);

/// Each row from the node's own features and its row of the state.
privacy::Guarded<tensor::Matrix> caribou_people_scores(const Model& model,
                                                       const privacy::ProtectedDataset& data);

}  // namespace privet::methods
