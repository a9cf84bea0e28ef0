#include "privet/methods/lists/backbone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/methods/lists/soft_aggregation.hpp"
#include "privet/nn/attention.hpp"
#include "privet/nn/graph_conv.hpp"
#include "privet/nn/pointwise.hpp"
#include "privet/nn/sage.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

// S (P + L) S for gcn, with S = D^-1/2 and L what makes the diagonal 1; D^-1 P for sage.
class SoftAdjacency final : public nn::AdjacencyMap {
 public:
  SoftAdjacency(std::shared_ptr<const LinkPosterior> links, bool convolution)
      : links_(std::move(links)), scale_(links_.links().nodes()), loops_(convolution ? scale_.size() : 0) {
    const std::vector<double> sums = links_.links().row_sums();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (convolution) {
        const double loop = 1 - links_.links().at(i, i);
        loops_[i] = static_cast<float>(loop);
        scale_[i] = static_cast<float>(1 / std::sqrt(std::max(1.0, sums[i] + loop)));
      } else {
        scale_[i] = static_cast<float>(1 / std::max(1.0, sums[i]));
      }
    }
  }

  [[nodiscard]] std::size_t nodes() const override { return scale_.size(); }
  void multiply(tensor::ConstMatrixView x, tensor::MatrixView out) const override {
    if (!loops_.empty()) return convolve(x, out, &SoftAggregation::multiply);
    links_.multiply(x, out);
    tensor::scale_rows(out, scale_, out);
  }
  void multiply_transposed(tensor::ConstMatrixView x, tensor::MatrixView out) const override {
    if (!loops_.empty()) return convolve(x, out, &SoftAggregation::multiply_transposed);
    tensor::Matrix scaled(x.rows, x.columns);
    tensor::scale_rows(x, scale_, scaled);
    links_.multiply_transposed(scaled, out);
  }

 private:
  using Product = void (SoftAggregation::*)(tensor::ConstMatrixView, tensor::MatrixView) const;
  void convolve(const tensor::ConstMatrixView& x, const tensor::MatrixView& out, Product product) const {
    tensor::Matrix scaled(x.rows, x.columns);
    tensor::scale_rows(x, scale_, scaled);
    (links_.*product)(scaled, out);
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t a = 0; a < x.columns; ++a)
        out.row(i)[a] = (out.row(i)[a] + loops_[i] * scaled(i, a)) * scale_[i];
    }
  }

  SoftAggregation links_;
  std::vector<float> scale_;
  std::vector<float> loops_;  // empty: no convolution
};

// The weighted matrix with ones on its diagonal.
tensor::SparseMatrix with_loops(const tensor::SparseMatrix& weights) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  tensor::AlignedVector<float> values;
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    bool placed = false;
    const auto place = [&] {
      columns.push_back(static_cast<std::uint32_t>(i));
      values.push_back(1);
      placed = true;
    };
    for (std::uint64_t e = weights.offsets()[i]; e < weights.offsets()[i + 1]; ++e) {
      const std::uint32_t j = weights.column_indices()[e];
      if (!placed && j >= i) place();
      if (j == i) continue;
      columns.push_back(j);
      values.push_back(weights.value(e));
    }
    if (!placed) place();
    offsets.push_back(columns.size());
  }
  return {weights.rows(), weights.rows(), std::move(offsets), std::move(columns), std::move(values)};
}

tensor::SparseMatrix scaled(const tensor::SparseMatrix& weights, bool both_sides) {
  const std::size_t n = weights.rows();
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::uint64_t e = weights.offsets()[i]; e < weights.offsets()[i + 1]; ++e)
      sum += static_cast<double>(weights.value(e));
    scale[i] = both_sides ? 1 / std::sqrt(std::max(sum, 1.0)) : 1 / std::max(sum, 1.0);
  }
  tensor::AlignedVector<float> values(weights.entries());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint64_t e = weights.offsets()[i]; e < weights.offsets()[i + 1]; ++e) {
      const double other = both_sides ? scale[weights.column_indices()[e]] : 1;
      values[e] = static_cast<float>(static_cast<double>(weights.value(e)) * scale[i] * other);
    }
  }
  return {n,
          n,
          {weights.offsets().begin(), weights.offsets().end()},
          {weights.column_indices().begin(), weights.column_indices().end()},
          std::move(values)};
}

}  // namespace

void Backbone::declare(OptionTable& table) {
  table.add("backbone", kind, "what learns on the reconstructed graph", {"gcn", "sage", "gat"});
  table.add("layers", layers, "layers of message passing", 1, 64);
  table.add("width", width, "numbers between the layers", 1, 65536);
  table.add("dropout", dropout, "share of the inputs of every layer set to 0 while training", 0.0, 0.99);
}

std::string Backbone::text() const { return fmt::format("{} {} {} {}", kind, layers, width, dropout); }

nn::Network Backbone::network(std::size_t inputs, std::size_t outputs) const {
  nn::Network net;
  for (std::uint64_t i = 0; i < layers; ++i) {
    const bool last = i + 1 == layers;
    const std::size_t in = i == 0 ? inputs : width;
    const std::size_t out = last ? outputs : width;
    if (kind == "gcn") {
      net.add<nn::GraphConv>(in, out);
    } else if (kind == "sage") {
      net.add<nn::SageConv>(in, out);
    } else {
      net.add<nn::AttentionConv>(in, nn::AttentionOptions{.heads = 1, .width = out, .place = i});
    }
    if (last) continue;
    net.add<nn::Activate>(out, tensor::Activation::relu);
    if (dropout > 0) net.add<nn::Dropout>(out, dropout, i);
  }
  net.set_input_dropout(dropout);
  return net;
}

void Backbone::require_soft() const {
  if (kind != "gat") return;
  throw InvalidArgument({.what = "attention on weights for every pair of nodes",
                         .where = "graph=soft",
                         .expected = "backbone=gcn or backbone=sage",
                         .remedy = "use graph=hard"});
}

nn::Propagation Backbone::propagation(const Reconstruction& reconstruction) const {
  if (reconstruction.links) {
    require_soft();
    return nn::Propagation(std::make_shared<SoftAdjacency>(reconstruction.links, kind == "gcn"));
  }
  if (reconstruction.weights) {
    if (kind == "gcn") return nn::Propagation(scaled(with_loops(*reconstruction.weights), true));
    if (kind == "sage") return nn::Propagation(scaled(*reconstruction.weights, false));
    return nn::Propagation(with_loops(*reconstruction.weights));
  }
  const graph::Graph& graph = *reconstruction.graph;
  return nn::Propagation(kind == "sage" ? graph::row_mean(graph) : graph::symmetric_with_loops(graph));
}

}  // namespace privet::methods
