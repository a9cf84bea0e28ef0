#include "privet/nn/clipped_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "privet/base/parallel.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::nn {
namespace {

constexpr double kUnitRoundoff = 0x1p-24;
constexpr double kTolerated = 0.005;
constexpr std::uint64_t kLeastPiece = 8;
constexpr double kFinishingRoundings = 4;
constexpr double kRowShare = 0x1p-21;      // see SumPlan::sum_error
constexpr std::uint64_t kStarRows = 1024;  // whose numbers at all layers stay near a core
constexpr std::size_t kLanes = 16;         // see GradientRoom::lanes

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

// The rows of a piece, and the pass that reads them.
struct Piece {
  Input input;
  Pass pass;
};

Piece gather_piece(const Examples& examples, std::span<const std::uint32_t> members, std::uint64_t seed,
                   GradientRoom& room) {
  return {gather(examples, members, room.batch), {.training = true, .seed = seed}};
}

Piece gather_piece(const StarExamples& examples, std::span<const std::uint32_t> members, std::uint64_t seed,
                   GradientRoom& room) {
  const Input input = gather(examples, members, room.batch, room.stars);
  return {input,
          {.training = true,
           .seed = seed,
           .example_rows = room.stars.levels.front().examples,
           .levels = room.stars.levels}};
}

// Empties an example's rows of the batch.
void mute(BatchRoom& batch, const Piece& piece, std::size_t example) {
  const auto groups = piece.pass.example_rows;
  const std::size_t begin = groups.empty() ? example : groups[example];
  const std::size_t end = groups.empty() ? example + 1 : groups[example + 1];
  for (std::size_t row = begin; row < end; ++row) {
    if (piece.input.is_sparse) {
      batch.end[row] = batch.begin[row];
    } else {
      const tensor::MatrixView rows(batch.rows.values().data(), piece.input.rows(), piece.input.columns());
      std::ranges::fill(rows.row(row), 0.0F);
    }
  }
}

// Goes there and back; leaves the squared norms of the gradients, layer by layer, in the room.
template <typename SomeExamples>
Piece pass_piece(const Network& network, const Parameters& parameters, const SomeExamples& examples,
                 std::span<const std::uint32_t> members, std::uint64_t seed, GradientRoom& room) {
  const Piece piece = gather_piece(examples, members, seed, room);
  const auto& [input, pass] = piece;
  const tensor::ConstMatrixView logits = network.forward(pass, parameters, input, room.tape);
  const std::size_t count = members.size();
  room.losses.resize(count);
  tensor::softmax_cross_entropy(logits, room.batch.labels, network.output_error(pass, input, room.tape),
                                room.losses);
  network.backward(pass, parameters, input, room.tape);
  room.norms.resize(count * network.groups());
  network.squared_norms(pass, input, room.tape, room.norms);
  if constexpr (std::is_same_v<SomeExamples, StarExamples>) {
    room.row_norms.resize(room.norms.size());
    network.squared_row_norms(pass, input, room.tape, room.row_norms);
    for (std::size_t i = 0; i < room.norms.size(); ++i) room.norms[i] += kRowShare * room.row_norms[i];
  }
  return piece;
}

// One squared norm for each example, in front.
void add_layers_up(std::size_t count, std::size_t groups, std::vector<double>& norms) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t g = 1; g < groups; ++g) norms[i] += norms[g * count + i];
  }
}

