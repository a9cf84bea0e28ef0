#pragma once

#include <cstddef>
#include <vector>

#include "privet/tensor/matrix.hpp"
#include "privet/tensor/sparse_matrix.hpp"

namespace privet::tensor {

/// The eigenvalues of largest size of a symmetric matrix, by falling size, and their eigenvectors of norm 1
/// as columns, with arbitrary signs. The singular values of the matrix are the sizes; the right singular
/// vector is the left one times the sign.
struct Eigenpairs {
  std::vector<double> values;
  Matrix vectors;
};

/// Implicitly restarted Lanczos (Spectra), in doubles, to ten digits; memory is linear in the rows. The same
/// matrix gives the same pairs. At most `rows` pairs; the last ones are 0 where so many do not converge. The
/// caller promises symmetry.
Eigenpairs leading_eigenpairs(const SparseMatrix& symmetric, std::size_t count);

}  // namespace privet::tensor
