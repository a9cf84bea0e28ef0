#include "privet/nn/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "privet/base/error.hpp"
#include "privet/tensor/drop.hpp"
#include "privet/tensor/fill.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::nn {

Network& Network::add(std::shared_ptr<const Layer> layer) {
  if (!layers_.empty() && layers_.back()->outputs() != layer->inputs())
    throw std::logic_error(fmt::format("{} does not fit behind {}", layer->name(), layers_.back()->name()));
  std::size_t size = 0;
  for (const Layer::Array& array : layer->arrays()) size += array.rows * array.columns;
  if (size > 0) groups_.push_back(layers_.size());
  gathered_.push_back((gathered_.empty() ? 0 : gathered_.back()) + (layer->gathers_examples() ? 1 : 0));
  offsets_.push_back(parameters_);
  sizes_.push_back(size);
  statistics_offsets_.push_back(statistics_);
  parameters_ += size;
  statistics_ += layer->statistics();
  layers_.push_back(std::move(layer));
  return *this;
}

Network& Network::set_input_dropout(double rate) {
  if (!(rate >= 0 && rate < 1)) {
    throw InvalidArgument(
        {.what = fmt::format("rate {}", rate), .where = "input dropout", .expected = "0 to below 1"});
  }
  input_dropout_ = rate;
  return *this;
}

std::vector<Network::Array> Network::arrays() const {
  std::vector<Array> all;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    std::size_t offset = offsets_[i];
    for (const Layer::Array& array : layers_[i]->arrays()) {
      all.push_back({fmt::format("{}.{}", i, array.name), offset, array.rows, array.columns});
      offset += array.rows * array.columns;
    }
  }
  return all;
}

Weights Network::weights(std::size_t layer, const Parameters& parameters) const {
  return {std::span(parameters.learnt).subspan(offsets_[layer], sizes_[layer]),
          std::span(parameters.statistics).subspan(statistics_offsets_[layer], layers_[layer]->statistics())};
}

Parameters Network::initial_parameters(RandomStream& stream) const {
  Parameters initial{tensor::AlignedVector<float>(parameters_), tensor::AlignedVector<float>(statistics_)};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::unique_ptr<RandomStream> own = stream.fork("layer", i);
    layers_[i]->initialize(
        std::span(initial.learnt).subspan(offsets_[i], sizes_[i]),
        std::span(initial.statistics).subspan(statistics_offsets_[i], layers_[i]->statistics()), *own);
  }
  return initial;
}

// The pass, the input and the number of rows as one layer sees them.
struct Network::Stage {
  Pass pass;
  Input in;
  std::size_t rows_out;
};

Network::Stage Network::stage(std::size_t layer, const Pass& pass, const Input& input, Tape& tape) const {
  const auto rows_behind = [&](std::size_t gatherings) -> std::size_t {
    if (gatherings == 0) return input.rows();
    if (gatherings < pass.levels.size()) return pass.levels[gatherings].examples.back();
    return pass.examples(input.rows());
  };
  const std::size_t before = layer > 0 ? gathered_[layer - 1] : 0;
  Stage stage{.pass = pass, .in = input, .rows_out = rows_behind(gathered_[layer])};
  if (before < pass.levels.size()) {
    stage.pass.example_rows = pass.levels[before].examples;
    stage.pass.star_rows = pass.levels[before].stars;
  } else if (before > 0) {
    stage.pass.example_rows = {};
    stage.pass.star_rows = {};
  }
  if (layer > 0) {
    const std::size_t rows_in = rows_behind(before);
    stage.in = tensor::ConstMatrixView(tape.slots[layer - 1].output.values().data(), rows_in,
                                       layers_[layer]->inputs());
  } else if (pass.training && input_dropout_ > 0) {
    stage.in.squared_norms = nullptr;
    const float* values = tape.input_values.values().data();
    if (input.is_sparse) {
      stage.in.sparse.values = values;
    } else {
      stage.in.dense = {values, input.rows(), input.columns()};
    }
  }
  return stage;
}

