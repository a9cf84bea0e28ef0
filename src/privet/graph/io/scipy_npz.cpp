#include "privet/graph/io/scipy_npz.hpp"

#include <fmt/format.h>

#include <utility>

#include "privet/base/error.hpp"
#include "privet/graph/io/csr_arrays.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "privet/graph/io/npz.hpp"

namespace privet::graph {

Dataset read_scipy_npz(const Source& source, const ReadOptions& options, ReadSummary* summary) {
  NpzReader npz(source);
  const std::string form = npz.read_word("format");
  if (form != "csr") {
    throw DataError({.what = fmt::format("is a sparse matrix in '{}' form", form),
                     .where = source.name(),
                     .expected = "'csr'",
                     .remedy = "convert it in Python: scipy.sparse.save_npz(path, matrix.tocsr())"});
  }
  NodeTables tables = read_node_tables(options);
  ReadSummary counts{.format = Format::scipy, .origin = NodeOrigin::declared};
  std::size_t nodes = 0;
  EdgeList edges = read_csr_edges(
      npz, {.data = "data", .indices = "indices", .indptr = "indptr", .shape = "shape"}, nodes, counts);
  Dataset dataset;
  dataset.name = dataset_name(source);
  set_tables(dataset, std::move(tables), nodes, source.name(), counts);
  set_graph(dataset, nodes, std::move(edges), options.direction, source.name(), counts);
  check(dataset, source.name());
  if (summary != nullptr) *summary = counts;
  return dataset;
}

}  // namespace privet::graph
