#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/nn/input.hpp"
#include "privet/tensor/matrix.hpp"
#include "privet/tensor/sparse_matrix.hpp"
#include "privet/tensor/view.hpp"

namespace privet::nn {

/// A weighted adjacency that is not stored but knows how to multiply.
class AdjacencyMap {
 public:
  virtual ~AdjacencyMap();
  [[nodiscard]] virtual std::size_t nodes() const = 0;
  virtual void multiply(tensor::ConstMatrixView x, tensor::MatrixView out) const = 0;
  virtual void multiply_transposed(tensor::ConstMatrixView x, tensor::MatrixView out) const = 0;
};

/// The weighted adjacency along which message passing layers send, and its transpose for the way back; or a
/// map in place of both.
struct Propagation {
  tensor::SparseMatrix forward;
  tensor::SparseMatrix backward;
  std::shared_ptr<const AdjacencyMap> map = {};

  Propagation() = default;
  explicit Propagation(std::shared_ptr<const AdjacencyMap> unstored) : map(std::move(unstored)) {}
  explicit Propagation(tensor::SparseMatrix adjacency)
      : forward(std::move(adjacency)), backward(forward.transposed()) {}
};

/// How the rows between two gathering layers belong together (star.hpp): rows [stars[i], stars[i+1]) become
/// row i behind the next gathering layer, and rows [examples[i], examples[i+1]) belong to example i.
struct RowGroups {
  std::vector<std::uint32_t> stars;
  std::vector<std::uint32_t> examples;
};

/// What one pass through a network knows besides its rows.
struct Pass {
  bool training = false;   ///< dropout drops, batch norm uses the batch
  std::uint64_t seed = 0;  ///< of the dropout masks; the same seed draws the same masks
  const Propagation* propagation = nullptr;
  /// Where one example spans several rows (the nodes of a star): rows [example_rows[i], example_rows[i+1])
  /// belong to example i. Empty: every row is an example.
  std::span<const std::uint32_t> example_rows = {};
  /// For networks that gather rows more than once (trees): one for each gathering layer, `example_rows` being
  /// levels[0].examples. Empty: an example is one star.
  std::span<const RowGroups> levels = {};
  /// Set by the network for the layer that is asked.
  std::span<const std::uint32_t> star_rows = {};

  [[nodiscard]] std::span<const std::uint32_t> stars() const noexcept {
    return star_rows.empty() ? example_rows : star_rows;
  }
  [[nodiscard]] std::size_t examples(std::size_t rows) const noexcept {
    return example_rows.empty() ? rows : example_rows.size() - 1;
  }
};

/// What a layer keeps between the way forward and the way back. Buffers grow to the largest batch seen and
/// are then used again: no allocation inside a training step.
struct Slot {
  tensor::Matrix output;
  tensor::Matrix error;  ///< gradient of the loss with respect to the output
  std::vector<tensor::Matrix> kept;
  std::vector<double> norms;
  std::vector<std::uint64_t> row_ends;       ///< of sparse rows of which some columns are read
  std::vector<std::uint64_t> column_starts;  ///< of the transpose of sparse rows, with the two below
  std::vector<std::uint32_t> column_rows;
  std::vector<float> column_values;           ///< empty: all are 1
  std::vector<std::uint64_t> turned_entries;  ///< of a propagation: where each of its transpose lies in it
  std::size_t summed_rows = 0;                ///< rows of `error` that prepare_parts has seen

  /// kept[index] with room for so many numbers, seen as a matrix.
  tensor::MatrixView keep(std::size_t index, std::size_t rows, std::size_t columns);
};

/// `matrix` with room for so many numbers, seen as a matrix of that shape; what was in it may be lost.
tensor::MatrixView shaped(tensor::Matrix& matrix, std::size_t rows, std::size_t columns);

/// A layer's own slices of the network's numbers: `parameters` are learnt, `statistics` (running means of
/// batch norm) are kept up beside.
struct Weights {
  std::span<const float> parameters;
  std::span<const float> statistics;
};

/// A layer is a description and never changes: its numbers live in the network's parameter vector, what it
/// remembers of a pass in a Slot. So a network may be handed to a computation on private data without being
/// a way out of it.
///
/// The way back has two halves. `backward` carries the errors through all layers; `gradient` then forms the
/// gradients of the parameters from inputs and errors. Between the two, `add_squared_norms` tells the norm of
/// every single example's gradient without forming it, and the errors of an example can be scaled: clipping
/// per example costs one pass over the errors.
class Layer {
 public:
  Layer(std::size_t inputs, std::size_t outputs) : inputs_(inputs), outputs_(outputs) {}
  virtual ~Layer();
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] virtual std::string name() const = 0;

