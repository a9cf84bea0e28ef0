#include "privet/core/unit.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"

namespace privet::privacy {
namespace {

// Degrees are counts of nodes, and those fit 31 bits.
constexpr std::uint64_t kLargestSize = 0x7fffffff;

const std::vector<std::string>& unit_names() {
  static const std::vector<std::string> names = {"none", "edge",   "directed-edge", "k-neighbor",
                                                 "node", "record", "local-edge"};
  return names;
}

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

std::string_view adjacency_text(Adjacency adjacency) {
  return adjacency == Adjacency::replace ? "replace" : "add-remove";
}

}  // namespace

Unit Unit::k_neighbor(std::uint64_t k) { return Unit(Kind::k_neighbor, checked_size(k, "k of k-neighbor")); }

Unit Unit::node(std::uint64_t max_degree, Adjacency adjacency) {
  return Unit(Kind::node, checked_size(max_degree, "degree bound of node"), adjacency);
}

Unit Unit::parse(std::string_view text) {
  const std::vector<std::string_view> parts = split(text);
  const std::string_view name = parts[0];
  const auto alone = [&](Unit unit) {
    if (parts.size() > 1) refuse(text, fmt::format("{} alone", name));
    return unit;
  };
  if (name == "none") return alone(none());
  if (name == "edge") return alone(edge());
  if (name == "directed-edge") return alone(directed_edge());
  if (name == "local-edge") return alone(local_edge());
  if (name == "k-neighbor") {
    const std::string expected = "k-neighbor:K with K at least 1, such as k-neighbor:5";
    if (parts.size() != 2) refuse(text, expected);
    return k_neighbor(parse_size(text, parts[1], expected));
  }
  if (name == "node") {
    const std::string expected =
        "node:D with D, the largest degree, at least 1, such as node:20 or node:20:add-remove";
    if (parts.size() != 2 && parts.size() != 3) refuse(text, expected);
    const std::uint64_t max_degree = parse_size(text, parts[1], expected);
    return node(max_degree, parts.size() == 3 ? parse_adjacency(text, parts[2]) : Adjacency::replace);
  }
  if (name == "record") {
    if (parts.size() > 2) refuse(text, "record, record:replace or record:add-remove");
    return record(parts.size() == 2 ? parse_adjacency(text, parts[1]) : Adjacency::replace);
  }
  refuse(text,
         "edge, directed-edge, k-neighbor:K, node:D[:replace|:add-remove], record[:replace|:add-remove] or "
         "local-edge",
         suggestion(name, unit_names()));
}

std::uint64_t Unit::k() const {
  if (kind_ != Kind::k_neighbor) throw std::logic_error("only k-neighbor has a k");
  return size_;
}

std::uint64_t Unit::max_degree() const {
  if (kind_ != Kind::node) throw std::logic_error("only node has a degree bound");
  return size_;
}

Adjacency Unit::adjacency() const {
  if (kind_ != Kind::node && kind_ != Kind::record) {
    throw std::logic_error("only node and record come as replace and as add-remove");
  }
  return adjacency_;
}

std::string Unit::text() const {
  switch (kind_) {
    case Kind::none:
      return "none";
    case Kind::edge:
      return "edge";
    case Kind::directed_edge:
      return "directed-edge";
    case Kind::k_neighbor:
      return fmt::format("k-neighbor:{}", size_);
    case Kind::node:
      return adjacency_ == Adjacency::replace ? fmt::format("node:{}", size_)
                                              : fmt::format("node:{}:{}", size_, adjacency_text(adjacency_));
    case Kind::record:
      return adjacency_ == Adjacency::replace ? "record"
                                              : fmt::format("record:{}", adjacency_text(adjacency_));
    case Kind::local_edge:
      return "local-edge";
  }
  throw std::logic_error("unknown unit");
}

std::string Unit::protects() const {
  switch (kind_) {
    case Kind::none:
      return "nothing";
    case Kind::edge:
      return "whether any one pair of nodes is joined";
    case Kind::directed_edge:
      return "any one directed entry of the adjacency matrix";
    case Kind::k_neighbor:
      return fmt::format(
          "any one node's features and label, and any {} of the entries of its row and {} of its column, "
          "against everybody but that node",
          size_, size_);
    case Kind::node:
      return "any one node's features, label and all its edges, against everybody but that node";
    case Kind::record:
      return "any one person's features, label and own list of neighbours";
    case Kind::local_edge:
      return "any one bit of the list that one user reports, also against the collector";
  }
  throw std::logic_error("unknown unit");
}

std::string Unit::leaves_public() const {
  const std::string always = "node ids and their number, roles, the list of classes, the feature dictionary";
  switch (kind_) {
    case Kind::none:
      return "everything";
    case Kind::edge:
      return always + ", all features and labels";
    case Kind::directed_edge:
      return always + ", all features and labels; an undirected edge is two entries and costs twice";
    case Kind::k_neighbor:
      return always + "; outputs about the node itself are outside the guarantee";
    case Kind::node:
      return always +
             fmt::format(
                 ", and that no node has more than {} edges; outputs about the node itself are outside "
                 "the guarantee",
                 size_);
    case Kind::record:
      return always +
             "; that others list the person is not protected: this is weaker than node-level protection";
    case Kind::local_edge:
      return always +
             ", all features and labels; an undirected edge that both of its ends report costs twice";
  }
  throw std::logic_error("unknown unit");
}

std::string Unit::neighbors_differ_in() const {
  const bool replaced = adjacency_ == Adjacency::replace;
  switch (kind_) {
    case Kind::none:
      return "no two data sets are neighbours";
    case Kind::edge:
      return "one undirected edge is there or not";
    case Kind::directed_edge:
      return "one directed entry is there or not";
    case Kind::k_neighbor:
      return fmt::format(
          "one node's features and label are replaced, and up to {} entries each of its row and "
          "column are flipped",
          size_);
    case Kind::node:
      return fmt::format("one node of at most {} edges is {}", size_,
                         replaced ? "replaced by another such node" : "there or isolated and blank");
    case Kind::record:
      return replaced ? "one person's record is replaced" : "one person's record is there or blank";
    case Kind::local_edge:
      return "one bit of one user's list is 1 or 0";
  }
  throw std::logic_error("unknown unit");
}

}  // namespace privet::privacy
