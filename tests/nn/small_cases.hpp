#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"
#include "privet/graph/graph.hpp"
#include "privet/nn/network.hpp"
#include "support/gradient_check.hpp"

/// Small random inputs and graphs for the tests of layers, and what all layers have to do.
namespace privet::nn::testing {

inline float small_number(RandomStream& stream) { return static_cast<float>(stream.uniform() * 2 - 1); }

inline tensor::Matrix random_rows(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  SeededStream stream(seed);
  tensor::Matrix x(rows, columns);
  for (float& value : x.values()) value = small_number(stream);
  return x;
}

/// About a third of the entries; row 1 is empty.
inline tensor::SparseMatrix random_sparse_rows(std::size_t rows, std::size_t columns, std::uint64_t seed,
                                               bool all_ones = false) {
  SeededStream stream(seed);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> indices;
  tensor::AlignedVector<float> values;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) {
      if (i == 1 || stream.uniform() > 0.35) continue;
      indices.push_back(j);
      if (!all_ones) values.push_back(small_number(stream));
    }
    offsets.push_back(indices.size());
  }
  return {rows, columns, std::move(offsets), std::move(indices), std::move(values)};
}

inline tensor::Matrix dense_of(const tensor::SparseMatrix& sparse) {
  tensor::Matrix dense(sparse.rows(), sparse.columns());
  for (std::size_t i = 0; i < sparse.rows(); ++i) {
    for (std::uint64_t k = sparse.offsets()[i]; k < sparse.offsets()[i + 1]; ++k)
      dense(i, sparse.column_indices()[k]) = sparse.value(k);
  }
  return dense;
}

/// The last two nodes have no edges.
inline graph::Graph random_graph(std::size_t nodes, std::size_t edges, graph::Direction direction,
                                 std::uint64_t seed) {
  SeededStream stream(seed);
  graph::EdgeList list;
  for (std::size_t e = 0; e < edges; ++e) {
    list.add(static_cast<graph::NodeId>(stream.below(nodes - 2)),
             static_cast<graph::NodeId>(stream.below(nodes - 2)));
  }
  return {nodes, std::move(list), direction};
}

/// All entries 1.
inline tensor::SparseMatrix adjacency(const graph::Graph& graph, bool loops) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> indices;
  for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
    const auto neighbors = graph.neighbors(i);
    indices.insert(indices.end(), neighbors.begin(), neighbors.end());
    if (loops) indices.push_back(i);
    std::sort(indices.begin() + static_cast<std::ptrdiff_t>(offsets.back()), indices.end());
    offsets.push_back(indices.size());
  }
  return {graph.nodes(), graph.nodes(), std::move(offsets), std::move(indices), {}};
}

/// One in five is -1: no loss there.
inline std::vector<std::int32_t> random_labels(std::size_t count, std::size_t classes, std::uint64_t seed) {
  SeededStream stream(seed);
  std::vector<std::int32_t> labels(count);
  for (std::int32_t& label : labels)
    label = stream.below(5) == 0 ? -1 : static_cast<std::int32_t>(stream.below(classes));
  return labels;
}

/// Initial parameters with all arrays, biases too, moved away from zero.
inline Parameters random_parameters(const Network& network, std::uint64_t seed) {
  SeededStream stream(seed);
  Parameters parameters = network.initial_parameters(stream);
  for (float& value : parameters.learnt) value += 0.3F * small_number(stream);
  return parameters;
}

inline tensor::Matrix outputs(const Network& network, const Pass& pass, const Parameters& parameters,
                              const Input& input) {
  Tape tape;
  const tensor::ConstMatrixView out = network.forward(pass, parameters, input, tape);
  tensor::Matrix copy(out.rows, out.columns);
  for (std::size_t i = 0; i < out.rows; ++i) std::ranges::copy(out.row(i), copy.row(i).begin());
  return copy;
}

inline void expect_near(const tensor::Matrix& left, const tensor::Matrix& right, double tolerance) {
  ASSERT_EQ(left.rows(), right.rows());
  ASSERT_EQ(left.columns(), right.columns());
  for (std::size_t i = 0; i < left.rows(); ++i) {
    for (std::size_t j = 0; j < left.columns(); ++j)
      ASSERT_NEAR(static_cast<double>(left(i, j)), static_cast<double>(right(i, j)), tolerance)
          << "row " << i << ", column " << j;
  }
}

/// Plain products in double precision.
inline tensor::Matrix times(const tensor::Matrix& a, const tensor::Matrix& b) {
  tensor::Matrix out(a.rows(), b.columns());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.columns(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < a.columns(); ++k)
        sum += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
      out(i, j) = static_cast<float>(sum);
    }
  }
  return out;
}

