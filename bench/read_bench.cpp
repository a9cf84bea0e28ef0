// Reading an edge list, against plain code that does as much: to pairs, against a stream loop over the same
// file; to the finished graph, against that loop followed by sorting. And peak memory against the graph.
//
//     bench_read [edges] [nodes] [file]
//
// Without a file, one of random pairs is made in the temporary folder and removed again. Times are the best
// of three runs; memory is the high-water mark of a child process that does nothing but read.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "privet/graph/io/edge_rows.hpp"
#include "random_pairs.hpp"

namespace {

using privet::graph::Graph;

double best_seconds(const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 3; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pairs plain_stream_loop(const std::string& path) {
  std::ifstream in(path);
  Pairs pairs;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  char comma = 0;
  while (in >> from >> comma >> to) pairs.emplace_back(from, to);
  return pairs;
}

struct PlainRows {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> neighbors;
};

// The graph that the reader makes, the plain way: both entries of every pair, sorted, each once. Ids are
// taken as indices; the reader also finds out which of them occur.
PlainRows plain_graph(const std::string& path) {
  Pairs entries = plain_stream_loop(path);
  const std::size_t pairs = entries.size();
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto [from, to] = entries[i];
    largest = std::max({largest, from, to});
    entries.emplace_back(to, from);
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  PlainRows rows;
  rows.offsets.resize(std::size_t{largest} + 2);
  for (const auto& [from, to] : entries) {
    if (from == to) continue;
    ++rows.offsets[from + 1];
    rows.neighbors.push_back(to);
  }
  for (std::size_t i = 0; i <= largest; ++i) rows.offsets[i + 1] += rows.offsets[i];
  return rows;
}

std::size_t high_water_kib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

// Peak memory in MiB of a fresh process that reads the file.
double peak_of_child(const std::string& program, const std::string& path) {
  const std::string command = fmt::format("'{}' --peak '{}'", program, path);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  unsigned long long kib = 0;
  if (pipe == nullptr || std::fscanf(pipe, "%llu", &kib) != 1) kib = 0;
  if (pipe != nullptr) ::pclose(pipe);
  return static_cast<double>(kib) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--peak") {
    const auto dataset = privet::graph::read_edge_list(argv[2]);
    fmt::print("{}\n", high_water_kib());
    return dataset.nodes() > 0 ? 0 : 1;
  }
  const std::size_t edges = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const std::size_t nodes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  std::optional<privet::RandomPairsFile> made;
  if (argc <= 3) made.emplace(edges, nodes);
  const std::string path = made ? made->path() : argv[3];

  std::size_t rows = 0;
  const double plain_parse = best_seconds([&] { rows = plain_stream_loop(path).size(); });
  PlainRows plain;
  const double plain_whole = best_seconds([&] {
    plain = {};
    plain = plain_graph(path);
  });
  const double parse = best_seconds([&] { privet::graph::read_edge_rows(path, {}, {}); });
  privet::graph::Dataset dataset;
  const double whole = best_seconds([&] {
    dataset = {};
    dataset = privet::graph::read_edge_list(path);
  });
  const Graph& graph = dataset.graph;
  const bool same = dataset.node_names.empty() && std::ranges::equal(plain.offsets, graph.offsets()) &&
                    std::ranges::equal(plain.neighbors, graph.columns());
  const double csr =
      static_cast<double>(graph.offsets().size_bytes() + graph.columns().size_bytes()) / (1U << 20);
  const double peak = peak_of_child(std::filesystem::read_symlink("/proc/self/exe").string(), path);
  fmt::print("{} rows, {} nodes, {} edges, {} threads\n", rows, graph.nodes(), graph.edges(),
             privet::thread_count());
  fmt::print("  file to pairs   {:7.3f} s, plain stream loop                     {:7.3f} s: {:5.1f} x\n",
             parse, plain_parse, plain_parse / parse);
  fmt::print("  file to graph   {:7.3f} s, plain stream loop, sort, unique, rows {:7.3f} s: {:5.1f} x\n",
             whole, plain_whole, plain_whole / whole);
  fmt::print("  file to graph   {:7.3f} s, plain stream loop to pairs only       {:7.3f} s: {:5.1f} x\n",
             whole, plain_parse, plain_parse / whole);
  fmt::print("  the plain graph is {}\n",
             same ? "the same" : "another: ids that do not occur, or lines that the loop does not read");
  fmt::print("  peak memory     {:7.1f} MiB, {:.2f} x the graph's {:.1f} MiB\n", peak, peak / csr, csr);
  return 0;
}
