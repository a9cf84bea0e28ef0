#include "privet/core/reach.hpp"

#include <stdexcept>

namespace privet::privacy {

namespace {

constexpr NoBound kNothing{"nothing is protected", "name a unit of protection"};
constexpr NoBound kAnyLabel{"one label may move any number of edges from block to block",
                            "use the unit edge or node:D"};
constexpr NoBound kAnyRow{"a record has no bound on the rows in which others list it",
                          "sum along each person's own list: own_list_sum_sensitivity"};

}  // namespace

Reach reach_of(const Unit& unit) {
  constexpr EdgeCounts kOne{.undirected = 1, .directed = 1};
  switch (unit.kind()) {
    case Unit::Kind::none:
      return {.rows = kNothing,
              .listeners = kNothing,
              .edges = kNothing,
              .class_edges = kNothing,
              .one_hop_examples = kNothing};
    case Unit::Kind::edge:
      return {.rows = 2U,
              .listeners = 0U,
              .edges = kOne,
              .class_edges = kOne,
              .one_hop_examples = AffectedExamples{.added = 0, .replaced = 2}};
    case Unit::Kind::directed_edge:
    case Unit::Kind::local_edge:
      return {.rows = 1U,
              .listeners = 0U,
              .edges = kOne,
              .class_edges = kOne,
              .one_hop_examples = AffectedExamples{.added = 0, .replaced = 1}};
    case Unit::Kind::k_neighbor: {
      const std::uint64_t k = unit.k();
      return {
          .rows = k,
          .listeners = NoBound{"every neighbour sees the node's row change, and their number has no bound",
                               "use rows that are public or already released, or the unit node:D"},
          .edges = EdgeCounts{.undirected = k, .directed = 2 * k},
          .class_edges = kAnyLabel,
          .one_hop_examples = AffectedExamples{.added = 0, .replaced = k + 1}};
    }
    case Unit::Kind::node: {
      const std::uint64_t degree = unit.max_degree();
      const EdgeCounts all{.undirected = degree, .directed = 2 * degree};
      const bool blank = unit.blanks_person();
      return {.rows = blank ? degree : 2 * degree,
              .listeners = degree,
              .edges = all,
              .class_edges = all,
              .one_hop_examples = blank ? AffectedExamples{.added = 1, .replaced = degree}
                                        : AffectedExamples{.added = 0, .replaced = 2 * degree + 1}};
    }
    case Unit::Kind::record:
      return {.rows = kAnyRow,
              .listeners = kAnyRow,
              .edges = NoBound{"a list has no bound on its length",
                               "sum along each person's own list with a list bound"},
              .class_edges = kAnyLabel,
              .one_hop_examples = AffectedExamples{.added = 0, .replaced = 1}};
  }
  throw std::logic_error("unknown unit");
}

}  // namespace privet::privacy
