#include "privet/tensor/eigenpairs.hpp"

#include <Spectra/SymEigsSolver.h>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "privet/base/distributions.hpp"
#include "privet/base/random.hpp"

namespace privet::tensor {
namespace {

constexpr Eigen::Index kDense = 48;  // rows up to which the whole decomposition is as fast
constexpr Eigen::Index kRestarts = 1000;
constexpr double kTolerance = 1e-10;

class Product {
 public:
  using Scalar = double;
  explicit Product(const SparseMatrix& matrix) : matrix_(matrix) {}
  [[nodiscard]] Eigen::Index rows() const { return static_cast<Eigen::Index>(matrix_.rows()); }
  [[nodiscard]] Eigen::Index cols() const { return rows(); }
  void perform_op(const double* in, double* out) const {
    for (std::size_t i = 0; i < matrix_.rows(); ++i) {
      double sum = 0;
      for (std::uint64_t k = matrix_.offsets()[i]; k < matrix_.offsets()[i + 1]; ++k)
        sum += static_cast<double>(matrix_.value(k)) * in[matrix_.column_indices()[k]];
      out[i] = sum;
    }
  }

 private:
  const SparseMatrix& matrix_;
};

Eigenpairs sorted(const Eigen::VectorXd& values, const Eigen::MatrixXd& vectors, std::size_t rows,
                  std::size_t count) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](Eigen::Index a, Eigen::Index b) { return std::abs(values(a)) > std::abs(values(b)); });
  Eigenpairs pairs{std::vector<double>(count), Matrix(rows, count)};
  for (std::size_t j = 0; j < std::min(count, order.size()); ++j) {
    pairs.values[j] = values(order[j]);
    for (std::size_t i = 0; i < rows; ++i)
      pairs.vectors(i, j) = static_cast<float>(vectors(static_cast<Eigen::Index>(i), order[j]));
  }
  return pairs;
}

// For matrices of which Lanczos makes nothing: without entries, or of lower rank than asked for. Products
// with a block then stay within the few dimensions that there are, and a few rounds settle it.
Eigenpairs by_subspaces(const Product& product, Eigen::Index wanted) {
  constexpr int kRounds = 100;
  const Eigen::Index rows = product.rows();
  Eigen::MatrixXd block(rows, wanted);
  SeededStream stream(1);  // any start serves
  for (Eigen::Index j = 0; j < wanted; ++j)
    for (Eigen::Index i = 0; i < rows; ++i) block(i, j) = standard_normal(stream);
  Eigen::MatrixXd image(rows, wanted);
  Eigen::MatrixXd basis;
  for (int round = 0; round < kRounds; ++round) {
    basis =
        Eigen::HouseholderQR<Eigen::MatrixXd>(block).householderQ() * Eigen::MatrixXd::Identity(rows, wanted);
    for (Eigen::Index j = 0; j < wanted; ++j) product.perform_op(basis.col(j).data(), image.col(j).data());
    block = image;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(basis.transpose() * image);
  return sorted(solver.eigenvalues(), basis * solver.eigenvectors(), static_cast<std::size_t>(rows),
                static_cast<std::size_t>(wanted));
}

}  // namespace

Eigenpairs leading_eigenpairs(const SparseMatrix& symmetric, std::size_t count) {
  const auto rows = static_cast<Eigen::Index>(symmetric.rows());
  const auto wanted = std::min(rows, static_cast<Eigen::Index>(count));
  const Product product(symmetric);
  if (rows <= kDense || 3 * wanted >= rows) {
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(rows, rows);
    for (Eigen::Index i = 0; i < rows; ++i)
      product.perform_op(Eigen::VectorXd::Unit(rows, i).eval().data(), dense.col(i).data());
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense);
    return sorted(solver.eigenvalues(), solver.eigenvectors(), symmetric.rows(),
                  static_cast<std::size_t>(wanted));
  }
  const Eigen::Index basis = std::min(rows, std::max<Eigen::Index>(3 * wanted, wanted + 20));
  try {
    Product operation = product;
    Spectra::SymEigsSolver<Product> solver(operation, wanted, basis);
    solver.init();
    solver.compute(Spectra::SortRule::LargestMagn, kRestarts, kTolerance);
    return sorted(solver.eigenvalues(), solver.eigenvectors(), symmetric.rows(),
                  static_cast<std::size_t>(wanted));
  } catch (const std::runtime_error&) {
    return by_subspaces(product, wanted);
  }
}

}  // namespace privet::tensor
