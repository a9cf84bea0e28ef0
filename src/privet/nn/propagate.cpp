#include "privet/nn/propagate.hpp"

#include "privet/nn/message_passing.hpp"

namespace privet::nn {

std::string Propagate::name() const { return "propagate"; }

std::string Propagate::mixes_examples() const { return mixes_neighbors(); }

void Propagate::forward(const Pass& pass, const Weights&, const Input& in, tensor::MatrixView out,
                        Slot&) const {
  send(propagation_for(pass, in.rows(), *this), in.dense, out);
}

void Propagate::backward(const Pass& pass, const Weights&, const Input& in, tensor::ConstMatrixView,
                         tensor::MatrixView error, tensor::MatrixView in_error, Slot&) const {
  if (in_error.rows == 0) return;
  send_back(propagation_for(pass, in.rows(), *this), error, in_error);
}

}  // namespace privet::nn
