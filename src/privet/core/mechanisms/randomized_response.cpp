#include "privet/core/mechanisms/randomized_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/large_vector.hpp"
#include "privet/base/parallel.hpp"
#include "privet/core/opening.hpp"
#include "privet/graph/mirror.hpp"

namespace privet::privacy {
namespace {

constexpr std::size_t kRowsPerPiece = 4096;

Unit checked_unit(Unit unit) {
  if (!unit.is_about_edges()) {
    throw Unsound({.what = "randomized response protects single bits",
                   .where = fmt::format("unit {}", unit.text()),
                   .remedy = "use edge, directed-edge or local-edge"});
  }
  return unit;
}

double checked_epsilon(double epsilon) {
  if (!(epsilon >= 0x1p-20 && epsilon <= 27)) {
    throw InvalidArgument({.what = fmt::format("{}", epsilon),
                           .where = "epsilon of randomized response",
                           .expected = "from 2^-20 to 27"});
  }
  return epsilon;
}

double flip_probability_for(double epsilon) {
  return 1 / (1 + std::exp(epsilon - RandomizedResponse::kMargin)) * (1 + 0x1p-50);
}

// The first of ascending `flips` that is not below `one`; without a branch that would be guessed wrong half
// of the time.
std::size_t first_not_below(std::span<const graph::NodeId> flips, graph::NodeId one) {
  const graph::NodeId* base = flips.data();
  std::size_t size = flips.size();
  while (size > 1) {
    const std::size_t half = size / 2;
    base += base[half - 1] < one ? half : 0;
    size -= half;
  }
  return static_cast<std::size_t>(base - flips.data()) + (size == 1 && *base < one ? 1 : 0);
}

// Where a one of the data stands among the flips: before the flip at `place`, or in its place.
struct Meeting {
  std::uint64_t place = 0;
  graph::NodeId one = 0;
  bool flipped = false;
  bool told = false;  // as a one
};

// Whether a one is told as a one. Where nothing is thinned that is said by the flips; else a coin of its own
// says it, and the flips, which are then rarer, are for zeros only.
class Keeping {
 public:
  Keeping(const RandomStream& stream, double flip_probability, double share)
      : thins_(share < 1), threshold_(static_cast<std::uint64_t>((1 - flip_probability) * share * 0x1p64)) {
    if (thins_) coins_ = stream.fork("ones", 0);
  }
  bool told(bool flipped) { return thins_ ? coins_->bits() < threshold_ : !flipped; }

