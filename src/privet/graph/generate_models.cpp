#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "privet/base/distributions.hpp"
#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/graph/generate.hpp"
#include "privet/graph/mirror.hpp"
#include "privet/graph/split.hpp"
#include "privet/tensor/fill.hpp"

namespace privet::graph {
namespace {

// Work is cut into pieces of about this many edges, each with a random stream of its own.
constexpr double kEdgesPerPiece = 1 << 16;

// Runs make(stream, block) for every piece in parallel and joins the blocks in the order of the pieces.
template <typename Make>
EdgeList make_in_pieces(std::size_t pieces, const SeededStream& root, std::string_view name,
                        const Make& make) {
  std::vector<std::vector<Edge>> blocks(pieces);
  parallel_for(pieces, 1, [&](std::size_t piece, std::size_t) {
    const auto stream = root.fork(name, piece);
    make(piece, *stream, blocks[piece]);
  });
  EdgeList edges;
  for (auto& block : blocks) edges.add_block(std::move(block));
  return edges;
}

std::vector<std::vector<NodeId>> members_of(std::span<const std::int32_t> labels, std::size_t classes) {
  std::vector<std::size_t> sizes(classes);
  for (const std::int32_t label : labels) ++sizes[static_cast<std::size_t>(label)];
  std::vector<std::vector<NodeId>> members(classes);
  for (std::size_t c = 0; c < classes; ++c) members[c].reserve(sizes[c]);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    members[static_cast<std::size_t>(labels[i])].push_back(static_cast<NodeId>(i));
  }
  return members;
}

// Columns of some rows, row by row.
struct Drawn {
  std::vector<std::uint32_t> lengths;
  std::vector<NodeId> columns;
};

// Skips from one pair that is chosen to the next, drawn a page at a time.
class Skips {
 public:
  Skips(double probability, RandomStream& stream) : skip_(probability), stream_(stream) {}

  std::uint64_t next() {
    if (used_ == kPage) refill();
    return skips_[used_++];
  }

  // Adds a row of `width` columns from `first` on, of which the next to choose is `skip` ahead. Returns how
  // far ahead of the row's end the one after is.
  std::uint64_t visit(std::uint64_t skip, std::uint64_t first, std::uint64_t width, Drawn& drawn) {
    std::uint32_t length = 0;
    while (skip < width) {
      if (used_ == kPage) refill();
      // Within a page nothing is called, and all that changes stays in registers.
      const std::size_t most = std::min(kPage - used_, kRun);
      std::array<NodeId, kRun> run;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
      const std::uint64_t* const skips = skips_.data() + used_;
      std::size_t found = 0;
      for (; found < most && skip < width; ++found) {
        run[found] = static_cast<NodeId>(first + skip);
        skip += 1 + skips[found];
      }
      used_ += found;
      drawn.columns.insert(drawn.columns.end(), run.begin(), run.begin() + found);
      length += static_cast<std::uint32_t>(found);
    }
    drawn.lengths.push_back(length);
    return skip - width;
  }

 private:
  void refill() {
    skip_.fill(stream_, skips_);
    used_ = 0;
  }

  static constexpr std::size_t kPage = 256;
  static constexpr std::size_t kRun = 32;
  GeometricSkip skip_;
  RandomStream& stream_;
  std::size_t used_ = kPage;
  std::array<std::uint64_t, kPage> skips_;
};

// Some rows of the upper triangle, as they are drawn.
struct DrawnRows {
  NodeId first_row = 0;
  NodeId end_row = 0;
  std::vector<std::uint32_t> lengths = {};
  std::vector<NodeId> columns = {};
};

// Draws rows of a block model: every pair with its probability, independently, in time linear in the pairs
// and rows. A row's pairs inside its class are visited by skips along the class's later members, its pairs
// across by skips along all later nodes, leaving out those of its class. What a skip reaches beyond the end
// of a row goes on in the next row (of the class): a skip has no memory.
class BlockRows {
 public:
  BlockRows(std::span<const std::int32_t> labels, const std::vector<std::vector<NodeId>>& members,
            SbmProbabilities probability)
      : labels_(labels), members_(members), probability_(probability) {}

