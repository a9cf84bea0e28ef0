#include "privet/graph/io/plain_npz.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "privet/graph/io/limits.hpp"
#include "privet/graph/io/npz_parts.hpp"

namespace privet::graph {
namespace {

NodeId node_of(const NpzReader& npz, const std::string& array, std::uint64_t element, std::int64_t id,
               std::size_t nodes) {
  if (id < 0 || static_cast<std::size_t>(id) >= nodes) {
    throw DataError({.what = fmt::format("element {} is {}", element, id),
                     .where = npz.where(array),
                     .expected = fmt::format("node ids from 0 to {}", nodes - 1)});
  }
  return static_cast<NodeId>(id);
}

// Whether the array is (2,E), sources before targets, rather than (E,2).
bool is_two_rows(NpzReader& npz, const std::string& array) {
  const auto& shape = npz.header(array).shape;
  if (shape.size() != 2 || (shape[0] != 2 && shape[1] != 2)) {
    throw DataError({.what = "has shape " + npz.header(array).shape_text(),
                     .where = npz.where(array),
                     .expected = "(2, E) or (E, 2)"});
  }
  if (shape[0] == 2 && shape[1] == 2) return array == "edge_index";
  return shape[0] == 2;
}

EdgeList read_edges(NpzReader& npz, const std::string& array, std::size_t nodes, ReadSummary& summary) {
  EdgeList edges;
  const auto add = [&](NodeId from, NodeId to) {
    summary.self_loops += from == to ? 1 : 0;
    edges.add(from, to);
  };
  std::uint64_t element = 0;
  if (is_two_rows(npz, array)) {
    const std::uint64_t count = npz.header(array).shape[1];
    std::vector<NodeId> from;
    npz.visit_integers(array, [&](std::span<const std::int64_t> block) {
      for (const std::int64_t id : block) {
        const NodeId node = node_of(npz, array, element, id, nodes);
        if (element < count) {
          from.push_back(node);
        } else {
          add(from[static_cast<std::size_t>(element - count)], node);
        }
        ++element;
      }
    });
  } else {
    NodeId from = 0;
    npz.visit_integers(array, [&](std::span<const std::int64_t> block) {
      for (const std::int64_t id : block) {
        const NodeId node = node_of(npz, array, element, id, nodes);
        if (element % 2 == 0) {
          from = node;
        } else {
          add(from, node);
        }
        ++element;
      }
    });
  }
  summary.rows = static_cast<std::size_t>(element / 2);
  return edges;
}

// One column of roles per split.
void read_masks(NpzReader& npz, const std::string& array, Role role, std::size_t nodes,
                std::vector<Split>& splits) {
  const auto shape = npz.header(array).shape;
  const bool flat = shape.size() == 1 && shape[0] == nodes;
  const bool split_major = shape.size() == 2 && shape[1] == nodes;
  const bool node_major = shape.size() == 2 && shape[0] == nodes;
  if (!flat && !split_major && !node_major) {
    throw DataError({.what = "has shape " + npz.header(array).shape_text(),
                     .where = npz.where(array),
                     .expected = fmt::format("({0}), (k, {0}) or ({0}, k)", nodes)});
  }
  const auto values =
      npz.read_integers(array);  // backed by bytes, so it comes before any allocation by shape
  const std::size_t count = values.size() / nodes;
  if (splits.empty()) {
    for (std::size_t k = 0; k < count; ++k) {
      splits.push_back({.name = flat ? "public" : std::to_string(k), .roles = std::vector<Role>(nodes)});
    }
  }
  if (splits.size() != count) {
    throw DataError({.what = fmt::format("holds {} splits", count),
                     .where = npz.where(array),
                     .expected = fmt::format("{}, as in the other masks", splits.size())});
  }
  for (std::size_t at = 0; at < values.size(); ++at) {
    const std::size_t node = split_major ? at % nodes : at / count;
    const std::size_t split = split_major ? at / nodes : at % count;
    if (values[at] == 0) continue;
    if (values[at] != 1 || splits[split].roles[node] != Role::none) {
      throw DataError({.what = fmt::format("node {} of split {} is {}", node, splits[split].name, values[at]),
                       .where = npz.where(array),
                       .expected = "0 or 1, and every node in one mask at most"});
    }
    splits[split].roles[node] = role;
  }
}

}  // namespace

Dataset read_plain_npz(const Source& source, const ReadOptions& options, ReadSummary* summary) {
  NpzReader npz(source);
  const auto edges_name = npz.first_of({"edge_index", "edges"});
  if (!edges_name) {
    throw DataError({.what = "has no array 'edge_index' or 'edges'", .where = source.name()});
  }
  const auto features_name = npz.first_of({"x", "node_features", "features", "attr_matrix"});
  const auto labels_name = npz.first_of({"y", "node_labels", "labels"});
  std::uint64_t declared = 0;
  std::size_t rows = 0;
  for (const auto& array : {labels_name, features_name}) {
    if (!array) continue;
    const NpyHeader& header = npz.header(*array);
    const bool numbers = header.item_size > 0 && header.kind != 'O' && header.kind != 'V';
    if (!header.shape.empty() && declared == 0) declared = header.shape[0];
    if (numbers && header.count() > 0 && !header.shape.empty()) {
      rows = std::max(rows, static_cast<std::size_t>(header.shape[0]));
    }
  }
  if (npz.has("num_nodes")) {
    const std::int64_t given = npz.read_integer("num_nodes");
    declared = given < 0 ? 0 : static_cast<std::uint64_t>(given);
  } else if (!features_name && !labels_name) {
    throw DataError({.what = "nothing says how many nodes there are",
                     .where = source.name(),
                     .expected = "one of the arrays num_nodes, x, node_features, y, node_labels"});
  }
  is_two_rows(npz, *edges_name);
  expect_plausible_nodes(declared, static_cast<std::size_t>(npz.header(*edges_name).count() / 2), rows,
                         source.name());
  const auto nodes = static_cast<std::size_t>(declared);

  Dataset dataset;
  dataset.name = dataset_name(source);
  if (features_name) dataset.features = read_dense_features(npz, *features_name, nodes);
  if (labels_name) read_class_labels(npz, *labels_name, nodes, dataset);
  for (const auto& [role, names] : {std::pair{Role::train, std::pair{"train_mask", "train_masks"}},
                                    std::pair{Role::validation, std::pair{"val_mask", "val_masks"}},
                                    std::pair{Role::validation, std::pair{"valid_mask", "valid_masks"}},
                                    std::pair{Role::test, std::pair{"test_mask", "test_masks"}}}) {
    if (const auto array = npz.first_of({names.first, names.second})) {
      read_masks(npz, *array, role, nodes, dataset.splits);
    }
  }
  ReadSummary counts{.format = Format::plain_npz, .origin = NodeOrigin::declared};
  EdgeList edges = read_edges(npz, *edges_name, nodes, counts);
  set_graph(dataset, nodes, std::move(edges), options.direction, npz.where(*edges_name), counts);
  check(dataset, source.name());
  if (summary != nullptr) *summary = counts;
  return dataset;
}

}  // namespace privet::graph
