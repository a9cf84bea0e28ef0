#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "privet/graph/graph.hpp"
#include "privet/tensor/matrix.hpp"
#include "privet/tensor/sparse_matrix.hpp"

namespace privet::graph {

/// What a node is used for. Roles are public, and fixed before any edge is looked at.
enum class Role : std::uint8_t { none, train, validation, test };

/// One named assignment of roles, one per node.
struct Split {
  std::string name;
  std::vector<Role> roles;

  [[nodiscard]] std::vector<NodeId> nodes(Role role) const;
  [[nodiscard]] std::size_t count(Role role) const;
  bool operator==(const Split&) const = default;
};

inline constexpr std::int32_t kUnlabeled = -1;

/// Node features, dense or in compressed rows; a data set may have none.
using Features = std::variant<std::monostate, tensor::Matrix, tensor::SparseMatrix>;

std::size_t feature_columns(const Features& features) noexcept;

/// A graph with what is known of its nodes: plain data, as read or generated. What must be protected is
/// wrapped later, when the caller names a unit of protection (core/).
struct Dataset {
  std::string name;
  Graph graph;
  /// The raw directed graph of data that was published so, beside its undirected form in `graph`.
  std::optional<Graph> directed_graph;
  Features features;
  /// 0..classes-1 or kUnlabeled, one per node; empty for a data set without labels.
  std::vector<std::int32_t> labels;
  std::size_t classes = 0;
  std::vector<Split> splits;
  /// The values behind the labels (years of Facebook100, strings of a labels file); empty, or one per class.
  std::vector<std::string> class_names;
  /// The ids of the nodes in the file they came from; empty, or one per node.
  std::vector<std::string> node_names;

  [[nodiscard]] std::size_t nodes() const noexcept { return graph.nodes(); }
  [[nodiscard]] const Split* find_split(std::string_view split_name) const noexcept;
};

/// Checks that the parts fit together: as many labels, feature rows and roles as nodes, labels below the
/// number of classes, finite features, at least one node. A fault is a DataError that names `where` and the
/// part.
void check(const Dataset& dataset, const std::string& where);

/// SHA-256 (hex) of the data in a canonical form: equal for equal graphs, features, labels and splits,
/// however they were stored. It is a function of private data: fine on the owner's screen, never on a
/// certificate without a secret key.
std::string fingerprint(const Dataset& dataset);

}  // namespace privet::graph