 private:
  bool thins_;
  std::uint64_t threshold_;
  std::unique_ptr<RandomStream> coins_;
};

// Adds the meetings of a row, whose flips begin at `begin`, and returns how many ones the row has after the
// flips.
std::uint64_t meet(std::span<const graph::NodeId> ones, std::span<const graph::NodeId> flips,
                   std::uint64_t begin, Keeping& keeping, std::vector<Meeting>& meetings) {
  std::uint64_t told = flips.size();
  std::size_t next = 0;
  for (const graph::NodeId one : ones) {
    next += first_not_below(flips.subspan(next), one);
    const bool flipped = next < flips.size() && flips[next] == one;
    const bool kept = keeping.told(flipped);
    meetings.push_back({begin + next, one, flipped, kept});
    told += (kept ? 1U : 0U);
    told -= (flipped ? 1U : 0U);
  }
  return told;
}

// Appends the flips of zeros and the ones that are told.
void append_difference(std::span<const graph::NodeId> flips, std::span<const Meeting> meetings,
                       std::vector<graph::NodeId>& out) {
  std::uint64_t next = 0;
  for (const Meeting& meeting : meetings) {
    out.insert(out.end(), flips.begin() + static_cast<std::ptrdiff_t>(next),
               flips.begin() + static_cast<std::ptrdiff_t>(meeting.place));
    if (meeting.told) out.push_back(meeting.one);
    next = meeting.place + (meeting.flipped ? 1 : 0);
  }
  out.insert(out.end(), flips.begin() + static_cast<std::ptrdiff_t>(next), flips.end());
}

}  // namespace

RandomizedResponse::RandomizedResponse(Unit unit, Epsilon epsilon)
    : RandomizedResponse(checked_unit(unit), checked_epsilon(epsilon.value()),
                         flip_probability_for(epsilon.value()), 1) {}

RandomizedResponse::RandomizedResponse(Unit unit, double epsilon, double flip_probability, double share)
    : unit_(unit),
      epsilon_(epsilon),
      flip_probability_(flip_probability),
      share_(share),
      coins_(flip_probability * share) {}

RandomizedResponse RandomizedResponse::thinned(double share) const {
  if (!(share > 0 && share <= 1)) {
    throw InvalidArgument({.what = fmt::format("{}", share),
                           .where = "share of the ones that are kept",
                           .expected = "above 0 and at most 1"});
  }
  return {unit_, epsilon_, flip_probability_, share};
}

void RandomizedResponse::write(std::string what, std::uint64_t bits_of_an_edge, ReleaseLog& log,
                               const RandomStream& stream) const {
  log.add(Release{.what = std::move(what),
                  .unit = unit_.text(),
                  .mechanism = "randomized-response",
                  .sensitivity = static_cast<double>(bits_of_an_edge),
                  .norm = "count",
                  .noise_stddev = std::sqrt(flip_probability_ * (1 - flip_probability_)),
                  .times = bits_of_an_edge,
                  .sampling = "none",
                  .reference = "Warner 1965; Dwork, Roth 2014, section 3.2",
                  .replayable = stream.replayable(),
                  .event = repeated(event(), bits_of_an_edge)});
}

std::vector<graph::NodeId> RandomizedResponse::release_row(const Secret<std::vector<graph::NodeId>>& ones,
                                                           std::size_t bits, graph::NodeId own,
                                                           std::string what, ReleaseLog& log,
                                                           RandomStream& stream) const {
  if (bits == 0 || bits > graph::kMaxNodes || own >= bits) {
    throw InvalidArgument({.what = fmt::format("user {} of {}", own, bits),
                           .where = "randomized response",
                           .expected = "a user's number below the number of nodes"});
  }
  std::vector<graph::NodeId> flips;
  const std::unique_ptr<RandomStream> fork = stream.fork("randomized response", stream.bits());
  {
    Words words(*fork);
    coins_.toss(words, 0, own, flips);
    coins_.toss(words, own + 1, static_cast<graph::NodeId>(bits - own - 1), flips);
  }
  write(std::move(what), unit_.changes_pairs() ? 2 : 1, log, stream);
  const std::vector<graph::NodeId>* opened = ones.read(OpeningBy<RandomizedResponse>::key());
  std::vector<graph::NodeId> readable;
  if (opened != nullptr) {
    for (const graph::NodeId column : *opened) {
      if (column < bits && column != own && (readable.empty() || readable.back() < column)) {
        readable.push_back(column);
      }
    }
  }
  std::vector<Meeting> meetings;
  Keeping keeping(*fork, flip_probability_, share_);
  const std::uint64_t told = meet(readable, flips, 0, keeping, meetings);
  std::vector<graph::NodeId> result;
  result.reserve(told);  // exactly: how a vector grew tells more than what it holds
  append_difference(flips, meetings, result);
  return result;
}

BitRows RandomizedResponse::release_bits(const Secret<graph::Graph>& graph, std::size_t nodes, bool pairs,
                                         std::string what, ReleaseLog& log, RandomStream& stream) const {
  if (nodes == 0 || nodes > graph::kMaxNodes) {
    throw InvalidArgument({.what = fmt::format("{}", nodes), .where = "number of nodes"});
  }
  const std::unique_ptr<RandomStream> base = stream.fork("randomized response", stream.bits());
  struct Piece {
    LargeVector<graph::NodeId> flips;
    std::vector<Meeting> meetings;
  };
  std::vector<Piece> pieces((nodes + kRowsPerPiece - 1) / kRowsPerPiece);
  std::vector<std::uint64_t> flips_end(nodes);  // of each row, within its piece
  parallel_for(nodes, kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    LargeVector<graph::NodeId>& flips = pieces[begin / kRowsPerPiece].flips;
    const std::unique_ptr<RandomStream> own = base->fork("rows", begin / kRowsPerPiece);
    Words words(*own);
    const double coins =
        static_cast<double>(end - begin) * static_cast<double>(pairs ? nodes - (begin + end) / 2 : nodes);
    flips.reserve(static_cast<std::size_t>(coins * flip_probability_ * share_ * 1.1) + 64);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<graph::NodeId>(i);
      if (!pairs) coins_.toss(words, 0, row, flips);
      coins_.toss(words, row + 1, static_cast<graph::NodeId>(nodes - i - 1), flips);
      flips_end[i] = flips.size();
    }
  });
  write(std::move(what), unit_.changes_pairs() && !pairs ? 2 : 1, log, stream);
  const graph::Graph* opened = graph.read(OpeningBy<RandomizedResponse>::key());
  const bool fits = opened != nullptr && opened->nodes() == nodes;
  BitRows result;
  result.offsets.resize(nodes + 1);
  parallel_for(nodes, kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    Piece& piece = pieces[begin / kRowsPerPiece];
    Keeping keeping(*base->fork("ones of rows", begin / kRowsPerPiece), flip_probability_, share_);
    std::uint64_t first = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<graph::NodeId>(i);
      std::span<const graph::NodeId> ones = fits ? opened->neighbors(row) : std::span<const graph::NodeId>();
      if (pairs) ones = ones.subspan(std::upper_bound(ones.begin(), ones.end(), row) - ones.begin());
      result.offsets[i + 1] = meet(ones, std::span(piece.flips).subspan(first, flips_end[i] - first), first,
                                   keeping, piece.meetings);
      first = flips_end[i];
    }
  });
  for (std::size_t i = 0; i < nodes; ++i) result.offsets[i + 1] += result.offsets[i];
  // Exactly: how a vector grew tells more than what it holds.
  result.columns.reserve(result.offsets.back());
  ask_for_large_pages(result.columns.data(), result.columns.capacity() * sizeof(graph::NodeId));
  for (const Piece& piece : pieces) append_difference(piece.flips, piece.meetings, result.columns);
  return result;
}