// Leaves the clipped errors of the members on the tape.
template <typename SomeExamples>
Piece clip_piece(const Network& network, const Parameters& parameters, const SomeExamples& examples,
                 std::span<const std::uint32_t> members, const Clipping& clipping, std::uint64_t seed,
                 GradientRoom& room) {
  const Piece piece = pass_piece(network, parameters, examples, members, seed, room);
  const std::size_t count = members.size();
  if (clipping.norms.size() == 1) add_layers_up(count, network.groups(), room.norms);
  room.factors.resize(count * clipping.norms.size());
  for (std::size_t g = 0; g < clipping.norms.size(); ++g) {
    for (std::size_t i = 0; i < count; ++i) {
      float factor = factor_for(room.norms[g * count + i], clipping.norms[g]);
      if (clipping.in_own_norms && factor != 0)
        factor = std::nextafter(factor / static_cast<float>(clipping.norms[g] * (1 + 0x1p-22)), 0.0F);
      room.factors[g * count + i] = factor;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    bool counts = true;
    for (std::size_t g = 0; g < clipping.norms.size(); ++g)
      counts = counts && room.factors[g * count + i] != 0;
    if (counts) continue;
    // Nothing of it may reach a product: zero times what is not a number is not a number.
    mute(room.batch, piece, i);
    network.silence(piece.pass, i, room.tape);
  }
  network.scale_errors(piece.pass, piece.input, room.factors, room.tape);
  return piece;
}

void one_piece(const Network& network, const Parameters& parameters, const Examples& examples,
               std::span<const std::uint32_t> members, const Clipping& clipping, std::uint64_t seed,
               GradientRoom& room, std::span<float> sum) {
  const Piece piece = clip_piece(network, parameters, examples, members, clipping, seed, room);
  network.gradient(piece.pass, parameters, piece.input, room.tape, sum);
}

// The members that have a gradient. Those without a label have none, and are left out before the batch is cut
// into pieces: rows behind them would otherwise move to other places, and the rounding of the sum with them.
template <typename SomeExamples>
std::span<const std::uint32_t> labeled(const SomeExamples& examples, std::span<const std::uint32_t> members,
                                       GradientRoom& room) {
  room.labeled.clear();
  for (const std::uint32_t member : members) {
    if (examples.labels[member] != graph::kUnlabeled) room.labeled.push_back(member);
  }
  return room.labeled;
}

void require_norms(const Network& network, const Clipping& clipping) {
  if (clipping.norms.size() != 1 && clipping.norms.size() != network.groups())
    throw std::logic_error("clip norms: one, or one for each layer with parameters");
}

}  // namespace

double Clipping::joint_norm() const {
  double squares = 0;
  for (const double norm : norms) squares += in_own_norms ? 1 : norm * norm;
  if (in_own_norms) return std::sqrt(squares) * (1 + 0x1p-50);
  return norms.size() == 1 ? norms.front() : std::sqrt(squares) * (1 + 0x1p-50);
}

SumPlan SumPlan::for_batches_of(std::uint64_t most, SumIn in, std::uint64_t rows_of_one) {
  if (in == SumIn::stars) {
    return {.piece = std::max<std::uint64_t>(1, kStarRows / rows_of_one),
            .most = most,
            .in = in,
            .rows = rows_of_one};
  }
  if (in == SumIn::doubles) return {.piece = most, .most = most, .in = in};
  const double tolerated = kTolerated / (static_cast<double>(most) * kUnitRoundoff) - kFinishingRoundings;
  const auto wanted = tolerated > 0 ? static_cast<std::uint64_t>(tolerated) : 0;
  return {.piece = std::clamp(wanted, std::min(kLeastPiece, most), most), .most = most};
}

double SumPlan::sum_error() const {
  const auto examples = static_cast<double>(most);
  if (in == SumIn::doubles) return examples * (examples * 0x1p-53 + 2 * kUnitRoundoff) * (1 + 0x1p-10);
  if (in == SumIn::stars) {
    const double terms = examples * static_cast<double>(rows);
    return examples * (terms * 0x1p-53 / std::sqrt(kRowShare) + kUnitRoundoff) * (1 + 0x1p-10);
  }
  return (static_cast<double>(piece) + kFinishingRoundings) * static_cast<double>(most) * kUnitRoundoff *
         (1 + 0x1p-10);  // second order: (k u)^2 is far below 2^-10 k u for every k here
}

