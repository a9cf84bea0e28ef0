#include "privet/nn/pointwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/tensor/drop.hpp"
#include "privet/tensor/fill.hpp"

namespace privet::nn {
namespace {

void copy(tensor::ConstMatrixView from, tensor::MatrixView to) {
  for (std::size_t i = 0; i < from.rows; ++i) std::ranges::copy(from.row(i), to.row(i).begin());
}

}  // namespace

std::string Activate::name() const {
  switch (activation_) {
    case tensor::Activation::relu:
      return "relu";
    case tensor::Activation::selu:
      return "selu";
    case tensor::Activation::tanh:
      return "tanh";
    case tensor::Activation::none:
      break;
  }
  return "identity";
}

void Activate::forward(const Pass&, const Weights&, const Input& in, tensor::MatrixView out, Slot&) const {
  tensor::activate(activation_, in.dense, out);
}

void Activate::backward(const Pass&, const Weights&, const Input&, tensor::ConstMatrixView out,
                        tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  if (in_error.rows == 0) return;
  copy(error, in_error);
  tensor::activate_backward(activation_, out, in_error);
}

Dropout::Dropout(std::size_t width, double rate, std::uint64_t place)
    : Layer(width, width), rate_(static_cast<float>(rate)), place_(place) {
  if (!(rate >= 0 && rate < 1))
    throw InvalidArgument(
        {.what = fmt::format("rate {}", rate), .where = "dropout", .expected = "0 to below 1"});
}

std::string Dropout::name() const { return fmt::format("dropout {}", rate_); }

void Dropout::forward(const Pass& pass, const Weights&, const Input& in, tensor::MatrixView out,
                      Slot& slot) const {
  if (!pass.training || rate_ == 0) {
    copy(in.dense, out);
    return;
  }
  const tensor::MatrixView mask = slot.keep(0, out.rows, out.columns);
  const SeededStream seeded(pass.seed);
  const std::unique_ptr<RandomStream> stream = seeded.fork("dropout", place_);
  tensor::fill_uniform(*stream, 0.0F, 1.0F, {mask.data, mask.rows * mask.columns});
  tensor::drop(rate_, mask, in.dense, out);
}

void Dropout::backward(const Pass& pass, const Weights&, const Input&, tensor::ConstMatrixView,
                       tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const {
  if (in_error.rows == 0) return;
  copy(error, in_error);
  if (!pass.training || rate_ == 0) return;
  const tensor::ConstMatrixView mask = slot.keep(0, error.rows, error.columns);
  for (std::size_t i = 0; i < error.rows; ++i) {
    const auto row = in_error.row(i);
    const auto keep = mask.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] *= keep[j];
  }
}

std::string NormalizeRows::name() const { return "rows to norm 1"; }

void NormalizeRows::forward(const Pass&, const Weights&, const Input& in, tensor::MatrixView out,
                            Slot& slot) const {
  tensor::normalize_rows_l2(in.dense, out, {slot.keep(0, 1, out.rows).data, out.rows});
}

void NormalizeRows::backward(const Pass&, const Weights&, const Input&, tensor::ConstMatrixView out,
                             tensor::MatrixView error, tensor::MatrixView in_error, Slot& slot) const {
  if (in_error.rows == 0) return;
  copy(error, in_error);
  tensor::normalize_rows_l2_backward(out, {slot.keep(0, 1, out.rows).data, out.rows}, in_error);
}

}  // namespace privet::nn
