#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "privet/nn/layer.hpp"

namespace privet::nn {

/// The numbers of a network.
struct Parameters {
  tensor::AlignedVector<float> learnt;
  tensor::AlignedVector<float> statistics;  ///< running means and variances of batch norm
};

/// What a network keeps of a pass: the outputs and errors of its layers and room to work in. Belongs to one
/// stream of passes; used again and again.
struct Tape {
  std::vector<Slot> slots;
  tensor::Matrix input_values;  ///< of inputs with dropout
  tensor::Matrix input_draws;
};

/// A chain of layers: a description that never changes once built. Numbers are in Parameters, what a pass
/// leaves behind in a Tape, so one network may be used by several threads at once.
///
///     Network network;
///     network.add<Linear>(1433, 64);
///     network.add<Activate>(64, tensor::Activation::selu);
///     network.add<Linear>(64, 7);
///     Parameters parameters = network.initial_parameters(stream);
///     tensor::ConstMatrixView logits = network.forward(pass, parameters, input, tape);
class Network {
 public:
  template <typename L, typename... Arguments>
  Network& add(Arguments&&... arguments) {
    return add(std::make_shared<const L>(std::forward<Arguments>(arguments)...));
  }
  /// std::logic_error where the layer does not fit behind the last one.
  Network& add(std::shared_ptr<const Layer> layer);

  /// While training, sets each number of the input to 0 with this probability and scales the others.
  Network& set_input_dropout(double rate);

  [[nodiscard]] std::size_t inputs() const { return layers_.front()->inputs(); }
  [[nodiscard]] std::size_t outputs() const { return layers_.back()->outputs(); }
  [[nodiscard]] std::size_t layers() const noexcept { return layers_.size(); }
  [[nodiscard]] const Layer& layer(std::size_t i) const { return *layers_[i]; }
  [[nodiscard]] std::size_t parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::size_t statistics() const noexcept { return statistics_; }

  /// One learnt array, as it lies in Parameters::learnt: "2.weight".
  struct Array {
    std::string name;
    std::size_t offset;
    std::size_t rows;
    std::size_t columns;
  };
  [[nodiscard]] std::vector<Array> arrays() const;

  /// A layer's own slices of the numbers.
  [[nodiscard]] Weights weights(std::size_t layer, const Parameters& parameters) const;

  [[nodiscard]] Parameters initial_parameters(RandomStream& stream) const;

  /// The last layer's outputs; they live on the tape until its next pass.
  tensor::ConstMatrixView forward(const Pass& pass, const Parameters& parameters, const Input& input,
                                  Tape& tape) const;

  /// Where the loss writes its gradient with respect to the outputs of the last forward pass.
  [[nodiscard]] tensor::MatrixView output_error(const Pass& pass, const Input& input, Tape& tape) const;
  /// Carries the errors from output_error() to every layer.
  void backward(const Pass& pass, const Parameters& parameters, const Input& input, Tape& tape) const;

  /// The layers that have parameters: the groups of per-group clipping.
  [[nodiscard]] std::size_t groups() const noexcept { return groups_.size(); }
  /// Overwrites norms[g * examples + i] with the squared norm of example i's gradient of group g. Unsound,
  /// with the reason, where a layer mixes examples.
  void squared_norms(const Pass& pass, const Input& input, Tape& tape, std::span<double> norms) const;
  /// Multiplies example i's errors at group g by factors[g * examples + i], or by factors[i] at all groups if
  /// there is one factor per example only (with one group both are the same).
  void scale_errors(const Pass& pass, const Input& input, std::span<const float> factors, Tape& tape) const;

  /// Wipes example `example` off the tape, so that numbers of it that are not finite reach no sum.
  void silence(const Pass& pass, std::size_t example, Tape& tape) const;

  /// Overwrites `gradient` with that of the sum of the examples' losses, from inputs and errors on the tape.
  void gradient(const Pass& pass, const Parameters& parameters, const Input& input, Tape& tape,
                std::span<float> gradient) const;

  /// The same with every number summed in double precision (Layer::gradient_in_doubles).
  void gradient_in_doubles(const Pass& pass, const Input& input, Tape& tape, std::span<float> gradient) const;

  /// The same in parts (Layer::prepare_parts), where `forms_parts` says that the gradient of such an input
  /// can be had so: that of one layer, the first, on sparse rows.
  [[nodiscard]] bool forms_parts(const Input& input) const;
  void prepare_parts(const Pass& pass, const Input& input, Tape& tape) const;
  void gradient_part(const Tape& tape, std::size_t first, std::span<float> part) const;

  /// Adds it, in double precision, to `total` (Layer::add_gradient), and the like for squared_row_norms,
  /// which overwrites as squared_norms does.
  void add_gradient(const Pass& pass, const Input& input, Tape& tape, std::span<double> total) const;
  void squared_row_norms(const Pass& pass, const Input& input, Tape& tape, std::span<double> norms) const;

  void update_statistics(const Tape& tape, Parameters& parameters) const;

  /// Throws Unsound with the reason if some layer mixes examples, so that no per-example gradient exists, or
  /// if the masks of one example's input follow the rows of others.
  void require_separate_examples() const;

 private:
  struct Stage;  // how a layer sees a pass
  [[nodiscard]] Stage stage(std::size_t layer, const Pass& pass, const Input& input, Tape& tape) const;
  void require_separate_layers() const;
  void drop_input(const Pass& pass, const Input& input, Tape& tape) const;

  std::vector<std::shared_ptr<const Layer>> layers_;
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> statistics_offsets_;
  std::vector<std::size_t> groups_;
  std::vector<std::size_t> gathered_;  // how many layers before each, itself included, gather rows
  std::size_t parameters_ = 0;
  std::size_t statistics_ = 0;
  double input_dropout_ = 0;
};

}  // namespace privet::nn
