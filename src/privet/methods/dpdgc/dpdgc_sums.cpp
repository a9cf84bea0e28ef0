#include "privet/methods/dpdgc/dpdgc_sums.hpp"

#include "privet/core/mechanisms/fixed_point.hpp"
#include "privet/methods/dpdgc/dpdgc_network.hpp"
#include "privet/tensor/sparse_product.hpp"

namespace privet::methods {

tensor::Matrix plain_sums(const graph::Graph& graph, const tensor::Matrix& weight) {
  const graph::Features rows = list_rows(graph, everybody(graph.nodes()));
  tensor::Matrix sums(graph.nodes(), weight.columns());
  tensor::multiply(tensor::SparseView(std::get<tensor::SparseMatrix>(rows)), weight, sums);
  return sums;
}

tensor::Matrix noisy_sums(const privacy::Secret<graph::Graph>& graph, const tensor::Matrix& weight,
                          const privacy::GaussianMechanism& mechanism, double row_bound,
                          privacy::ReleaseLog& log, RandomStream& noise) {
  const privacy::Secret<privacy::FixedPointMatrix> sums = graph.map(
      [](const graph::Graph& edges, const tensor::Matrix& rows, double grid, double bound) {
        return privacy::neighbor_sums(edges, rows, {.grid = grid, .row_bound = bound});
      },
      weight, mechanism.grid(), row_bound);
  return mechanism.release(sums, weight.rows(), weight.columns(), "sums of neighbours' rows of the embedding",
                           log, noise);
}

}  // namespace privet::methods