void clipped_gradient_sum(const Network& network, const Parameters& parameters, const Examples& examples,
                          std::span<const std::uint32_t> batch, const Clipping& clipping, const SumPlan& plan,
                          std::uint64_t dropout_seed, GradientRoom& room) {
  require_norms(network, clipping);
  const std::span<const std::uint32_t> members = labeled(examples, batch, room);
  room.unformed = false;
  room.sum.resize(network.parameters());
  if (plan.in == SumIn::doubles && !members.empty()) {
    const Piece piece = clip_piece(network, parameters, examples, members, clipping, dropout_seed, room);
    network.gradient_in_doubles(piece.pass, piece.input, room.tape, room.sum);
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

void clipped_gradient_sum(const Network& network, const Parameters& parameters, const StarExamples& examples,
                          std::span<const std::uint32_t> batch, const Clipping& clipping, const SumPlan& plan,
                          std::uint64_t dropout_seed, GradientRoom& room) {
  require_norms(network, clipping);
  if (plan.in != SumIn::stars || plan.piece == 0) throw std::logic_error("stars need a plan for stars");
  const std::span<const std::uint32_t> members = labeled(examples, batch, room);
  room.unformed = false;
  room.sum.resize(network.parameters());
  const std::size_t pieces = (members.size() + plan.piece - 1) / plan.piece;
  // How many does not depend on the threads, and so neither does the order of adding up.
  room.lanes.resize(std::max(room.lanes.size(), std::min(pieces, kLanes)));
  const std::span<GradientRoom> lanes = std::span(room.lanes).first(std::min(pieces, kLanes));
  parallel_for(lanes.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t lane = begin; lane < end; ++lane) {
      GradientRoom& own = lanes[lane];
      own.total.assign(network.parameters(), 0.0);
      for (std::size_t i = lane; i < pieces; i += lanes.size()) {
        const std::size_t first = i * plan.piece;
        const std::size_t count = std::min<std::size_t>(plan.piece, members.size() - first);
        const Piece piece = clip_piece(network, parameters, examples, members.subspan(first, count), clipping,
                                       dropout_seed + first, own);
        network.add_gradient(piece.pass, piece.input, own.tape, own.total);
      }
    }
  });
  for (std::size_t j = 0; j < room.sum.size(); ++j) {
    double total = 0;
    for (const GradientRoom& lane : lanes) total += lane.total[j];
    room.sum[j] = static_cast<float>(total);
  }
}

void clipped_gradient(const Network& network, const Parameters& parameters, const Examples& examples,
                      std::span<const std::uint32_t> batch, const Clipping& clipping, const SumPlan& plan,
                      std::uint64_t dropout_seed, GradientRoom& room) {
  if (plan.in != SumIn::doubles || !std::holds_alternative<tensor::SparseMatrix>(examples.features)) {
    clipped_gradient_sum(network, parameters, examples, batch, clipping, plan, dropout_seed, room);
    return;
  }
  require_norms(network, clipping);
  const std::span<const std::uint32_t> members = labeled(examples, batch, room);
  if (members.empty()) {
    room.unformed = false;
    room.sum.clear();  // zeros to gradient_part
    return;
  }
  const Piece piece = clip_piece(network, parameters, examples, members, clipping, dropout_seed, room);
  room.unformed = network.forms_parts(piece.input);
  if (room.unformed) {
    network.prepare_parts(piece.pass, piece.input, room.tape);
  } else {
    room.sum.resize(network.parameters());
    network.gradient_in_doubles(piece.pass, piece.input, room.tape, room.sum);
  }
}

void clipped_gradient(const Network& network, const Parameters& parameters, const StarExamples& examples,
                      std::span<const std::uint32_t> members, const Clipping& clipping, const SumPlan& plan,
                      std::uint64_t dropout_seed, GradientRoom& room) {
  clipped_gradient_sum(network, parameters, examples, members, clipping, plan, dropout_seed, room);
}

void gradient_part(const GradientRoom& room, std::size_t first, std::span<float> part,
                   const Network& network) {
  if (room.unformed) {
    network.gradient_part(room.tape, first, part);
  } else if (room.sum.size() >= first + part.size()) {
    std::ranges::copy(std::span(room.sum).subspan(first, part.size()), part.begin());
  }
}

std::vector<double> gradient_norms(const Network& network, const Parameters& parameters,
                                   const StarExamples& examples, bool flat) {
  const std::size_t all = examples.count();
  std::vector<double> norms(flat ? all : network.groups() * all);
  GradientRoom room;
  std::vector<std::uint32_t> members;
  constexpr std::size_t kExamples = 512;
  for (std::size_t first = 0; first < all; first += kExamples) {
    const std::size_t count = std::min(kExamples, all - first);
    members.resize(count);
    std::iota(members.begin(), members.end(), static_cast<std::uint32_t>(first));
    (void)pass_piece(network, parameters, examples, members, 0, room);
    if (flat) add_layers_up(count, network.groups(), room.norms);
    for (std::size_t g = 0; g < (flat ? 1 : network.groups()); ++g) {
      for (std::size_t i = 0; i < count; ++i)
        norms[g * all + first + i] = std::sqrt(room.norms[g * count + i]);
    }
  }
  return norms;
}

}  // namespace privet::nn
