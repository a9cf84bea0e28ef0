#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/learn/method.hpp"
#include "privet/nn/examples.hpp"

namespace privet::methods {

/// What GAP, ProGAP and their kin share: message passing as a release. A hop adds up the rows of the
/// neighbours, each of norm at most 1, adds Gaussian noise to every number and scales the rows to norm 1
/// again.

/// How far a hop moves between neighbours of the unit: sqrt 2 for edge, 1 for directed-edge, and for node:D,
/// without the node's own row, sqrt D or 2 sqrt D. Rows are their owners': also those behind the first hop,
/// for the row of the protected node itself is not covered and may be anything of norm 1. Unsound for
/// k-neighbor: the row of the node changes in front of any number of neighbours.
privacy::Sensitivity hop_sensitivity(const privacy::Unit& unit, std::size_t columns);

/// The same as published: 1 for an edge, though an undirected one is two entries; sqrt D (GAP, add-remove)
/// and 2 sqrt D (DPDGC, replace) for a node, where D is what the graph was cut down to.
privacy::Sensitivity published_hop_sensitivity(const privacy::Unit& unit, std::size_t columns,
                                               std::uint64_t max_degree);

/// The sums over neighbours of rows, each scaled down to norm 1 if it is longer, with noise. Without a
/// mechanism no noise is added, and the graph must be public.
tensor::Matrix noisy_sums(const privacy::Guarded<graph::Graph>& graph,
                          const privacy::Guarded<tensor::Matrix>& rows, std::size_t columns,
                          std::size_t nodes, const std::optional<privacy::GaussianMechanism>& mechanism,
                          const std::string& what, Run& run);

/// One hop: the same with the rows of the result scaled to norm 1; zero rows stay zero.
tensor::Matrix hop(const privacy::Guarded<graph::Graph>& graph, const privacy::Guarded<tensor::Matrix>& rows,
                   std::size_t columns, std::size_t nodes,
                   const std::optional<privacy::GaussianMechanism>& mechanism, const std::string& what,
                   Run& run);

/// The cost of releasing one sum over neighbours of a graph that the model was not trained on, with all of
/// the budget; InvalidArgument without one. For methods whose scores are for a node's own eyes.
Plan noisy_sums_plan(const Request& request, const Model& model);

/// The graph, in which every node is heard by at most `most` others, chosen uniformly: the published degree
/// sampler. Not stable: where a full node loses one of its listeners another takes its place, so that one
/// node's change moves more rows than `most` (tests/methods/gap/gap_test.cpp finds such pairs). Paper rigor
/// only.
graph::Graph sampled_listeners(const graph::Graph& graph, std::uint64_t most, std::uint64_t seed);

/// The matrices side by side; secret where the first is.
privacy::Guarded<graph::Features> side_by_side(const privacy::Guarded<tensor::Matrix>& first,
                                               const std::vector<tensor::Matrix>& others);

/// The examples of the nodes in a role, secret where features or labels are.
privacy::Guarded<nn::Examples> examples_in_role(const privacy::Guarded<graph::Features>& features,
                                                const privacy::ProtectedDataset& data, graph::Role role);

}  // namespace privet::methods
