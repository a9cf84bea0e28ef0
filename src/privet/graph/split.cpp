#include "privet/graph/split.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "privet/base/error.hpp"
#include "privet/base/options.hpp"
#include "privet/base/suggest.hpp"

namespace privet::graph {
namespace {

std::vector<NodeId> labeled_nodes(std::span<const std::int32_t> labels) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != kUnlabeled) nodes.push_back(static_cast<NodeId>(i));
  }
  return nodes;
}

// "a/b/c" -> three texts; nothing otherwise.
std::vector<std::string_view> three_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t slash = text.find('/'); slash != std::string_view::npos; slash = text.find('/', begin)) {
    parts.push_back(text.substr(begin, slash - begin));
    begin = slash + 1;
  }
  parts.push_back(text.substr(begin));
  return parts.size() == 3 ? parts : std::vector<std::string_view>{};
}

Split stored_split(const Dataset& dataset, std::string_view name) {
  if (const Split* split = dataset.find_split(name)) return *split;
  std::vector<std::string> names;
  for (const Split& split : dataset.splits) names.push_back(split.name);
  throw InvalidArgument(
      {.what = fmt::format("'{}' has no stored split '{}'", dataset.name, name),
       .where = "split",
       .remedy = names.empty() ? "it stores none; use shares such as 75/10/15" : suggestion(name, names)});
}

}  // namespace

void shuffle(std::span<NodeId> nodes, RandomStream& stream) {
  for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[stream.below(i)]);
}

Split share_split(std::span<const std::int32_t> labels, double train, double validation, double test,
                  RandomStream& stream) {
  if (!(train >= 0 && validation >= 0 && test >= 0) || train + validation + test > 1 + 1e-9) {
    throw InvalidArgument(
        {.what = fmt::format("shares {:g}/{:g}/{:g}", 100 * train, 100 * validation, 100 * test),
         .where = "split",
         .expected = "three shares in percent that add up to at most 100"});
  }
  std::vector<NodeId> nodes = labeled_nodes(labels);
  shuffle(nodes, stream);
  const auto labeled = static_cast<double>(nodes.size());
  const auto end_validation = static_cast<std::size_t>(std::lround(validation * labeled));
  const auto end_test = end_validation + static_cast<std::size_t>(std::lround(test * labeled));
  const auto end_train = static_cast<std::size_t>(std::lround((train + validation + test) * labeled));
  Split split{.name = "", .roles = std::vector<Role>(labels.size(), Role::none)};
  for (std::size_t i = 0; i < nodes.size() && i < std::max(end_train, end_test); ++i) {
    split.roles[nodes[i]] = i < end_validation ? Role::validation : i < end_test ? Role::test : Role::train;
  }
  return split;
}

Split per_class_split(std::span<const std::int32_t> labels, std::size_t classes, std::size_t train_per_class,
                      std::size_t validation, std::size_t test, RandomStream& stream) {
  std::vector<NodeId> nodes = labeled_nodes(labels);
  shuffle(nodes, stream);
  std::vector<std::size_t> taken(classes);
  Split split{.name = "", .roles = std::vector<Role>(labels.size(), Role::none)};
  std::vector<NodeId> rest;
  for (const NodeId node : nodes) {
    std::size_t& count = taken[static_cast<std::size_t>(labels[node])];
    if (count < train_per_class) {
      ++count;
      split.roles[node] = Role::train;
    } else {
      rest.push_back(node);
    }
  }
  for (std::size_t c = 0; c < classes; ++c) {
    if (taken[c] < train_per_class) {
      throw InvalidArgument({.what = fmt::format("class {} has {} labeled nodes", c, taken[c]),
                             .where = "split",
                             .expected = fmt::format("at least {}", train_per_class)});
    }
  }
  if (rest.size() < validation + test) {
    throw InvalidArgument({.what = fmt::format("{} nodes are left for validation and test", rest.size()),
                           .where = "split",
                           .expected = fmt::format("at least {}", validation + test)});
  }
  for (std::size_t i = 0; i < validation + test; ++i) {
    split.roles[rest[i]] = i < validation ? Role::validation : Role::test;
  }
  return split;
}