  /// The learnt arrays, in the order in which they lie in the layer's slice of the parameters.
  struct Array {
    std::string name;
    std::size_t rows;
    std::size_t columns;
  };
  [[nodiscard]] virtual std::vector<Array> arrays() const { return {}; }
  [[nodiscard]] virtual std::size_t statistics() const { return 0; }
  virtual void initialize(std::span<float> parameters, std::span<float> statistics,
                          RandomStream& stream) const;

  virtual void forward(const Pass& pass, const Weights& weights, const Input& in, tensor::MatrixView out,
                       Slot& slot) const = 0;

  /// Reads `error`, the loss's gradient with respect to `out`, and writes that with respect to the input to
  /// `in_error`, which has no rows if nobody asks. May change `error` into whatever `gradient` and
  /// `add_squared_norms` need.
  virtual void backward(const Pass& pass, const Weights& weights, const Input& in,
                        tensor::ConstMatrixView out, tensor::MatrixView error, tensor::MatrixView in_error,
                        Slot& slot) const = 0;

  /// Overwrites `gradient` with the loss's gradient with respect to the parameters.
  virtual void gradient(const Pass& pass, const Weights& weights, const Input& in,
                        tensor::ConstMatrixView error, std::span<float> gradient, Slot& slot) const;

  /// The same with every number summed in double precision, in the order of the rows, and rounded once: for
  /// layers that read sparse rows. std::logic_error for layers that do not do that.
  virtual void gradient_in_doubles(const Pass& pass, const Input& in, tensor::ConstMatrixView error,
                                   std::span<float> gradient, Slot& slot) const;

  /// The same without forming it whole, for layers that read sparse rows: prepare_parts() once, then any part
  /// of the gradient, several at once on different threads. `first` is where the part begins,
  /// which comes as zeros: most rows of a batch have few columns. std::logic_error for layers that do not do
  /// that.
  virtual void prepare_parts(const Input& in, std::size_t rows, Slot& slot) const;
  virtual void gradient_part(const Slot& slot, std::size_t first, std::span<float> part) const;

  /// Adds it, in double precision, to `total`: for examples of several rows. The squared norms below and
  /// add_row_norms bound what rounding does to it. std::logic_error for layers that do not do that.
  virtual void add_gradient(const Input& in, tensor::ConstMatrixView error, std::span<double> total) const;

  /// Adds, for every example, the square of the sum of the norms that its rows' gradients have each by
  /// itself: at least the squared norm, and far more where rows cancel. std::logic_error as above.
  virtual void add_squared_row_norms(const Pass& pass, const Input& in, tensor::ConstMatrixView error,
                                     std::span<double> norms) const;

  /// Adds the squared norm of every example's gradient. Unsound, with the reason, for a layer that has
  /// parameters and mixes the rows of different examples.
  virtual void add_squared_norms(const Pass& pass, const Input& in, tensor::ConstMatrixView error, Slot& slot,
                                 std::span<double> norms) const;

  /// Whether the rows of an example become one: behind such a layer every row is an example.
  [[nodiscard]] virtual bool gathers_examples() const { return false; }

  /// Why gradients of single examples do not exist behind this layer; empty where they do.
  [[nodiscard]] virtual std::string mixes_examples() const { return {}; }

  /// After a training pass: brings the statistics up to date.
  virtual void update_statistics(const Slot& slot, std::span<float> statistics) const;

 private:
  std::size_t inputs_;
  std::size_t outputs_;
};

}  // namespace privet::nn