  void draw(DrawnRows& rows, RandomStream& stream) const {
    Drawn inside;
    Drawn across;
    if (probability_.inside > 0) inside = draw_inside(rows, stream);
    if (probability_.across > 0 && members_.size() > 1) across = draw_across(rows, stream);
    const std::size_t count = rows.end_row - rows.first_row;
    inside.lengths.resize(count);
    across.lengths.resize(count);
    rows.lengths.resize(count);
    rows.columns.resize(inside.columns.size() + across.columns.size());
    const NodeId* a = inside.columns.data();
    const NodeId* b = across.columns.data();
    NodeId* out = rows.columns.data();
    for (std::size_t i = 0; i < count; ++i) {
      const NodeId* const a_end = a + inside.lengths[i];
      const NodeId* const b_end = b + across.lengths[i];
      rows.lengths[i] = inside.lengths[i] + across.lengths[i];
      out = std::merge(a, a_end, b, b_end, out);
      a = a_end;
      b = b_end;
    }
  }

 private:
  // Places are drawn first and looked up after: a loop of loads that do not wait for one another.
  [[nodiscard]] Drawn draw_inside(const DrawnRows& rows, RandomStream& stream) const {
    struct ClassState {
      std::uint64_t next = 0;  // the first member behind the rows visited
      std::uint64_t skip = 0;  // from there to the next pair that is chosen, along the rows of the class
    };
    Skips skips(probability_.inside, stream);
    std::vector<ClassState> classes(members_.size());
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const auto& members = members_[c];
      const auto first = std::lower_bound(members.begin(), members.end(), rows.first_row);
      classes[c] = {static_cast<std::uint64_t>(first - members.begin()), skips.next()};
    }
    Drawn drawn;
    drawn.lengths.reserve(rows.end_row - rows.first_row);
    drawn.columns.reserve(static_cast<std::size_t>(kEdgesPerPiece * 1.05));
    for (NodeId row = rows.first_row; row < rows.end_row; ++row) {
      const auto label = static_cast<std::size_t>(labels_[row]);
      ClassState& own = classes[label];
      ++own.next;
      own.skip = skips.visit(own.skip, own.next, members_[label].size() - own.next, drawn);
    }
    NodeId* column = drawn.columns.data();
    for (NodeId row = rows.first_row; row < rows.end_row; ++row) {
      const NodeId* const members = members_[static_cast<std::size_t>(labels_[row])].data();
      const NodeId* const end = column + drawn.lengths[row - rows.first_row];
      for (; column < end; ++column) *column = members[*column];
    }
    return drawn;
  }

  [[nodiscard]] Drawn draw_across(const DrawnRows& rows, RandomStream& stream) const {
    Skips skips(probability_.across, stream);
    Drawn drawn;
    drawn.lengths.reserve(rows.end_row - rows.first_row);
    drawn.columns.reserve(static_cast<std::size_t>(kEdgesPerPiece / 2));
    std::uint64_t skip = skips.next();
    for (NodeId row = rows.first_row; row < rows.end_row; ++row) {
      skip = skips.visit(skip, std::uint64_t{row} + 1, labels_.size() - row - 1, drawn);
    }
    NodeId* kept = drawn.columns.data();
    const NodeId* column = kept;
    for (NodeId row = rows.first_row; row < rows.end_row; ++row) {
      std::uint32_t& length = drawn.lengths[row - rows.first_row];
      const std::int32_t label = labels_[row];
      const NodeId* const end = column + length;
      const NodeId* const begin = kept;
      for (; column < end; ++column) {
        *kept = *column;
        kept += labels_[*column] != label ? 1 : 0;
      }
      length = static_cast<std::uint32_t>(kept - begin);
    }
    drawn.columns.resize(static_cast<std::size_t>(kept - drawn.columns.data()));
    return drawn;
  }

  std::span<const std::int32_t> labels_;
  const std::vector<std::vector<NodeId>>& members_;
  SbmProbabilities probability_;
};

// Pieces of about kEdgesPerPiece: of many rows at the end, where the triangle is narrow.
std::vector<DrawnRows> cut_rows(std::size_t nodes, std::size_t classes, SbmProbabilities probability) {
  const double share = 1 / static_cast<double>(classes);
  const double mean = probability.inside * share + probability.across * (1 - share);
  std::vector<DrawnRows> pieces;
  double expected = kEdgesPerPiece;
  for (std::size_t row = 0; row < nodes; ++row) {
    if (expected >= kEdgesPerPiece) {
      pieces.push_back({.first_row = static_cast<NodeId>(row)});
      expected = 0;
    }
    expected += mean * static_cast<double>(nodes - row - 1);
    pieces.back().end_row = static_cast<NodeId>(row + 1);
  }
  return pieces;
}

