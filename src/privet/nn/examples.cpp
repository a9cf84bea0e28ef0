#include "privet/nn/examples.hpp"

#include <algorithm>
#include <cstring>

#include "privet/base/error.hpp"
#include "privet/nn/layer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::nn {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

[[noreturn]] void no_features() {
  throw InvalidArgument({.what = "the data set has no features",
                         .where = "features",
                         .expected = "at least one column",
                         .remedy = "add features"});
}

tensor::Matrix chosen(const tensor::Matrix& from, std::span<const graph::NodeId> nodes) {
  tensor::Matrix rows(nodes.size(), from.columns());
  for (std::size_t i = 0; i < nodes.size(); ++i) std::ranges::copy(from.row(nodes[i]), rows.row(i).begin());
  return rows;
}

tensor::SparseMatrix chosen(const tensor::SparseMatrix& from, std::span<const graph::NodeId> nodes) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  tensor::AlignedVector<float> values;
  for (const graph::NodeId node : nodes) {
    const auto row = from.row_columns(node);
    columns.insert(columns.end(), row.begin(), row.end());
    if (!from.all_ones()) {
      const auto own = from.values().subspan(from.offsets()[node], row.size());
      values.insert(values.end(), own.begin(), own.end());
    }
    offsets.push_back(columns.size());
  }
  return {nodes.size(), from.columns(), std::move(offsets), std::move(columns), std::move(values)};
}

}  // namespace

Examples examples_of(const graph::Features& features, std::span<const std::int32_t> labels,
                     std::span<const graph::NodeId> nodes) {
  Examples examples;
  examples.features =
      std::visit(Overloaded{[](const std::monostate&) -> graph::Features { no_features(); },
                            [&](const auto& matrix) -> graph::Features { return chosen(matrix, nodes); }},
                 features);
  examples.labels.reserve(nodes.size());
  for (const graph::NodeId node : nodes) examples.labels.push_back(labels[node]);
  return examples;
}

Input all_rows(const graph::Features& features) {
  return std::visit(
      Overloaded{[](const std::monostate&) -> Input { no_features(); },
                 [](const tensor::Matrix& matrix) -> Input { return tensor::ConstMatrixView(matrix); },
                 [](const tensor::SparseMatrix& matrix) -> Input { return tensor::SparseView(matrix); }},
      features);
}

void know_norms(Examples& examples) {
  const Input input = all_rows(examples.features);
  examples.squared_norms.resize(input.rows());
  if (input.is_sparse) {
    tensor::squared_row_norms(input.sparse, examples.squared_norms);
  } else {
    tensor::squared_row_norms(input.dense, examples.squared_norms);
  }
}

Input gather(const Examples& examples, std::span<const std::uint32_t> members, BatchRoom& room) {
  room.labels.clear();
  for (const std::uint32_t member : members) room.labels.push_back(examples.labels[member]);
  Input input = all_rows(examples.features);
  if (!examples.squared_norms.empty()) {
    room.squared_norms.clear();
    for (const std::uint32_t member : members) room.squared_norms.push_back(examples.squared_norms[member]);
    input.squared_norms = room.squared_norms.data();
  }
  if (input.is_sparse) {
    room.begin.clear();
    room.end.clear();
    for (const std::uint32_t member : members) {
      room.begin.push_back(input.sparse.begin[member]);
      room.end.push_back(input.sparse.end[member]);
    }
    input.sparse.rows = members.size();
    input.sparse.begin = room.begin.data();
    input.sparse.end = room.end.data();
    return input;
  }
  const tensor::MatrixView rows = shaped(room.rows, members.size(), input.columns());
  for (std::size_t i = 0; i < members.size(); ++i)
    std::memcpy(rows.row(i).data(), input.dense.row(members[i]).data(), input.columns() * sizeof(float));
  input.dense = rows;
  return input;
}

}  // namespace privet::nn
