#include "privet/core/unit.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"

namespace privet::privacy {
namespace {

// In what neighbouring data sets differ.
enum class Space {
  nothing,
  pair,          // both entries of an unordered pair of nodes
  entry,         // one entry of the adjacency matrix
  neighborhood,  // one node's features and label, and entries of its row and column
  record,        // one person's features, label and own list
  node,          // one node's features, label and all its edges
};

// What the number of a unit bounds.
enum class Bound { none, changed_entries, degree };

enum class Reporter { owner, client };

// Degrees are counts of nodes, and those fit 31 bits.
constexpr std::uint64_t kLargestSize = 0x7fffffff;

constexpr std::string_view kAlwaysPublic =
    "node ids and their number, roles, the list of classes, the feature dictionary";

[[noreturn]] void refuse(std::string_view text, std::string expected, std::string remedy = {}) {
  throw InvalidArgument({.what = fmt::format("'{}' is no unit of protection", text),
                         .where = "unit",
                         .expected = std::move(expected),
                         .remedy = std::move(remedy)});
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

std::uint64_t parse_size(std::string_view whole, std::string_view digits, const std::string& expected) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc() || end != digits.data() + digits.size() || value == 0 || value > kLargestSize) {
    refuse(whole, expected);
  }
  return value;
}

Adjacency parse_adjacency(std::string_view whole, std::string_view name) {
  static const std::vector<std::string> names = {"replace", "add-remove"};
  if (name == names[0]) return Adjacency::replace;
  if (name == names[1]) return Adjacency::add_remove;
  refuse(whole, "replace or add-remove as its last part", suggestion(name, names));
}

std::uint64_t checked_size(std::uint64_t size, const char* where) {
  if (size == 0 || size > kLargestSize) {
    throw InvalidArgument({.what = fmt::format("{}", size),
                           .where = where,
                           .expected = fmt::format("from 1 to {}", kLargestSize)});
  }
  return size;
}

}  // namespace

/// One unit, as a row of data. The texts stand in certificates that were issued: they never change.
struct Unit::Row {
  Kind kind;
  std::string_view name;
  Space space;
  Bound bound = Bound::none;
  bool comes_both_ways = false;  // as replace and as add-remove
  Reporter reporter = Reporter::owner;
  std::string_view form;      // in a list of all that there is; empty where the list leaves it out
  std::string_view spelling;  // what a misspelt one should have been
  // All of them with the bound as {0}.
  std::string_view protects;
  std::string_view leaves_public;  // behind what always is
  std::string_view differ_in;
  std::string_view differ_in_when_blank = {};
};

std::span<const Unit::Row> Unit::rows() {
  static constexpr std::array<Row, 7> kRows = {{
      {.kind = Kind::none,
       .name = "none",
       .space = Space::nothing,
       .form = "",
       .spelling = "none alone",
       .protects = "nothing",
       .leaves_public = "everything",
       .differ_in = "no two data sets are neighbours"},
      {.kind = Kind::edge,
       .name = "edge",
       .space = Space::pair,
       .form = "edge",
       .spelling = "edge alone",
       .protects = "whether any one pair of nodes is joined",
       .leaves_public = ", all features and labels",
       .differ_in = "one undirected edge is there or not"},
      {.kind = Kind::directed_edge,
       .name = "directed-edge",
       .space = Space::entry,
       .form = "directed-edge",
       .spelling = "directed-edge alone",
       .protects = "any one directed entry of the adjacency matrix",
       .leaves_public = ", all features and labels; an undirected edge is two entries and costs twice",
       .differ_in = "one directed entry is there or not"},
      {.kind = Kind::k_neighbor,
       .name = "k-neighbor",
       .space = Space::neighborhood,
       .bound = Bound::changed_entries,
       .form = "k-neighbor:K",
       .spelling = "k-neighbor:K with K at least 1, such as k-neighbor:5",
       .protects = "any one node's features and label, and any {0} of the entries of its row and {0} of its "
                   "column, against everybody but that node",
       .leaves_public = "; outputs about the node itself are outside the guarantee",
       .differ_in = "one node's features and label are replaced, and up to {0} entries each of its row and "
                    "column are flipped"},
      {.kind = Kind::node,
       .name = "node",
       .space = Space::node,
       .bound = Bound::degree,
       .comes_both_ways = true,
       .form = "node:D[:replace|:add-remove]",
       .spelling = "node:D with D, the largest degree, at least 1, such as node:20 or node:20:add-remove",
       .protects = "any one node's features, label and all its edges, against everybody but that node",
       .leaves_public = ", and that no node has more than {0} edges; outputs about the node itself are "
                        "outside the guarantee",
       .differ_in = "one node of at most {0} edges is replaced by another such node",
       .differ_in_when_blank = "one node of at most {0} edges is there or isolated and blank"},
      {.kind = Kind::record,
       .name = "record",
       .space = Space::record,
       .comes_both_ways = true,
       .form = "record[:replace|:add-remove]",
       .spelling = "record, record:replace or record:add-remove",
       .protects = "any one person's features, label and own list of neighbours",
       .leaves_public =
           "; that others list the person is not protected: this is weaker than node-level protection",
       .differ_in = "one person's record is replaced",
       .differ_in_when_blank = "one person's record is there or blank"},
      {.kind = Kind::local_edge,
       .name = "local-edge",
       .space = Space::entry,
       .reporter = Reporter::client,
       .form = "local-edge",
       .spelling = "local-edge alone",
       .protects = "any one bit of the list that one user reports, also against the collector",
       .leaves_public =
           ", all features and labels; an undirected edge that both of its ends report costs twice",
       .differ_in = "one bit of one user's list is 1 or 0"},
  }};
  static_assert(
      [] {
        for (std::size_t i = 0; i < kRows.size(); ++i)
          if (kRows[i].kind != static_cast<Kind>(i)) return false;
        return true;
      }(),
      "the rows stand in the order of Unit::Kind");
  return kRows;
}