Graph block_graph(std::span<const std::int32_t> labels, std::size_t classes, SbmProbabilities probability,
                  const SeededStream& root) {
  const std::vector<std::vector<NodeId>> members = members_of(labels, classes);
  const BlockRows block_rows(labels, members, probability);
  std::vector<DrawnRows> pieces = cut_rows(labels.size(), classes, probability);
  parallel_for(pieces.size(), 1, [&](std::size_t piece, std::size_t) {
    block_rows.draw(pieces[piece], *root.fork("edges", piece));
  });
  std::vector<UpperRows> rows;
  rows.reserve(pieces.size());
  for (const DrawnRows& piece : pieces) rows.push_back({piece.first_row, piece.lengths, piece.columns});
  return Graph::from_upper_rows(labels.size(), rows, "block model");
}

// Class c for a share weight[c] of the nodes, in an order that tells nothing.
std::vector<std::int32_t> shuffled_labels(std::size_t nodes, std::span<const double> weights,
                                          const SeededStream& root) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<NodeId> shuffled(nodes);
  std::size_t begin = 0;
  double reached = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) {
    reached += weights[c];
    const std::size_t end =
        c + 1 == weights.size()
            ? nodes
            : static_cast<std::size_t>(std::lround(reached / total * static_cast<double>(nodes)));
    for (; begin < end; ++begin) shuffled[begin] = static_cast<NodeId>(c);
  }
  shuffle(shuffled, *root.fork("labels", 0));
  return {shuffled.begin(), shuffled.end()};
}

double pairs_inside(double size) { return size * (size - 1) / 2; }

void require_probability(double p, const char* generator, const char* which) {
  if (p > 1 || p < 0) {
    throw InvalidArgument({.what = fmt::format("{} would need the probability {:.3g}", which, p),
                           .where = generator,
                           .remedy = "lower mean_degree, or change homophily or phi"});
  }
}

tensor::SparseMatrix bags_of_words(const DcsbmOptions& o, std::span<const std::int32_t> labels,
                                   const SeededStream& root) {
  // A topic is a run of words in a random order of all of them, so topics of different classes may overlap
  // only where there are more topics than words.
  std::vector<NodeId> words(o.features);
  std::iota(words.begin(), words.end(), NodeId{0});
  shuffle(words, *root.fork("topics", 0));
  const std::uint64_t topic = std::min(o.topic_words, o.features);

  constexpr std::size_t kRowsPerPiece = 4096;
  const std::size_t pieces = (labels.size() + kRowsPerPiece - 1) / kRowsPerPiece;
  std::vector<std::vector<std::uint32_t>> columns(pieces);
  std::vector<std::uint64_t> offsets(labels.size() + 1);
  parallel_for(pieces, 1, [&](std::size_t piece, std::size_t) {
    const auto stream = root.fork("words", piece);
    std::vector<std::uint32_t> row;
    for (std::size_t i = piece * kRowsPerPiece; i < std::min(labels.size(), (piece + 1) * kRowsPerPiece);
         ++i) {
      row.clear();
      const std::uint64_t start = static_cast<std::uint64_t>(labels[i]) * topic;
      for (double t = exponential(*stream); t < o.mean_words; t += exponential(*stream)) {
        const bool own = stream->uniform() < o.signal;
        const std::uint64_t place =
            own ? (start + stream->below(topic)) % o.features : stream->below(o.features);
        row.push_back(words[place]);
      }
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      offsets[i + 1] = row.size();
      columns[piece].insert(columns[piece].end(), row.begin(), row.end());
    }
  });
  for (std::size_t i = 0; i < labels.size(); ++i) offsets[i + 1] += offsets[i];
  std::vector<std::uint32_t> joined;
  joined.reserve(offsets.back());
  for (const auto& part : columns) joined.insert(joined.end(), part.begin(), part.end());
  return {labels.size(), o.features, std::move(offsets), std::move(joined), {}};
}

