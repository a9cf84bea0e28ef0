#pragma once

#include <cstddef>
#include <string>

#include "privet/graph/graph.hpp"
#include "privet/graph/io/npz.hpp"
#include "privet/graph/io/read_options.hpp"
#include "privet/tensor/sparse_matrix.hpp"

namespace privet::graph {

/// The names of the four arrays in which SciPy keeps a CSR matrix.
struct CsrArrays {
  std::string data;
  std::string indices;
  std::string indptr;
  std::string shape;
};

/// The entries of a square matrix as edges; `nodes` becomes its size. Entries may repeat and need no order;
/// those stored with the value 0 are no edges, and are counted in `summary` with self-loops and rows. Faults
/// are a DataError naming array and position.
EdgeList read_csr_edges(NpzReader& npz, const CsrArrays& arrays, std::size_t& nodes, ReadSummary& summary);

/// A matrix of `rows` rows. Entries of a row are sorted if need be; two for one place are a DataError, as are
/// values that are not finite.
tensor::SparseMatrix read_csr_matrix(NpzReader& npz, const CsrArrays& arrays, std::size_t rows);

}  // namespace privet::graph
