#include "privet/nn/branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace privet::nn {
namespace {

void copy(tensor::ConstMatrixView from, tensor::MatrixView to) {
  for (std::size_t i = 0; i < from.rows; ++i) std::ranges::copy(from.row(i), to.row(i).begin());
}

// The columns [first, first + to.columns) of sparse rows, as dense ones.
void unfold(const tensor::SparseView& from, std::size_t first, tensor::MatrixView to) {
  for (std::size_t i = 0; i < from.rows; ++i) {
    const auto row = to.row(i);
    std::ranges::fill(row, 0.0F);
    const std::uint32_t* const begin = from.column_indices + from.begin[i];
    const std::uint32_t* const end = from.column_indices + from.end[i];
    for (const std::uint32_t* at = std::lower_bound(begin, end, first); at != end && *at < first + to.columns;
         ++at)
      row[*at - first] = from.value(static_cast<std::uint64_t>(at - from.column_indices));
  }
}

}  // namespace

OnColumns::OnColumns(std::size_t columns, std::size_t first, std::shared_ptr<const Layer> layer)
    : Layer(columns, columns - layer->inputs() + layer->outputs()),
      first_(first),
      behind_(columns - first - layer->inputs()),
      layer_(std::move(layer)) {
  if (first_ + layer_->inputs() > columns || layer_->gathers_examples())
    throw std::logic_error(
        fmt::format("{} does not fit into columns from {} of {}", layer_->name(), first_, columns));
}

std::string OnColumns::name() const {
  return fmt::format("{} on columns {} to {}", layer_->name(), first_, first_ + layer_->inputs() - 1);
}

void OnColumns::initialize(std::span<float> parameters, std::span<float> statistics,
                           RandomStream& stream) const {
  layer_->initialize(parameters, statistics, stream);
}

// Known norms are those of whole rows, so they are not handed in.
Input OnColumns::part_of(const Input& in, Slot& slot) const {
  if (!in.is_sparse) return in.dense.column_range(first_, layer_->inputs());
  if (first_ != 0) throw std::logic_error("sparse rows are read from their first column on");
  tensor::SparseView part = in.sparse;
  part.columns = layer_->inputs();
  slot.row_ends.resize(part.rows);
  for (std::size_t i = 0; i < part.rows; ++i) {
    const std::uint32_t* const end = part.column_indices + part.end[i];
    slot.row_ends[i] = static_cast<std::uint64_t>(
        std::lower_bound(part.column_indices + part.begin[i], end, part.columns) - part.column_indices);
  }
  part.end = slot.row_ends.data();
  return part;
}

void OnColumns::forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
                        Slot& slot) const {
  const tensor::MatrixView before = out.column_range(0, first_);
  const tensor::MatrixView behind = out.column_range(first_ + layer_->outputs(), behind_);
  if (in.is_sparse) {
    unfold(in.sparse, 0, before);
    unfold(in.sparse, first_ + layer_->inputs(), behind);
  } else {
    copy(in.dense.column_range(0, first_), before);
    copy(in.dense.column_range(first_ + layer_->inputs(), behind_), behind);
  }
  layer_->forward(pass, weights, part_of(in, slot), out.column_range(first_, layer_->outputs()), slot);
}

void OnColumns::backward(const Pass& pass, const Weights& weights, const Input& in,
                         tensor::ConstMatrixView out, tensor::MatrixView error, tensor::MatrixView in_error,
                         Slot& slot) const {
  tensor::MatrixView own;
  if (in_error.rows > 0) {
    copy(error.column_range(0, first_), in_error.column_range(0, first_));
    copy(error.column_range(first_ + layer_->outputs(), behind_),
         in_error.column_range(first_ + layer_->inputs(), behind_));
    own = in_error.column_range(first_, layer_->inputs());
  }
  layer_->backward(pass, weights, part_of(in, slot), out.column_range(first_, layer_->outputs()),
                   error.column_range(first_, layer_->outputs()), own, slot);
}

void OnColumns::gradient(const Pass& pass, const Weights& weights, const Input& in,
                         tensor::ConstMatrixView error, std::span<float> gradient, Slot& slot) const {
  layer_->gradient(pass, weights, part_of(in, slot), error.column_range(first_, layer_->outputs()), gradient,
                   slot);
}

void OnColumns::add_squared_norms(const Pass& pass, const Input& in, tensor::ConstMatrixView error,
                                  Slot& slot, std::span<double> norms) const {
  layer_->add_squared_norms(pass, part_of(in, slot), error.column_range(first_, layer_->outputs()), slot,
                            norms);
}

void OnColumns::update_statistics(const Slot& slot, std::span<float> statistics) const {
  layer_->update_statistics(slot, statistics);
}

std::string SumBeside::name() const { return fmt::format("sum of {} + {} beside them", width_, width_); }

void SumBeside::forward(const Pass&, const Weights&, const Input& in, tensor::MatrixView out, Slot&) const {
  for (std::size_t i = 0; i < out.rows; ++i) {
    const auto from = in.dense.row(i);
    const auto to = out.row(i);
    std::ranges::copy(from, to.begin());
    for (std::size_t j = 0; j < width_; ++j) to[2 * width_ + j] = from[j] + from[width_ + j];
  }
}

void SumBeside::backward(const Pass&, const Weights&, const Input&, tensor::ConstMatrixView,
                         tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  for (std::size_t i = 0; i < in_error.rows; ++i) {
    const auto from = error.row(i);
    const auto to = in_error.row(i);
    for (std::size_t j = 0; j < width_; ++j) {
      to[j] = from[j] + from[2 * width_ + j];
      to[width_ + j] = from[width_ + j] + from[2 * width_ + j];
    }
  }
}

std::string AddHalves::name() const { return fmt::format("sum of {} + {}", outputs(), outputs()); }

void AddHalves::forward(const Pass&, const Weights&, const Input& in, tensor::MatrixView out, Slot&) const {
  for (std::size_t i = 0; i < out.rows; ++i) {
    const auto from = in.dense.row(i);
    const auto to = out.row(i);
    for (std::size_t j = 0; j < to.size(); ++j) to[j] = from[j] + from[to.size() + j];
  }
}

void AddHalves::backward(const Pass&, const Weights&, const Input&, tensor::ConstMatrixView,
                         tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  for (std::size_t i = 0; i < in_error.rows; ++i) {
    const auto from = error.row(i);
    const auto to = in_error.row(i);
    std::ranges::copy(from, to.begin());
    std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(from.size()));
  }
}

}  // namespace privet::nn
