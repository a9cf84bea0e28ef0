#pragma once

#include <cstdint>
#include <vector>

#include "privet/audit/attacks/attack_result.hpp"
#include "privet/graph/dataset.hpp"
#include "privet/learn/method.hpp"

namespace privet::audit {

/// G-MIA (Olatunji, Nejdl and Khosla 2021): an attack network (100-50-2) learns from the posteriors of shadow
/// models what members look like, and is asked about the members of the target.
///
///   clean      Models learn from the graph among their members, with rows and edges of one numbering;
///   members
///              and others are asked about on one graph, that of everybody. Several shadows, a true curve. Of
///              methods that answer for their own graph only, models learn on the graph of everybody from the
///              labels of members: a member is then somebody whose label was used.
///   published  As the public code does it, for comparison, and not to be believed: rows are stacked in the
///              order of sampling while edges are renumbered by ascending node, members are asked about on
///              that scrambled graph and others on the whole one, so "asked on a sparse graph" wins without
///              any memory; one shadow; and the "AUROC" is that of hard guesses by batches of 64, which is
///              balanced accuracy. Only for methods that answer for any graph.

/// Members and others of one model, disjoint.
struct Cohort {
  std::vector<graph::NodeId> members = {};  ///< in the order of sampling, class by class
  std::vector<graph::NodeId> others = {};
};

/// Of every class as many members as the paper takes (Cora 90, CiteSeer 100, PubMed 1500) or, elsewhere, an
/// eighth of its nodes, never more than half of it; as many others from the rest of the labelled nodes.
/// Two disjoint ones: of the target and of a shadow. A DataError where nobody has a label.
std::pair<Cohort, Cohort> draw_cohorts(const graph::Dataset& dataset, RandomStream& stream);

std::vector<AttackResult> gmia(const methods::Method& method, const methods::Request& request,
                               const graph::Dataset& dataset, std::uint64_t shadows,
                               const RandomStream& root);

/// Area under the curve of 0/1 guesses, by batches in the order given; batches with one kind only are left
/// out.
double published_auroc(const std::vector<bool>& guesses, const std::vector<bool>& truth, std::size_t batch);

}  // namespace privet::audit