BitRows RandomizedResponse::release_entries(const Secret<graph::Graph>& graph, std::size_t nodes,
                                            std::string what, ReleaseLog& log, RandomStream& stream) const {
  return release_bits(graph, nodes, false, std::move(what), log, stream);
}

BitRows RandomizedResponse::release_pairs(const Secret<graph::Graph>& graph, std::size_t nodes,
                                          std::string what, ReleaseLog& log, RandomStream& stream) const {
  return release_bits(graph, nodes, true, std::move(what), log, stream);
}

graph::Graph graph_of_pairs(const BitRows& pairs) {
  std::vector<std::uint32_t> lengths(pairs.rows());
  for (std::size_t i = 0; i < pairs.rows(); ++i) lengths[i] = static_cast<std::uint32_t>(pairs.row(i).size());
  std::vector<graph::UpperRows> pieces;
  for (std::size_t begin = 0; begin < pairs.rows(); begin += kRowsPerPiece) {
    const std::size_t end = std::min(pairs.rows(), begin + kRowsPerPiece);
    pieces.push_back(
        {.first_row = static_cast<graph::NodeId>(begin),
         .lengths = std::span(lengths).subspan(begin, end - begin),
         .columns = std::span(pairs.columns)
                        .subspan(pairs.offsets[begin], pairs.offsets[end] - pairs.offsets[begin])});
  }
  return graph::Graph::from_upper_rows(pairs.rows(), pieces, "randomized response");
}

}  // namespace privet::privacy