/// The learnt array of that name, "0.weight".
inline tensor::Matrix learnt(const Network& network, const Parameters& parameters, const std::string& name) {
  for (const Network::Array& array : network.arrays()) {
    if (array.name != name) continue;
    tensor::Matrix copy(array.rows, array.columns);
    std::copy_n(parameters.learnt.begin() + static_cast<std::ptrdiff_t>(array.offset), copy.size(),
                copy.values().begin());
    return copy;
  }
  ADD_FAILURE() << "no array " << name;
  return {};
}

inline tensor::Matrix add_row(tensor::Matrix x, const tensor::Matrix& row) {
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < x.columns(); ++j) x(i, j) += row(0, j);
  }
  return x;
}

using MakePropagation = std::function<tensor::SparseMatrix(const graph::Graph&)>;

/// Renumbers the nodes and expects the same outputs under the new numbers.
inline void expect_equivariant(const Network& network, const MakePropagation& make) {
  constexpr std::size_t kNodes = 14;
  const graph::Graph graph = random_graph(kNodes, 20, graph::Direction::directed, 71);
  std::vector<graph::NodeId> renumbered(kNodes);
  std::iota(renumbered.begin(), renumbered.end(), 0U);
  SeededStream stream(72);
  for (std::size_t i = kNodes; i > 1; --i) std::swap(renumbered[i - 1], renumbered[stream.below(i)]);
  graph::EdgeList edges;
  for (graph::NodeId i = 0; i < kNodes; ++i) {
    for (const graph::NodeId j : graph.neighbors(i)) edges.add(renumbered[i], renumbered[j]);
  }
  const graph::Graph turned(kNodes, std::move(edges), graph::Direction::directed);
  const tensor::Matrix x = random_rows(kNodes, network.inputs(), 73);
  tensor::Matrix turned_x(kNodes, network.inputs());
  for (std::size_t i = 0; i < kNodes; ++i) std::ranges::copy(x.row(i), turned_x.row(renumbered[i]).begin());

  const Parameters parameters = random_parameters(network, 74);
  const Propagation before(make(graph));
  const Propagation after(make(turned));
  const tensor::Matrix out =
      outputs(network, {.propagation = &before}, parameters, tensor::ConstMatrixView(x));
  const tensor::Matrix turned_out =
      outputs(network, {.propagation = &after}, parameters, tensor::ConstMatrixView(turned_x));
  for (std::size_t i = 0; i < kNodes; ++i) {
    for (std::size_t j = 0; j < out.columns(); ++j)
      ASSERT_NEAR(static_cast<double>(out(i, j)), static_cast<double>(turned_out(renumbered[i], j)), 1e-5);
  }
}

/// Gradients against differences on an undirected and a directed graph.
inline void expect_exact_gradients(const Network& network, const MakePropagation& make, bool sparse,
                                   bool training = false) {
  for (const graph::Direction direction : {graph::Direction::undirected, graph::Direction::directed}) {
    SCOPED_TRACE(direction == graph::Direction::directed ? "directed" : "undirected");
    constexpr std::size_t kNodes = 11;
    const Propagation propagation(make(random_graph(kNodes, 16, direction, 31)));
    const Pass pass{.training = training, .seed = 5, .propagation = &propagation};
    const tensor::Matrix dense = random_rows(kNodes, network.inputs(), 32);
    const tensor::SparseMatrix features = random_sparse_rows(kNodes, network.inputs(), 33);
    const Input input = sparse ? Input(tensor::SparseView(features)) : Input(tensor::ConstMatrixView(dense));
    expect_gradient_matches_differences(network, pass, random_parameters(network, 34), input,
                                        random_labels(kNodes, network.outputs(), 35));
  }
}

/// Outputs and gradients are the same bytes on one thread and on two. Enough nodes for several pieces of
/// work.
inline void expect_same_on_threads(const Network& network, const MakePropagation& make, bool training) {
  constexpr std::size_t kNodes = 700;
  const Propagation propagation(make(random_graph(kNodes, 3000, graph::Direction::directed, 41)));
  const Pass pass{.training = training, .seed = 5, .propagation = &propagation};
  const tensor::Matrix x = random_rows(kNodes, network.inputs(), 42);
  const Parameters parameters = random_parameters(network, 43);
  const auto labels = random_labels(kNodes, network.outputs(), 44);
  const std::size_t threads = thread_count();
  set_thread_count(1);
  const tensor::Matrix out_alone = outputs(network, pass, parameters, tensor::ConstMatrixView(x));
  const auto alone = analytic_gradient(network, pass, parameters, tensor::ConstMatrixView(x), labels);
  set_thread_count(2);
  const tensor::Matrix out_together = outputs(network, pass, parameters, tensor::ConstMatrixView(x));
  const auto together = analytic_gradient(network, pass, parameters, tensor::ConstMatrixView(x), labels);
  set_thread_count(threads);
  EXPECT_EQ(out_alone, out_together);
  EXPECT_EQ(alone, together);
  EXPECT_TRUE(std::ranges::any_of(alone, [](float g) { return g != 0; }));
}

}  // namespace privet::nn::testing