// Dropout of the input keeps zeros zero, so sparse features stay sparse: only their values change.
void Network::drop_input(const Pass& pass, const Input& input, Tape& tape) const {
  if (!pass.training || input_dropout_ == 0) return;
  const auto rate = static_cast<float>(input_dropout_);
  const SeededStream seeded(pass.seed);
  const std::unique_ptr<RandomStream> stream = seeded.fork("input dropout", 0);
  if (!input.is_sparse) {
    const tensor::MatrixView values = shaped(tape.input_values, input.rows(), input.columns());
    tensor::fill_uniform(*stream, 0, 1, {values.data, values.rows * values.columns});
    tensor::drop(rate, values, input.dense, values);
    return;
  }
  const tensor::SparseView& sparse = input.sparse;
  std::uint64_t places = 0;
  std::uint64_t entries = 0;
  for (std::size_t i = 0; i < sparse.rows; ++i) {
    places = std::max(places, sparse.end[i]);
    entries += sparse.end[i] - sparse.begin[i];
  }
  float* values = shaped(tape.input_values, 1, places).data;
  std::span<float> drawn(shaped(tape.input_draws, 1, entries).data, entries);
  tensor::fill_uniform(*stream, 0, 1, drawn);
  for (std::size_t i = 0; i < sparse.rows;) {
    const std::uint64_t begin = sparse.begin[i];
    std::uint64_t end = sparse.end[i++];
    while (i < sparse.rows && sparse.begin[i] == end) end = sparse.end[i++];
    const std::size_t count = end - begin;
    const float* from = sparse.values == nullptr ? nullptr : sparse.values + begin;
    tensor::drop(rate, drawn.first(count), {from, from == nullptr ? 0 : count}, {values + begin, count});
    drawn = drawn.subspan(count);
  }
}

tensor::ConstMatrixView Network::forward(const Pass& pass, const Parameters& parameters, const Input& input,
                                         Tape& tape) const {
  if (input.columns() != inputs()) {
    throw InvalidArgument({.what = fmt::format("rows of {} numbers", input.columns()),
                           .where = "network",
                           .expected = fmt::format("{}", inputs())});
  }
  if (parameters.learnt.size() != parameters_ || parameters.statistics.size() != statistics_) {
    throw InvalidArgument({.what = fmt::format("{} parameters", parameters.learnt.size()),
                           .where = "network",
                           .expected = fmt::format("{}", parameters_)});
  }
  tape.slots.resize(layers_.size());
  drop_input(pass, input, tape);
  tensor::MatrixView out;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Stage at = stage(i, pass, input, tape);
    out = shaped(tape.slots[i].output, at.rows_out, layers_[i]->outputs());
    layers_[i]->forward(at.pass, weights(i, parameters), at.in, out, tape.slots[i]);
  }
  return out;
}

tensor::MatrixView Network::output_error(const Pass& pass, const Input& input, Tape& tape) const {
  const std::size_t last = layers_.size() - 1;
  return shaped(tape.slots[last].error, stage(last, pass, input, tape).rows_out, outputs());
}

void Network::backward(const Pass& pass, const Parameters& parameters, const Input& input, Tape& tape) const {
  // Below the first layer with parameters nobody asks for errors.
  const std::size_t first = groups_.empty() ? layers_.size() : groups_.front();
  for (std::size_t i = layers_.size(); i-- > first;) {
    const Stage at = stage(i, pass, input, tape);
    Slot& slot = tape.slots[i];
    const tensor::ConstMatrixView out(slot.output.values().data(), at.rows_out, layers_[i]->outputs());
    const tensor::MatrixView error(slot.error.values().data(), at.rows_out, layers_[i]->outputs());
    tensor::MatrixView in_error;
    if (i > first) in_error = shaped(tape.slots[i - 1].error, at.in.rows(), layers_[i]->inputs());
    layers_[i]->backward(at.pass, weights(i, parameters), at.in, out, error, in_error, slot);
  }
}

void Network::squared_norms(const Pass& pass, const Input& input, Tape& tape, std::span<double> norms) const {
  require_separate_layers();
  std::ranges::fill(norms, 0.0);
  const std::size_t examples = pass.examples(input.rows());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t i = groups_[g];
    const Stage at = stage(i, pass, input, tape);
    Slot& slot = tape.slots[i];
    layers_[i]->add_squared_norms(at.pass, at.in,
                                  {slot.error.values().data(), at.rows_out, layers_[i]->outputs()}, slot,
                                  norms.subspan(g * examples, examples));
  }
}

void Network::scale_errors(const Pass& pass, const Input& input, std::span<const float> factors,
                           Tape& tape) const {
  const std::size_t examples = pass.examples(input.rows());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t i = groups_[g];
    const Stage at = stage(i, pass, input, tape);
    const std::span<const float> own =
        factors.size() == examples ? factors : factors.subspan(g * examples, examples);
    const tensor::MatrixView error(tape.slots[i].error.values().data(), at.rows_out, layers_[i]->outputs());
    if (at.pass.example_rows.empty()) {
      tensor::scale_rows(error, own, error);
      continue;
    }
    for (std::size_t e = 0; e < examples; ++e) {
      for (std::size_t row = at.pass.example_rows[e]; row < at.pass.example_rows[e + 1]; ++row) {
        for (float& value : error.row(row)) value *= own[e];
      }
    }
  }
}