const Unit::Row& Unit::row() const { return rows()[static_cast<std::size_t>(kind_)]; }

Unit Unit::k_neighbor(std::uint64_t k) { return Unit(Kind::k_neighbor, checked_size(k, "k of k-neighbor")); }

Unit Unit::node(std::uint64_t max_degree, Adjacency adjacency) {
  return Unit(Kind::node, checked_size(max_degree, "degree bound of node"), adjacency);
}

Unit Unit::parse(std::string_view text) {
  const std::vector<std::string_view> parts = split(text);
  std::vector<std::string> names;
  std::string forms;
  for (const Row& row : rows()) {
    if (row.name != parts[0]) {
      names.emplace_back(row.name);
      if (!row.form.empty())
        forms += (forms.empty() ? "" : &row == &rows().back() ? " or " : ", ") + std::string(row.form);
      continue;
    }
    const std::string expected(row.spelling);
    const std::size_t least = row.bound == Bound::none ? 1 : 2;
    if (parts.size() < least || parts.size() > least + (row.comes_both_ways ? 1 : 0)) refuse(text, expected);
    const std::uint64_t size = least == 2 ? parse_size(text, parts[1], expected) : 0;
    return Unit(row.kind, size,
                parts.size() > least ? parse_adjacency(text, parts.back()) : Adjacency::replace);
  }
  refuse(text, forms, suggestion(parts[0], names));
}

std::uint64_t Unit::k() const {
  if (!bounds_changed_entries()) throw std::logic_error("only k-neighbor has a k");
  return size_;
}

std::uint64_t Unit::max_degree() const {
  if (!bounds_degree()) throw std::logic_error("only node has a degree bound");
  return size_;
}

Adjacency Unit::adjacency() const {
  if (!row().comes_both_ways)
    throw std::logic_error("only node and record come as replace and as add-remove");
  return adjacency_;
}

std::optional<std::uint64_t> Unit::bound() const {
  return row().bound == Bound::none ? std::nullopt : std::optional(size_);
}

std::string_view Unit::name() const { return row().name; }

bool Unit::protects_anything() const { return row().space != Space::nothing; }

bool Unit::is_about_edges() const { return changes_pairs() || changes_entries(); }

bool Unit::changes_pairs() const { return row().space == Space::pair; }

bool Unit::changes_entries() const { return row().space == Space::entry; }

bool Unit::is_about_a_person() const { return protects_anything() && !is_about_edges(); }

bool Unit::blanks_person() const { return row().comes_both_ways && adjacency_ == Adjacency::add_remove; }

bool Unit::keeps_to_own_list() const { return row().space == Space::record; }

bool Unit::bounds_degree() const { return row().bound == Bound::degree; }

bool Unit::bounds_changed_entries() const { return row().bound == Bound::changed_entries; }

bool Unit::excludes_own_row() const {
  return row().space == Space::neighborhood || row().space == Space::node;
}

bool Unit::counts_entries() const { return changes_entries() || counts_lists(); }

bool Unit::counts_lists() const {
  return row().space == Space::neighborhood || row().space == Space::record || is_reported_locally();
}

bool Unit::is_reported_locally() const { return row().reporter == Reporter::client; }

std::string Unit::text() const {
  std::string text(row().name);
  if (row().bound != Bound::none) text += fmt::format(":{}", size_);
  if (blanks_person()) text += ":add-remove";
  return text;
}

std::string Unit::protects() const { return fmt::format(fmt::runtime(row().protects), size_); }

std::string Unit::leaves_public() const {
  const std::string besides = fmt::format(fmt::runtime(row().leaves_public), size_);
  return protects_anything() ? std::string(kAlwaysPublic) + besides : besides;
}

std::string Unit::neighbors_differ_in() const {
  return fmt::format(fmt::runtime(blanks_person() ? row().differ_in_when_blank : row().differ_in), size_);
}

}  // namespace privet::privacy
