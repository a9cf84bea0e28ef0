#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
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
///
/// A unit is a row of four things (unit.cpp): the space in which data differ, whether a person is replaced or
/// taken out, what bounds the change, and who reports. Whoever needs to know asks the predicates below and
/// the numbers of reach.hpp; no other source asks which row it is.
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

  /// Which row it is: for unit.cpp, reach.cpp and tests that define the units once more (tests/rooms.py).
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// The name without bound and adjacency: `node`, `k-neighbor`. Methods list what they serve by it.
  [[nodiscard]] std::string_view name() const;

  /// k of k_neighbor; a std::logic_error for other kinds, as the next two.
  [[nodiscard]] std::uint64_t k() const;
  [[nodiscard]] std::uint64_t max_degree() const;
  /// Of node and record. The other units have one reading only.
  [[nodiscard]] Adjacency adjacency() const;
  /// k or the degree bound, where there is one.
  [[nodiscard]] std::optional<std::uint64_t> bound() const;

  [[nodiscard]] bool protects_anything() const;
  /// What must be a Secret under this unit.
  [[nodiscard]] bool protects_edges() const { return protects_anything(); }
  [[nodiscard]] bool protects_features() const { return is_about_a_person(); }
  [[nodiscard]] bool protects_labels() const { return is_about_a_person(); }

  /// One edge or one entry is the change; features and labels are public.
  [[nodiscard]] bool is_about_edges() const;
  /// The change is both entries of an unordered pair of nodes ...
  [[nodiscard]] bool changes_pairs() const;
  /// ... or a single entry, so that an undirected edge is two changes.
  [[nodiscard]] bool changes_entries() const;

  /// Features and label of one node are part of the change.
  [[nodiscard]] bool is_about_a_person() const;
  /// One of two neighbours lacks the person: blank instead of replaced. Never for k_neighbor.
  [[nodiscard]] bool blanks_person() const;
  /// Of the edges, the person's own list alone may change; others go on listing it.
  [[nodiscard]] bool keeps_to_own_list() const;
  /// No node of either neighbour has more than max_degree() entries in its row or column.
  [[nodiscard]] bool bounds_degree() const;
  /// At most k() entries of the person's row and of its column change, of however many there are.
  [[nodiscard]] bool bounds_changed_entries() const;
  /// Whether the protected node's own row of an output is outside the guarantee.
  [[nodiscard]] bool excludes_own_row() const;

  /// What counts is single entries as they were recorded: a mirrored graph has each of them twice.
  [[nodiscard]] bool counts_entries() const;
  /// Moreover it counts in whose list an entry is.
  [[nodiscard]] bool counts_lists() const;
  /// Every client reports its own list, and is protected against the collector too. Otherwise somebody who
  /// may see the whole graph releases results about it.
  [[nodiscard]] bool is_reported_locally() const;

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
  struct Row;
  static std::span<const Row> rows();
  [[nodiscard]] const Row& row() const;

  Kind kind_;
  Adjacency adjacency_;
  std::uint64_t size_;  // k or the degree bound
};

}  // namespace privet::privacy