void Network::silence(const Pass& pass, std::size_t example, Tape& tape) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::size_t width = layers_[i]->outputs();
    // The rows behind layer i are those that the next one sees.
    Pass behind = pass;
    if (gathered_[i] < pass.levels.size()) {
      behind.example_rows = pass.levels[gathered_[i]].examples;
    } else if (gathered_[i] > 0) {
      behind.example_rows = {};
    }
    const std::size_t begin = behind.example_rows.empty() ? example : behind.example_rows[example];
    const std::size_t end = behind.example_rows.empty() ? example + 1 : behind.example_rows[example + 1];
    const auto wipe = [&](tensor::Matrix& rows) {
      if (rows.size() == 0) return;
      std::fill(rows.values().begin() + static_cast<std::ptrdiff_t>(begin * width),
                rows.values().begin() + static_cast<std::ptrdiff_t>(end * width), 0.0F);
    };
    wipe(tape.slots[i].output);
    wipe(tape.slots[i].error);
  }
}

void Network::gradient(const Pass& pass, const Parameters& parameters, const Input& input, Tape& tape,
                       std::span<float> gradient) const {
  for (const std::size_t i : groups_) {
    const Stage at = stage(i, pass, input, tape);
    Slot& slot = tape.slots[i];
    layers_[i]->gradient(at.pass, weights(i, parameters), at.in,
                         {slot.error.values().data(), at.rows_out, layers_[i]->outputs()},
                         gradient.subspan(offsets_[i], sizes_[i]), slot);
  }
}

void Network::gradient_in_doubles(const Pass& pass, const Input& input, Tape& tape,
                                  std::span<float> gradient) const {
  for (const std::size_t i : groups_) {
    const Stage at = stage(i, pass, input, tape);
    Slot& slot = tape.slots[i];
    layers_[i]->gradient_in_doubles(at.pass, at.in,
                                    {slot.error.values().data(), at.rows_out, layers_[i]->outputs()},
                                    gradient.subspan(offsets_[i], sizes_[i]), slot);
  }
}

bool Network::forms_parts(const Input& input) const {
  return input.is_sparse && groups_ == std::vector<std::size_t>{0};
}

void Network::prepare_parts(const Pass& pass, const Input& input, Tape& tape) const {
  const Stage at = stage(groups_.front(), pass, input, tape);
  layers_[groups_.front()]->prepare_parts(at.in, at.rows_out, tape.slots[groups_.front()]);
}

void Network::gradient_part(const Tape& tape, std::size_t first, std::span<float> part) const {
  layers_[groups_.front()]->gradient_part(tape.slots[groups_.front()], first, part);
}

void Network::add_gradient(const Pass& pass, const Input& input, Tape& tape, std::span<double> total) const {
  for (const std::size_t i : groups_) {
    const Stage at = stage(i, pass, input, tape);
    layers_[i]->add_gradient(at.in, {tape.slots[i].error.values().data(), at.rows_out, layers_[i]->outputs()},
                             total.subspan(offsets_[i], sizes_[i]));
  }
}

void Network::squared_row_norms(const Pass& pass, const Input& input, Tape& tape,
                                std::span<double> norms) const {
  std::ranges::fill(norms, 0.0);
  const std::size_t examples = pass.examples(input.rows());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t i = groups_[g];
    const Stage at = stage(i, pass, input, tape);
    layers_[i]->add_squared_row_norms(
        at.pass, at.in, {tape.slots[i].error.values().data(), at.rows_out, layers_[i]->outputs()},
        norms.subspan(g * examples, examples));
  }
}

void Network::update_statistics(const Tape& tape, Parameters& parameters) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i]->statistics() == 0) continue;
    layers_[i]->update_statistics(
        tape.slots[i],
        std::span(parameters.statistics).subspan(statistics_offsets_[i], layers_[i]->statistics()));
  }
}

void Network::require_separate_examples() const {
  if (input_dropout_ > 0)
    throw Unsound(
        {.what = "the masks of input dropout follow the entries of all rows before", .where = "network"});
  require_separate_layers();
}

void Network::require_separate_layers() const {
  for (const auto& layer : layers_) {
    if (const std::string reason = layer->mixes_examples(); !reason.empty())
      throw Unsound({.what = reason, .where = layer->name()});
  }
}

}  // namespace privet::nn