namespace {
constexpr std::string_view kPerClass = "per-class:";
constexpr std::string_view kFile = "file:";
constexpr std::string_view kEach = "file:each";

void require_stored_splits(const Dataset& dataset) {
  if (dataset.splits.empty()) {
    throw InvalidArgument({.what = fmt::format("'{}' stores no split", dataset.name),
                           .where = "split",
                           .remedy = "use shares such as 75/10/15"});
  }
}
}  // namespace

std::string stored_split_of_run(const Dataset& dataset, std::string_view text, std::uint64_t seed) {
  if (text != kEach) return std::string(text);
  require_stored_splits(dataset);
  const std::size_t turn = (seed + dataset.splits.size() - 1) % dataset.splits.size();
  return std::string(kFile) + dataset.splits[turn].name;
}

bool reads_labels(std::string_view text) noexcept { return text.starts_with(kPerClass); }

Split make_split(const Dataset& dataset, std::string_view text, RandomStream& stream, Among among) {
  const auto require_labels = [&] {
    if (dataset.labels.empty()) {
      throw InvalidArgument(
          {.what = fmt::format("'{}' has no labels to split", dataset.name), .where = "split"});
    }
  };
  Split split;
  if (text == "planetoid") {
    split = stored_split(dataset, "public");
  } else if (text == kEach) {
    require_stored_splits(dataset);
    split = dataset.splits[stream.below(dataset.splits.size())];
  } else if (text.starts_with(kFile)) {
    split = stored_split(dataset, text.substr(kFile.size()));
  } else if (text.starts_with(kPerClass)) {
    require_labels();
    const auto counts = three_parts(text.substr(kPerClass.size()));
    if (counts.empty()) {
      throw InvalidArgument({.what = fmt::format("'{}'", text),
                             .where = "split",
                             .expected = "per-class:TRAIN/VALIDATION/TEST"});
    }
    split = per_class_split(dataset.labels, dataset.classes, parse_integer(counts[0], "split"),
                            parse_integer(counts[1], "split"), parse_integer(counts[2], "split"), stream);
  } else {
    const auto shares = three_parts(text);
    if (shares.empty()) {
      throw InvalidArgument(
          {.what = fmt::format("'{}'", text),
           .where = "split",
           .expected = "TRAIN/VALIDATION/TEST in percent, per-class:A/B/C, planetoid or file:NAME"});
    }
    require_labels();
    const double train = parse_number(shares[0], "split");
    const double validation = parse_number(shares[1], "split");
    const double test = parse_number(shares[2], "split");
    if (train + validation + test <= 1 && train + validation + test > 0) {
      throw InvalidArgument({.what = fmt::format("'{}'", text),
                             .where = "split",
                             .expected = "shares in percent",
                             .remedy = fmt::format("write {:g}/{:g}/{:g} if that is meant", 100 * train,
                                                   100 * validation, 100 * test)});
    }
    const std::vector<std::int32_t> everybody(among == Among::everybody ? dataset.nodes() : 0);
    split = share_split(among == Among::everybody ? everybody : dataset.labels, train / 100, validation / 100,
                        test / 100, stream);
  }
  split.name = std::string(text);
  return split;
}

Graph within_roles(const Graph& graph, const std::vector<Role>& roles) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<NodeId> columns;
  for (NodeId v = 0; v < graph.nodes(); ++v) {
    for (const NodeId u : graph.neighbors(v)) {
      if (roles[u] == roles[v]) columns.push_back(u);
    }
    offsets.push_back(columns.size());
  }
  return Graph::from_rows(std::move(offsets), std::move(columns), graph.direction());
}

}  // namespace privet::graph
