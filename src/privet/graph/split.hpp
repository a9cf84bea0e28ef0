#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "privet/base/random.hpp"
#include "privet/graph/dataset.hpp"

namespace privet::graph {

/// Makes the split that `text` describes. Only node ids, labels and the stream are looked at, never an edge.
///
///     75/10/15                   shares of the labeled nodes, in percent, that train, validate, test (they
///                                add up to at most 100; what is left has no role)
///     per-class:20/500/1000      20 training nodes of each class, then 500 and 1000 of the rest
///     planetoid                  the stored split "public"
///     file:k                     the stored split k
///     file:each                  one of the stored splits, drawn; see stored_split_of_run
/// `among` is who may get a role by shares: the labeled nodes, or everybody, where even whether a label is
/// there must not matter.
enum class Among { labeled, everybody };
Split make_split(const Dataset& dataset, std::string_view text, RandomStream& stream,
                 Among among = Among::labeled);
/// `file:each` for the run with this seed: the stored splits take turns, so that as many runs as there are
/// splits use every one of them once. Any other text as it is.
std::string stored_split_of_run(const Dataset& dataset, std::string_view text, std::uint64_t seed);
/// Whether the split looks at what the labels are.
bool reads_labels(std::string_view text) noexcept;

/// The parts of make_split that draw: validation and test get round(share x labeled) nodes each, training the
/// rest of its share.
Split share_split(std::span<const std::int32_t> labels, double train, double validation, double test,
                  RandomStream& stream);
Split per_class_split(std::span<const std::int32_t> labels, std::size_t classes, std::size_t train_per_class,
                      std::size_t validation, std::size_t test, RandomStream& stream);

/// Fisher-Yates: every order equally likely.
void shuffle(std::span<NodeId> nodes, RandomStream& stream);

/// The graph without entries between nodes of different roles: of each entry by itself, from the roles alone.
Graph within_roles(const Graph& graph, const std::vector<Role>& roles);

}  // namespace privet::graph