tensor::Matrix dense_features(const DcsbmOptions& o, std::span<const std::int32_t> labels,
                              const SeededStream& root) {
  tensor::Matrix centers(o.classes, o.features);
  tensor::fill_gaussian(*root.fork("centers", 0), 1, centers.values());
  tensor::Matrix features(labels.size(), o.features);
  constexpr std::size_t kRowsPerPiece = 1024;
  parallel_for(labels.size(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    const auto stream = root.fork("features", begin / kRowsPerPiece);
    for (std::size_t i = begin; i < end; ++i) {
      tensor::fill_gaussian(*stream, 1, features.row(i));
      const auto center = centers.row(static_cast<std::size_t>(labels[i]));
      for (std::size_t j = 0; j < o.features; ++j) features(i, j) += static_cast<float>(o.signal) * center[j];
    }
  });
  return features;
}

Split public_split(const DcsbmOptions& o, const SeededStream& root) {
  std::vector<NodeId> order(o.nodes);
  std::iota(order.begin(), order.end(), NodeId{0});
  shuffle(order, *root.fork("split", 0));
  Split split{.name = "public", .roles = std::vector<Role>(o.nodes, Role::test)};
  for (std::uint64_t i = 0; i < o.train + o.validation; ++i)
    split.roles[order[i]] = i < o.train ? Role::train : Role::validation;
  return split;
}

}  // namespace

SbmProbabilities sbm_probabilities(const SbmOptions& o) {
  const auto n = static_cast<double>(o.nodes);
  const auto classes = static_cast<double>(o.classes);
  const double edges = n * o.mean_degree / 2;
  const double inside = classes * pairs_inside(n / classes);
  const double across = pairs_inside(n) - inside;
  const double share = o.classes == 1 ? 1 : o.homophily;
  return {.inside = inside > 0 ? edges * share / inside : 0,
          .across = across > 0 ? edges * (1 - share) / across : 0};
}

Dataset make_sbm(const SbmOptions& o, std::uint64_t seed) {
  if (o.classes > o.nodes) {
    throw InvalidArgument(
        {.what = fmt::format("{} classes for {} nodes", o.classes, o.nodes), .where = "sbm"});
  }
  const SbmProbabilities probability = sbm_probabilities(o);
  require_probability(probability.inside, "sbm", "an edge inside a class");
  require_probability(probability.across, "sbm", "an edge between classes");
  const SeededStream root(seed);
  Dataset dataset;
  dataset.name = "sbm";
  dataset.classes = o.classes;
  dataset.labels = shuffled_labels(o.nodes, std::vector<double>(o.classes, 1.0), root);
  dataset.graph = block_graph(dataset.labels, o.classes, probability, root);
  return dataset;
}

Dataset make_csbm(const CsbmOptions& o, std::uint64_t seed) {
  const auto n = static_cast<double>(o.nodes);
  const auto f = static_cast<double>(o.features);
  const double angle = o.phi * std::numbers::pi / 2;
  const double lambda = std::sqrt(1 + o.arc) * std::sin(angle);
  const double mu = std::sqrt((1 + o.arc) * n / f) * std::cos(angle);
  const SbmProbabilities probability{.inside = (o.mean_degree + lambda * std::sqrt(o.mean_degree)) / n,
                                     .across = (o.mean_degree - lambda * std::sqrt(o.mean_degree)) / n};
  require_probability(probability.inside, "csbm", "an edge inside a class");
  require_probability(probability.across, "csbm", "an edge between classes");

  const SeededStream root(seed);
  Dataset dataset;
  dataset.name = "csbm";
  dataset.classes = 2;
  dataset.labels = shuffled_labels(o.nodes, std::vector<double>(2, 1.0), root);
  dataset.graph = block_graph(dataset.labels, 2, probability, root);

  std::vector<double> direction(o.features);
  const auto direction_stream = root.fork("direction", 0);
  for (double& u : direction) u = standard_normal(*direction_stream) / std::sqrt(f);
  tensor::Matrix features(o.nodes, o.features);
  constexpr std::size_t kRowsPerPiece = 256;
  parallel_for(o.nodes, kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
    const auto stream = root.fork("features", begin / kRowsPerPiece);
    for (std::size_t i = begin; i < end; ++i) {
      const double signal = std::sqrt(std::max(mu, 0.0) / n) * (dataset.labels[i] == 1 ? 1 : -1);
      for (std::size_t j = 0; j < o.features; ++j) {
        features(i, j) = static_cast<float>(signal * direction[j] + standard_normal(*stream) / std::sqrt(f));
      }
    }
  });
  dataset.features = std::move(features);
  return dataset;
}

