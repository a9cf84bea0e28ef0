#include "privet/privacy/mechanisms/randomized_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"

namespace privet::privacy {
namespace {

constexpr std::size_t kRowsPerPiece = 512;

Unit checked_unit(Unit unit) {
  if (unit.kind() != Unit::Kind::edge && unit.kind() != Unit::Kind::directed_edge &&
      unit.kind() != Unit::Kind::local_edge) {
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

// The flips of rows [begin, end), from one stream.
void toss_rows(const SparseCoins& coins, RandomStream& stream, std::size_t begin, std::size_t end,
               std::size_t nodes, bool pairs, std::vector<graph::NodeId>& flips,
               std::vector<std::uint64_t>& ends) {
  Words words(stream);
  for (std::size_t i = begin; i < end; ++i) {
    const auto row = static_cast<graph::NodeId>(i);
    if (!pairs) coins.toss(words, 0, row, flips);
    coins.toss(words, row + 1, static_cast<graph::NodeId>(nodes - i - 1), flips);
    ends.push_back(flips.size());
  }
}

// Appends what is in one of two ascending lists but not in both. Ones are few against flips, which are copied
// in runs.
void append_difference(std::span<const graph::NodeId> ones, std::span<const graph::NodeId> flips,
                       std::vector<graph::NodeId>& out) {
  auto next = flips.begin();
  for (const graph::NodeId one : ones) {
    const auto run_end = std::lower_bound(next, flips.end(), one);
    out.insert(out.end(), next, run_end);
    const bool flipped = run_end != flips.end() && *run_end == one;
    if (!flipped) out.push_back(one);
    next = flipped ? run_end + 1 : run_end;
  }
  out.insert(out.end(), next, flips.end());
}

// A copy in memory of exactly its size: how a vector grew tells more than what it holds.
std::vector<graph::NodeId> exactly(const std::vector<graph::NodeId>& columns) {
  return {columns.begin(), columns.end()};
}

}  // namespace

RandomizedResponse::RandomizedResponse(Unit unit, Epsilon epsilon)
    : unit_(checked_unit(unit)),
      epsilon_(checked_epsilon(epsilon.value())),
      flip_probability_(flip_probability_for(epsilon_)),
      coins_(flip_probability_) {}

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
  write(std::move(what), unit_.kind() == Unit::Kind::edge ? 2 : 1, log, stream);
  const std::vector<graph::NodeId>* opened = ones.read();
  std::vector<graph::NodeId> readable;
  if (opened != nullptr) {
    for (const graph::NodeId column : *opened) {
      if (column < bits && column != own && (readable.empty() || readable.back() < column)) {
        readable.push_back(column);
      }
    }
  }
  std::vector<graph::NodeId> result;
  append_difference(readable, flips, result);
  return exactly(result);
}

std::vector<RandomizedResponse::Flips> RandomizedResponse::draw_flips(std::size_t nodes, bool pairs,
                                                                      RandomStream& stream) const {
  std::vector<Flips> pieces((nodes + kRowsPerPiece - 1) / kRowsPerPiece);
  const std::unique_ptr<RandomStream> base = stream.fork("randomized response", stream.bits());
  parallel_for(nodes, kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    const std::unique_ptr<RandomStream> own = base->fork("rows", begin / kRowsPerPiece);
    Flips& piece = pieces[begin / kRowsPerPiece];
    const double coins =
        static_cast<double>(end - begin) * static_cast<double>(pairs ? nodes - (begin + end) / 2 : nodes);
    piece.columns.reserve(static_cast<std::size_t>(coins * flip_probability_ * 1.1) + 64);
    toss_rows(coins_, *own, begin, end, nodes, pairs, piece.columns, piece.ends);
  });
  return pieces;
}

BitRows RandomizedResponse::release_bits(const Secret<graph::Graph>& graph, std::size_t nodes, bool pairs,
                                         std::string what, ReleaseLog& log, RandomStream& stream) const {
  if (nodes == 0 || nodes > graph::kMaxNodes) {
    throw InvalidArgument({.what = fmt::format("{}", nodes), .where = "number of nodes"});
  }
  const std::vector<Flips> flips = draw_flips(nodes, pairs, stream);
  write(std::move(what), unit_.kind() == Unit::Kind::edge && !pairs ? 2 : 1, log, stream);
  const graph::Graph* opened = graph.read();
  const bool fits = opened != nullptr && opened->nodes() == nodes;
  // Pieces side by side, then end to end in memory of exactly their size: how a vector grew tells more than
  // what it holds.
  std::vector<Flips> told(flips.size());
  parallel_for(flips.size(), 1, [&](std::size_t p, std::size_t) {
    auto row = static_cast<graph::NodeId>(p * kRowsPerPiece);
    std::uint64_t begin = 0;
    told[p].columns.reserve(flips[p].columns.size() + flips[p].columns.size() / 8 + 64);
    told[p].ends.reserve(flips[p].ends.size());
    for (const std::uint64_t end : flips[p].ends) {
      std::span<const graph::NodeId> ones = fits ? opened->neighbors(row) : std::span<const graph::NodeId>();
      if (pairs) ones = ones.subspan(std::upper_bound(ones.begin(), ones.end(), row) - ones.begin());
      append_difference(ones, std::span(flips[p].columns).subspan(begin, end - begin), told[p].columns);
      told[p].ends.push_back(told[p].columns.size());
      begin = end;
      ++row;
    }
  });
  std::size_t total = 0;
  for (const Flips& piece : told) total += piece.columns.size();
  BitRows result;
  result.offsets.reserve(nodes + 1);
  result.columns.reserve(total);
  for (const Flips& piece : told) {
    const std::uint64_t before = result.columns.size();
    for (const std::uint64_t end : piece.ends) result.offsets.push_back(before + end);
    result.columns.insert(result.columns.end(), piece.columns.begin(), piece.columns.end());
  }
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
  graph::EdgeList edges;
  for (std::size_t i = 0; i < pairs.rows(); ++i) {
    for (const graph::NodeId j : pairs.row(i)) edges.add(static_cast<graph::NodeId>(i), j);
  }
  return {pairs.rows(), std::move(edges), graph::Direction::undirected, "randomized response"};
}

}  // namespace privet::privacy
