#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace privet::graph {

using NodeId = std::uint32_t;

/// Node counts and ids fit a signed 32-bit number, as they do in the files.
inline constexpr std::size_t kMaxNodes = 0x7fffffff;

struct Edge {
  NodeId from = 0;
  NodeId to = 0;
  bool operator==(const Edge&) const = default;
  auto operator<=>(const Edge&) const = default;
};

/// Edges on their way into a Graph, in blocks of bounded size: growing never copies, and building the graph
/// frees each block as soon as it has been placed.
class EdgeList {
 public:
  void add(NodeId from, NodeId to) {
    if (blocks_.empty() || blocks_.back().size() == kBlock) grow();
    blocks_.back().push_back({from, to});
  }
  /// Takes a whole block over.
  void add_block(std::vector<Edge> block);

  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] const std::vector<std::vector<Edge>>& blocks() const noexcept { return blocks_; }
  void clear_block(std::size_t index) { std::vector<Edge>().swap(blocks_[index]); }

 private:
  static constexpr std::size_t kBlock = 1u << 18;
  void grow();
  std::vector<std::vector<Edge>> blocks_;
};

enum class Direction {
  undirected,  ///< every edge is stored as both entries, A[u][v] and A[v][u]
  directed,    ///< an edge u -> v is the one entry A[u][v]
};

struct UpperRows;

/// A simple graph that never changes: compressed rows with 64-bit offsets and 32-bit neighbours that ascend
/// within a row. Edges are a *set*: the order in which they were given, repeats and self-loops leave no
/// trace. Copies share their storage.
class Graph {
 public:
  /// The graph without nodes.
  Graph();
  /// Builds from edges; repeats and self-loops are dropped (see Dropped to learn how many). An id at or above
  /// `nodes` is a DataError naming `where`.
  Graph(std::size_t nodes, EdgeList edges, Direction direction, const std::string& where = "edges");

  /// From compressed rows that are already sorted, without repeats and loops, and mirrored if undirected; all
  /// of that is checked.
  static Graph from_rows(std::vector<std::uint64_t> offsets, std::vector<NodeId> neighbors,
                         Direction direction, const std::string& where = "graph");

  /// The undirected graph of the pairs in an upper triangle (mirror.hpp): the fastest way, where pairs are
  /// sorted already.
  static Graph from_upper_rows(std::size_t nodes, std::span<const UpperRows> pieces,
                               const std::string& where = "graph");

  [[nodiscard]] std::size_t nodes() const noexcept { return storage_->offsets.size() - 1; }
  [[nodiscard]] bool undirected() const noexcept { return storage_->direction == Direction::undirected; }
  [[nodiscard]] Direction direction() const noexcept { return storage_->direction; }
  /// Entries of the adjacency matrix: an undirected edge counts twice.
  [[nodiscard]] std::size_t stored_entries() const noexcept { return storage_->neighbors.size(); }
  /// Unordered pairs of nodes joined by at least one entry.
  [[nodiscard]] std::size_t edges() const;

  [[nodiscard]] std::span<const NodeId> neighbors(NodeId node) const {
    const std::uint64_t begin = storage_->offsets[node];
    return storage_->neighbors.subspan(begin, storage_->offsets[node + 1] - begin);
  }
  [[nodiscard]] std::size_t degree(NodeId node) const {
    return storage_->offsets[node + 1] - storage_->offsets[node];
  }
  [[nodiscard]] bool has_entry(NodeId from, NodeId to) const;
  [[nodiscard]] std::span<const std::uint64_t> offsets() const noexcept { return storage_->offsets; }
  [[nodiscard]] std::span<const NodeId> columns() const noexcept { return storage_->neighbors; }

  /// The graph with every edge turned round; the graph itself when undirected. Built at the first call, kept.
  [[nodiscard]] Graph transposed() const;

  /// Both entries for every entry.
  [[nodiscard]] Graph symmetrized() const;

  /// The graph on `kept` (ascending, without repeats), renumbered in that order.
  [[nodiscard]] Graph induced(std::span<const NodeId> kept) const;

  bool operator==(const Graph& other) const;

 private:
  struct Storage;
  explicit Graph(std::shared_ptr<const Storage> storage) : storage_(std::move(storage)) {}

  // What the spans lie in is a vector of whatever kind the rows came in.
  struct Storage {
    template <typename Offsets, typename Neighbors>
    Storage(Offsets offsets, Neighbors neighbors, Direction direction);
    std::span<const std::uint64_t> offsets;
    std::span<const NodeId> neighbors;
    Direction direction;
    std::shared_ptr<const void> keeps_offsets;
    std::shared_ptr<const void> keeps_neighbors;
    mutable std::shared_ptr<const Storage> transposed;
  };
  std::shared_ptr<const Storage> storage_;
};

}  // namespace privet::graph