Dataset make_dcsbm(const DcsbmOptions& o, std::uint64_t seed) {
  if (o.classes > o.nodes) {
    throw InvalidArgument(
        {.what = fmt::format("{} classes for {} nodes", o.classes, o.nodes), .where = "dcsbm"});
  }
  if (o.train > o.nodes || o.validation > o.nodes - o.train) {
    throw InvalidArgument(
        {.what = fmt::format("{} training and {} validation nodes of {}", o.train, o.validation, o.nodes),
         .where = "dcsbm"});
  }
  const SeededStream root(seed);
  std::vector<double> sizes(o.classes);
  for (std::size_t c = 0; c < o.classes; ++c) {
    sizes[c] = std::pow(o.imbalance, -static_cast<double>(c) / static_cast<double>(o.classes - 1));
  }
  Dataset dataset;
  dataset.name = "dcsbm";
  dataset.classes = o.classes;
  dataset.labels = shuffled_labels(o.nodes, sizes, root);
  if (o.dense) {
    dataset.features = dense_features(o, dataset.labels, root);
  } else {
    dataset.features = bags_of_words(o, dataset.labels, root);
  }
  if (o.train > 0) dataset.splits.push_back(public_split(o, root));

  // Weights by inversion of the Pareto law cut at max_weight.
  const double tail = o.exponent - 1;
  const double cut = std::pow(o.max_weight, -tail);
  std::vector<double> weight(o.nodes);
  const auto weight_stream = root.fork("weights", 0);
  for (double& w : weight) w = std::pow(1 - weight_stream->uniform() * (1 - cut), -1 / tail);

  const std::vector<std::vector<NodeId>> members = members_of(dataset.labels, o.classes);
  std::vector<double> volume(o.classes);
  std::vector<AliasTable> pick;
  for (std::size_t c = 0; c < o.classes; ++c) {
    std::vector<double> own;
    own.reserve(members[c].size());
    for (const NodeId i : members[c]) own.push_back(weight[i]);
    volume[c] = std::accumulate(own.begin(), own.end(), 0.0);
    pick.emplace_back(own);
  }
  const double total = std::accumulate(volume.begin(), volume.end(), 0.0);
  double between = 0;
  for (std::size_t a = 0; a < o.classes; ++a) {
    for (std::size_t b = a + 1; b < o.classes; ++b) between += volume[a] * volume[b];
  }

  // A Poisson number of meetings per pair of classes, each between two nodes drawn by weight, is a Poisson
  // number of meetings per pair of nodes.
  struct Piece {
    std::size_t a, b;
    double meetings;
  };
  std::vector<Piece> pieces;
  const double meetings = static_cast<double>(o.nodes) * o.mean_degree / 2;
  const auto add = [&](std::size_t a, std::size_t b, double expected) {
    const auto parts = static_cast<std::size_t>(std::ceil(expected / kEdgesPerPiece));
    for (std::size_t k = 0; k < parts; ++k) pieces.push_back({a, b, expected / static_cast<double>(parts)});
  };
  for (std::size_t a = 0; a < o.classes; ++a) {
    add(a, a, meetings * o.homophily * volume[a] / total);
    for (std::size_t b = a + 1; b < o.classes; ++b) {
      add(a, b, meetings * (1 - o.homophily) * volume[a] * volume[b] / between);
    }
  }
  EdgeList edges = make_in_pieces(
      pieces.size(), root, "edges", [&](std::size_t p, RandomStream& stream, std::vector<Edge>& block) {
        const Piece& piece = pieces[p];
        block.reserve(static_cast<std::size_t>(piece.meetings + 5 * std::sqrt(piece.meetings) + 16));
        for (double t = exponential(stream); t < piece.meetings; t += exponential(stream)) {
          const NodeId i = members[piece.a][pick[piece.a](stream)];
          const NodeId j = members[piece.b][pick[piece.b](stream)];
          block.push_back({i, j});
        }
      });
  dataset.graph = Graph(o.nodes, std::move(edges), Direction::undirected);
  return dataset;
}

}  // namespace privet::graph
