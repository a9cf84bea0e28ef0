#pragma once

#include <optional>

#include "privet/methods/caribou/caribou_plan.hpp"

namespace privet::methods {

/// caribou where edges are protected, or nothing is, and features and labels are public: X0 from the features
/// (and labels), one release of the last state, and the combiner of ballot, which takes the state only where
/// it beats the features alone on validation labels by a standard error.
Fit fit_caribou_edges(const CaribouOptions& options, const Request& request,
                      const privacy::ProtectedDataset& data, Run& run);

/// From what the model holds; no edge is read.
tensor::Matrix caribou_edge_scores(const CaribouOptions& options, const Model& model,
                                   const privacy::ProtectedDataset& data);

/// What applying the model to another graph releases: one last state, of as many hops of the same layer as in
/// training, with noise for this request; nothing where the combiner does without the graph. InvalidArgument
/// for models of protected people, for rows that are not class probabilities, and in paper rigor.
std::optional<CaribouPlan> caribou_edges_elsewhere(const CaribouOptions& options, const Request& request,
                                                   const Model& model, const privacy::PublicFacts& facts);

/// Scores for the nodes of another graph, with the release of caribou_edges_elsewhere.
tensor::Matrix caribou_edge_scores_elsewhere(const CaribouOptions& options, const Request& request,
                                             const Model& model, const privacy::ProtectedDataset& data,
                                             Run& run);

}  // namespace privet::methods
