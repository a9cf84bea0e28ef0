#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace privet::privacy {

/// Whether a protected person is exchanged for another one or taken out. "Taken out" leaves a blank in its
/// place: ids, roles and the number of nodes are public in every unit, so nothing is renumbered.
enum class Adjacency {
  replace,
  add_remove,
};

/// The unit of protection: which two data sets a guarantee calls neighbours, and so what an observer can't
/// tell apart. There is no default unit: a guarantee without one says nothing.
///
/// Every unit leaves public: node ids and their number n, the roles (train, validation, test), the list of
/// classes, the feature dictionary, all options. docs/privacy/units.md compares the units.
class Unit {
 public:
  enum class Kind : std::uint8_t { none, edge, directed_edge, k_neighbor, node, record, local_edge };

  /// No protection. Mechanisms refuse it; private data then leaves through `declassify` only.
  static Unit none() { return Unit(Kind::none); }
  /// One undirected edge, both entries of the adjacency matrix, is there or not.
  static Unit edge() { return Unit(Kind::edge); }
  /// One entry of the adjacency matrix is there or not.
  static Unit directed_edge() { return Unit(Kind::directed_edge); }
  /// One node's features and label are replaced, and up to `k` entries of its row and `k` of its column
  /// (DPDGC, Definition 4.1). Only what concerns *other* nodes is protected: the node's own row of any output
  /// is for its own eyes. `k` at least 1.
  static Unit k_neighbor(std::uint64_t k);
  /// One node's features, label and all its edges, in a domain in which every node has at most `max_degree`
  /// entries in its row and in its column, before and after. The bound is a promise about the data, public
  /// and checked by whoever builds the graph; cutting a graph down to it is a mechanism of its own. As with
  /// k_neighbor, the node's own row of any output is not covered. `max_degree` at least 1.
  static Unit node(std::uint64_t max_degree, Adjacency adjacency);
  /// One person's record: features, label and own out-list, blanked or replaced. Everybody else's lists stay
  /// as they are, also where they name that person: weaker than `node`, and never to be called that.
  static Unit record(Adjacency adjacency) { return Unit(Kind::record, 0, adjacency); }
  /// One bit of the list that one user reports. An undirected edge that both users report costs twice.
  static Unit local_edge() { return Unit(Kind::local_edge); }

  /// Reads `none`, `edge`, `directed-edge`, `k-neighbor:K`, `node:D`, `record`, `local-edge`; `node` and
  /// `record` take `:replace` (meant when nothing is said) or `:add-remove` behind. Anything else is an
  /// InvalidArgument with the nearest thing that would have been right.
  static Unit parse(std::string_view text);

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// k of k_neighbor; a std::logic_error for other kinds, as the next two.
  [[nodiscard]] std::uint64_t k() const;
  [[nodiscard]] std::uint64_t max_degree() const;
  /// Of node and record. The other units have one reading only.
  [[nodiscard]] Adjacency adjacency() const;

  /// What must be a Secret under this unit.
  [[nodiscard]] bool protects_edges() const noexcept { return kind_ != Kind::none; }
  [[nodiscard]] bool protects_features() const noexcept { return is_about_a_person(); }
  [[nodiscard]] bool protects_labels() const noexcept { return is_about_a_person(); }
  /// Whether the protected node's own row of an output is outside the guarantee.
  [[nodiscard]] bool excludes_own_row() const noexcept {
    return kind_ == Kind::k_neighbor || kind_ == Kind::node;
  }

  /// What `parse` reads: `k-neighbor:5`, `node:20`, `node:20:add-remove`.
  [[nodiscard]] std::string text() const;
  /// Sentences for certificates and reports: what is protected ...
  [[nodiscard]] std::string protects() const;
  /// ... what is not ...
  [[nodiscard]] std::string leaves_public() const;
  /// ... and how far apart two neighbouring data sets are.
  [[nodiscard]] std::string neighbors_differ_in() const;

  bool operator==(const Unit&) const = default;

 private:
  explicit Unit(Kind kind, std::uint64_t size = 0, Adjacency adjacency = Adjacency::replace)
      : kind_(kind), adjacency_(adjacency), size_(size) {}
  [[nodiscard]] bool is_about_a_person() const noexcept {
    return kind_ == Kind::k_neighbor || kind_ == Kind::node || kind_ == Kind::record;
  }

  Kind kind_;
  Adjacency adjacency_;
  std::uint64_t size_;  // k or the degree bound
};

}  // namespace privet::privacy
