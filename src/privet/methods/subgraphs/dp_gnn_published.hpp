#pragma once

#include <cstdint>
#include <vector>

#include "privet/accounting/event.hpp"
#include "privet/accounting/quantities.hpp"
#include "privet/core/mechanisms/subgraph_sampler.hpp"
#include "privet/graph/graph.hpp"

namespace privet::methods {

/// What Daigavane et al. publish, for `paper` rigor; no strict plan reads it.

/// Algorithm 2: training nodes in a random order take their neighbours while both have fewer than `most`, and
/// each is put into the other's subgraph. A node that goes frees places, which others take, whose places
/// again others take: on a path with most = 1 all other subgraphs change
/// (tests/methods/subgraphs/dp_gnn_published_test.cpp).
privacy::HeardLists greedy_subgraphs(const graph::Graph& graph, const std::vector<std::uint8_t>& training,
                                     std::uint64_t most, std::uint64_t seed);

/// Subgraphs that one node is said to change: sum_{j<=layers} K^j.
std::uint64_t published_terms(std::uint64_t degree, std::uint64_t layers);

/// All steps as Theorem 1 counts them: noise of lambda x 2 terms clip norms.
privacy::Event published_training(std::uint64_t population, std::uint64_t batch, std::uint64_t terms,
                                  double lambda, std::uint64_t steps);

/// The epsilon that it claims.
double published_epsilon(const privacy::Event& training, privacy::Delta delta);

}  // namespace privet::methods
