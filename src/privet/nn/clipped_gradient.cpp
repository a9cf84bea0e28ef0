#include "privet/nn/clipped_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "privet/tensor/rows.hpp"

namespace privet::nn {
namespace {

constexpr double kUnitRoundoff = 0x1p-24;
constexpr double kTolerated = 0.005;
constexpr std::uint64_t kLeastPiece = 8;
constexpr double kFinishingRoundings = 4;

// Gradients so much larger than the clip norm count as zero, like those that are not finite: scaled by less,
// float32 errors would fall into the numbers that have lost their precision.
constexpr double kLeastFactor = 0x1p-60;

// Never above clip / norm, so that the clipped norm is at most the clip norm in exact arithmetic. 0 only for
// an example that does not count.
float factor_for(double squared_norm, double clip) {
  const double root = std::sqrt(squared_norm);
  if (!(std::isfinite(squared_norm) && clip >= kLeastFactor * root)) return 0;
  const double norm = root * (1 + 0x1p-40);  // the norms are sums in double precision
  if (norm <= clip) return 1;
  return std::nextafter(static_cast<float>(clip / norm), 0.0F);
}

// Empties an example's row of the batch.
void mute(BatchRoom& batch, const Input& input, std::size_t row) {
  if (input.is_sparse) {
    batch.end[row] = batch.begin[row];
  } else {
    const tensor::MatrixView rows(batch.rows.values().data(), input.rows(), input.columns());
    std::ranges::fill(rows.row(row), 0.0F);
  }
}

// Leaves the clipped errors of the members on the tape.
Input clip_piece(const Network& network, const Parameters& parameters, const Examples& examples,
                 std::span<const std::uint32_t> members, const Clipping& clipping, const Pass& pass,
                 GradientRoom& room) {
  const Input input = gather(examples, members, room.batch);
  const tensor::ConstMatrixView logits = network.forward(pass, parameters, input, room.tape);
  const std::size_t count = members.size();
  room.losses.resize(count);
  tensor::softmax_cross_entropy(logits, room.batch.labels, network.output_error(pass, input, room.tape),
                                room.losses);
  network.backward(pass, parameters, input, room.tape);
  room.norms.resize(count * network.groups());
  network.squared_norms(pass, input, room.tape, room.norms);
  const std::size_t groups = network.groups();
  if (clipping.norms.size() == 1) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t g = 1; g < groups; ++g) room.norms[i] += room.norms[g * count + i];
    }
  }
  room.factors.resize(count * clipping.norms.size());
  for (std::size_t g = 0; g < clipping.norms.size(); ++g) {
    for (std::size_t i = 0; i < count; ++i)
      room.factors[g * count + i] = factor_for(room.norms[g * count + i], clipping.norms[g]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    bool counts = true;
    for (std::size_t g = 0; g < clipping.norms.size(); ++g)
      counts = counts && room.factors[g * count + i] != 0;
    if (counts) continue;
    // Nothing of it may reach a product: zero times what is not a number is not a number.
    mute(room.batch, input, i);
    network.silence(pass, input, i, room.tape);
  }
  network.scale_errors(pass, input, room.factors, room.tape);
  return input;
}

void one_piece(const Network& network, const Parameters& parameters, const Examples& examples,
               std::span<const std::uint32_t> members, const Clipping& clipping, std::uint64_t seed,
               GradientRoom& room, std::span<float> sum) {
  const Pass pass{.training = true, .seed = seed};
  const Input input = clip_piece(network, parameters, examples, members, clipping, pass, room);
  network.gradient(pass, parameters, input, room.tape, sum);
}

}  // namespace

double Clipping::joint_norm() const {
  double squares = 0;
  for (const double norm : norms) squares += norm * norm;
  return norms.size() == 1 ? norms.front() : std::sqrt(squares) * (1 + 0x1p-50);
}

SumPlan SumPlan::for_batches_of(std::uint64_t most, SumIn in) {
  if (in == SumIn::doubles) return {.piece = most, .most = most, .in = in};
  const double rows = kTolerated / (static_cast<double>(most) * kUnitRoundoff) - kFinishingRoundings;
  const auto wanted = rows > 0 ? static_cast<std::uint64_t>(rows) : 0;
  return {.piece = std::clamp(wanted, std::min(kLeastPiece, most), most), .most = most};
}

double SumPlan::sum_error() const {
  const auto rows = static_cast<double>(most);
  if (in == SumIn::doubles) return rows * (rows * 0x1p-53 + 2 * kUnitRoundoff) * (1 + 0x1p-10);
  return (static_cast<double>(piece) + kFinishingRoundings) * static_cast<double>(most) * kUnitRoundoff *
         (1 + 0x1p-10);  // second order: (k u)^2 is far below 2^-10 k u for every k here
}

void clipped_gradient_sum(const Network& network, const Parameters& parameters, const Examples& examples,
                          std::span<const std::uint32_t> members, const Clipping& clipping,
                          const SumPlan& plan, std::uint64_t dropout_seed, GradientRoom& room) {
  if (clipping.norms.size() != 1 && clipping.norms.size() != network.groups())
    throw std::logic_error("clip norms: one, or one for each layer with parameters");
  room.sum.resize(network.parameters());
  if (plan.in == SumIn::doubles && !members.empty()) {
    const Pass pass{.training = true, .seed = dropout_seed};
    const Input input = clip_piece(network, parameters, examples, members, clipping, pass, room);
    network.gradient_in_doubles(pass, input, room.tape, room.sum);
    return;
  }
  if (members.size() <= plan.piece && !members.empty()) {
    one_piece(network, parameters, examples, members, clipping, dropout_seed, room, room.sum);
    return;
  }
  room.piece.resize(network.parameters());
  room.total.assign(network.parameters(), 0.0);
  for (std::size_t first = 0; first < members.size(); first += plan.piece) {
    const std::size_t count = std::min<std::size_t>(plan.piece, members.size() - first);
    one_piece(network, parameters, examples, members.subspan(first, count), clipping, dropout_seed + first,
              room, room.piece);
    for (std::size_t j = 0; j < room.total.size(); ++j) room.total[j] += static_cast<double>(room.piece[j]);
  }
  for (std::size_t j = 0; j < room.total.size(); ++j) room.sum[j] = static_cast<float>(room.total[j]);
}

}  // namespace privet::nn
