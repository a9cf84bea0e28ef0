#include "privet/graph/io/open.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"
#include "privet/graph/io/benchmark_npz.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "privet/graph/io/matrix_market.hpp"
#include "privet/graph/io/native.hpp"
#include "privet/graph/io/npz.hpp"
#include "privet/graph/io/ogb.hpp"
#include "privet/graph/io/plain_npz.hpp"
#include "privet/graph/io/scipy_npz.hpp"

namespace privet::graph {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<Format, std::string_view>, 8> kFormats = {{
    {Format::automatic, "auto"},
    {Format::native, "native"},
    {Format::edge_list, "edge-list"},
    {Format::scipy, "scipy"},
    {Format::matrix_market, "matrix-market"},
    {Format::benchmark_npz, "benchmark-npz"},
    {Format::plain_npz, "plain-npz"},
    {Format::ogb, "ogb"},
}};

[[noreturn]] void refuse_pickle(const fs::path& path) {
  throw DataError({.what = "is a Python pickle, which can run code when it is opened, and so never is",
                   .where = path.string(),
                   .expected = "plain arrays or text",
                   .remedy =
                       "convert it in Python, where you trust it: numpy.savez(path, x=features, y=labels, "
                       "edge_index=edges, train_mask=..., val_mask=..., test_mask=...)"});
}

Format format_of_folder(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path / "graph.npz", ignored)) return Format::native;
  if (find_ogb_folder(path)) return Format::ogb;
  throw DataError({.what = "is a folder without a data set that can be read",
                   .where = path.string(),
                   .expected = "graph.npz, or raw/edge.csv.gz as in the Open Graph Benchmark"});
}

Format format_of_archive(const fs::path& path) {
  const NpzReader npz{Source(path)};
  if (npz.has("num_nodes") && npz.has("edges")) return Format::native;
  if (npz.has("format") && npz.has("shape")) return Format::scipy;
  if (npz.has("adj_indptr") || npz.has("adj_matrix.indptr")) return Format::benchmark_npz;
  if (npz.has("edge_index") || npz.has("edges")) return Format::plain_npz;
  if (npz.names().empty()) {
    throw DataError({.what = "is a zip archive without NumPy arrays",
                     .where = path.string(),
                     .expected = "an npz file",
                     .remedy = "a saved torch object is a pickle: save plain arrays with numpy.savez"});
  }
  std::string names;
  for (const std::string& name : npz.names()) {
    if (names.size() > 100) break;
    names += (names.empty() ? "" : ", ") + name;
  }
  throw DataError({.what = fmt::format("holds arrays that make up no known format: {}", names),
                   .where = path.string(),
                   .expected = "edges and num_nodes (native), format and indptr (SciPy), adj_indptr "
                               "(gnn-benchmark) or edge_index"});
}

void expect_no_tables(const ReadOptions& options, Format format) {
  if (!options.nodes && !options.features && !options.labels) return;
  throw InvalidArgument(
      {.what = fmt::format("a file of nodes, features or labels beside a {} data set", to_string(format)),
       .where = "options",
       .expected = "an edge list or a matrix; this format holds all of it"});
}

}  // namespace

std::string_view to_string(Format format) noexcept {
  for (const auto& [value, name] : kFormats) {
    if (value == format) return name;
  }
  return {};
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [value, name] : kFormats) names.emplace_back(name);
  return names;
}

Format parse_format(std::string_view name) {
  for (const auto& [value, known] : kFormats) {
    if (known == name) return value;
  }
  throw InvalidArgument({.what = fmt::format("no format is called '{}'", name),
                         .where = "format",
                         .remedy = suggestion(name, format_names())});
}

Format detect_format(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return format_of_folder(path);
  ByteStream stream{Source(path)};
  std::array<char, 16> first{};
  const std::string_view start(first.data(), stream.read(first));
  const std::string extension = path.extension().string();
  const std::string name = path.filename().string();
  if (start.substr(0, 2) == "PK") return format_of_archive(path);
  // Pickles of protocol 2 and above begin with 0x80 and the protocol's number; older ones are only known by
  // their names.
  const bool binary_pickle = start.size() >= 2 && start[0] == '\x80' && start[1] >= 1 && start[1] <= 9;
  if (binary_pickle || extension == ".pkl" || extension == ".pickle" || extension == ".pt" ||
      name.substr(0, 4) == "ind.") {
    refuse_pickle(path);
  }
  if (extension == ".npz") {
    throw DataError({.what = "is not a zip archive", .where = path.string(), .expected = "an npz file"});
  }
  if (start.find('\0') != std::string_view::npos || start.substr(0, 6) == "\x93NUMPY") {
    throw DataError({.what = "is binary, and of no format that can be read", .where = path.string()});
  }
  constexpr std::string_view kBanner = "%%matrixmarket";
  std::string lower(start.substr(0, kBanner.size()));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower == kBanner ? Format::matrix_market : Format::edge_list;
}

Dataset open_dataset(const fs::path& path, const ReadOptions& options, ReadSummary* summary) {
  const Format format = options.format == Format::automatic ? detect_format(path) : options.format;
  switch (format) {
    case Format::edge_list:
      return read_edge_list(path, options, summary);
    case Format::scipy:
      return read_scipy_npz(path, options, summary);
    case Format::matrix_market:
      return read_matrix_market(path, options, summary);
    default:
      break;
  }
  expect_no_tables(options, format);
  switch (format) {
    case Format::benchmark_npz:
      return read_benchmark_npz(path, options, summary);
    case Format::plain_npz:
      return read_plain_npz(path, options, summary);
    case Format::ogb:
      return read_ogb(path, options, summary);
    default:
      return read_native(path, summary);
  }
}

}  // namespace privet::graph
