#include "privet/graph/io/benchmark_npz.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/graph/io/csr_arrays.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "privet/graph/io/npz_parts.hpp"

namespace privet::graph {
namespace {

// The two spellings that are about.
std::optional<CsrArrays> find_csr(const NpzReader& npz, const std::string& stem) {
  for (const std::string& prefix : {stem + "_", stem + "_matrix."}) {
    if (npz.has(prefix + "indptr")) {
      return CsrArrays{.data = prefix + "data",
                       .indices = prefix + "indices",
                       .indptr = prefix + "indptr",
                       .shape = prefix + "shape"};
    }
  }
  return std::nullopt;
}

}  // namespace

Dataset read_benchmark_npz(const Source& source, const ReadOptions& options, ReadSummary* summary) {
  NpzReader npz(source);
  const auto adjacency = find_csr(npz, "adj");
  if (!adjacency) throw DataError({.what = "has no array 'adj_indptr'", .where = source.name()});
  ReadSummary counts{.format = Format::benchmark_npz, .origin = NodeOrigin::declared};
  std::size_t nodes = 0;
  EdgeList edges = read_csr_edges(npz, *adjacency, nodes, counts);
  Dataset dataset;
  dataset.name = dataset_name(source);
  if (const auto features = find_csr(npz, "attr")) {
    dataset.features = read_csr_matrix(npz, *features, nodes);
  } else if (npz.has("attr_matrix")) {
    dataset.features = read_dense_features(npz, "attr_matrix", nodes);
  }
  if (npz.has("labels")) read_class_labels(npz, "labels", nodes, dataset);
  set_graph(dataset, nodes, std::move(edges), options.direction, source.name(), counts);
  check(dataset, source.name());
  if (summary != nullptr) *summary = counts;
  return dataset;
}

}  // namespace privet::graph
