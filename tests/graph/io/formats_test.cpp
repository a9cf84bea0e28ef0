// The foreign formats and how they are told apart.
#include <gtest/gtest.h>

#include <cmath>

#include "graph/io/archives.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/io/benchmark_npz.hpp"
#include "privet/graph/io/matrix_market.hpp"
#include "privet/graph/io/native.hpp"
#include "privet/graph/io/ogb.hpp"
#include "privet/graph/io/open.hpp"
#include "privet/graph/io/plain_npz.hpp"
#include "privet/graph/io/scipy_npz.hpp"

namespace privet::graph {
namespace {

using testing::array;
using testing::with;
using testing::without;
using testing::ZipMember;
using Labels = std::vector<std::int32_t>;

Graph path_of(std::size_t nodes, std::vector<Edge> edges) {
  EdgeList list;
  for (const Edge& edge : edges) list.add(edge.from, edge.to);
  return {nodes, std::move(list), Direction::undirected};
}

template <typename Read>
Dataset read(const Read& reader, const std::vector<ZipMember>& members, const ReadOptions& options = {},
             ReadSummary* summary = nullptr) {
  const std::string bytes = testing::zip(members);
  return reader(Source::memory("a.npz", bytes), options, summary);
}

ZipMember word(const std::string& name, const std::string& text) {
  return {
      .name = name + ".npy",
      .bytes = testing::raw_npy(
          "{'descr': '|S" + std::to_string(text.size()) + "', 'fortran_order': False, 'shape': (), }", text)};
}

// As scipy.sparse.save_npz writes it: 0-1 both ways, 1-2 one way, a self-loop at 2, a stored zero at (0, 2).
std::vector<ZipMember> scipy() {
  return {array<std::int32_t>("indices", {2, 1, 2, 0, 2}), array<std::int32_t>("indptr", {0, 2, 4, 5}),
          word("format", "csr"), array<std::int64_t>("shape", {3, 3}),
          array<double>("data", {0, 0.5, 1, 1, 3})};
}

TEST(ScipyNpz, ReadsCsr) {
  ReadSummary summary;
  const Dataset dataset =
      read(read_scipy_npz, scipy(), {.labels = Source::memory("l", "x\ny\nx\n")}, &summary);
  EXPECT_EQ(dataset.graph, path_of(3, {{0, 1}, {1, 2}}));
  EXPECT_EQ(dataset.labels, (Labels{0, 1, 0}));
  EXPECT_EQ(summary.rows, 5u);
  EXPECT_EQ(summary.zeros, 1u);
  EXPECT_EQ(summary.self_loops, 1u);
  EXPECT_EQ(summary.repeats, 1u);
  const Dataset directed = read(read_scipy_npz, scipy(), {.direction = Direction::directed});
  EXPECT_EQ(directed.directed_graph->stored_entries(), 3u);
}

TEST(ScipyNpz, NamesFaults) {
  EXPECT_FAILS_WITH(DataError, "'coo' form (expected 'csr'); convert it in Python",
                    read(read_scipy_npz, with(scipy(), word("format", "coo"))));
  EXPECT_FAILS_WITH(DataError, "shape: is (3, 4) (expected a square matrix",
                    read(read_scipy_npz, with(scipy(), array<std::int64_t>("shape", {3, 4}))));
  EXPECT_FAILS_WITH(
      DataError, "indptr: has shape (4) (expected (1000001))",
      read(read_scipy_npz, with(scipy(), array<std::int64_t>("shape", {1'000'000, 1'000'000}))));
  EXPECT_FAILS_WITH(DataError, "shape: is (-1, 3)",
                    read(read_scipy_npz, with(scipy(), array<std::int64_t>("shape", {-1, 3}))));
  EXPECT_FAILS_WITH(DataError, "indices: entry 1 is 3 (expected 0 to 2)",
                    read(read_scipy_npz, with(scipy(), array<std::int32_t>("indices", {2, 3, 2, 0, 2}))));
  EXPECT_FAILS_WITH(DataError, "indices: entry 0 is -1",
                    read(read_scipy_npz, with(scipy(), array<std::int32_t>("indices", {-1, 1, 2, 0, 2}))));
  EXPECT_FAILS_WITH(DataError, "indptr: row 2 is 1 (expected offsets that rise from 0 to 5)",
                    read(read_scipy_npz, with(scipy(), array<std::int32_t>("indptr", {0, 2, 1, 5}))));
  EXPECT_FAILS_WITH(DataError, "indptr: row 3 is 4",
                    read(read_scipy_npz, with(scipy(), array<std::int32_t>("indptr", {0, 2, 3, 4}))));
  EXPECT_FAILS_WITH(DataError, "data: has shape (4) (expected (5))",
                    read(read_scipy_npz, with(scipy(), array<double>("data", {1, 1, 1, 1}))));
  EXPECT_FAILS_WITH(DataError, "data: entry 2 is NaN",
                    read(read_scipy_npz, with(scipy(), array<double>("data", {1, 1, std::nan(""), 1, 1}))));
  EXPECT_FAILS_WITH(DataError, "a.npz: 3 nodes (expected 2, as in the labels file)",
                    read(read_scipy_npz, scipy(), {.labels = Source::memory("l", "x\ny\n")}));
}

std::vector<ZipMember> benchmark() {
  return {array<float>("adj_data", {1, 1}),
          array<std::int32_t>("adj_indices", {1, 2}),
          array<std::int32_t>("adj_indptr", {0, 1, 2, 2}),
          array<std::int64_t>("adj_shape", {3, 3}),
          array<float>("attr_data", {1, 1, 1}),
          array<std::int32_t>("attr_indices", {4, 1, 0}),
          array<std::int32_t>("attr_indptr", {0, 2, 2, 3}),
          array<std::int64_t>("attr_shape", {3, 5}),
          array<std::int64_t>("labels", {1, 0, 1}),
          {.name = "class_names.npy",
           .bytes = testing::raw_npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
                                     "\x80\x03pickle")}};
}

TEST(BenchmarkNpz, ReadsAroundPickles) {
  const Dataset dataset = read(read_benchmark_npz, benchmark());
  EXPECT_EQ(dataset.graph, path_of(3, {{0, 1}, {1, 2}}));
  EXPECT_EQ(dataset.labels, (Labels{1, 0, 1}));
  EXPECT_EQ(dataset.classes, 2u);
  const auto& features = std::get<tensor::SparseMatrix>(dataset.features);
  EXPECT_TRUE(features.all_ones());
  EXPECT_EQ(features, tensor::SparseMatrix(3, 5, {0, 2, 2, 3}, {1, 4, 0}, {}));
}

TEST(BenchmarkNpz, KeepsValuesWithTheirColumnsWhenSorting) {
  const Dataset dataset =
      read(read_benchmark_npz, with(benchmark(), array<double>("attr_data", {0.5, 2, 3})));
  EXPECT_EQ(std::get<tensor::SparseMatrix>(dataset.features),
            tensor::SparseMatrix(3, 5, {0, 2, 2, 3}, {1, 4, 0}, {2, 0.5F, 3}));
}

TEST(BenchmarkNpz, NamesFaults) {
  EXPECT_FAILS_WITH(DataError, "labels: row 0 is -5",
                    read(read_benchmark_npz, with(benchmark(), array<std::int64_t>("labels", {-5, 0, 1}))));
  EXPECT_FAILS_WITH(
      DataError, "labels: 1000001 classes for 3 nodes",
      read(read_benchmark_npz, with(benchmark(), array<std::int64_t>("labels", {1'000'000, 0, 1}))));
  EXPECT_FAILS_WITH(DataError, "attr_shape: is (4, 5) (expected 3 rows",
                    read(read_benchmark_npz, with(benchmark(), array<std::int64_t>("attr_shape", {4, 5}))));
  EXPECT_FAILS_WITH(DataError, "attr_indices: entry 0 is 4 (expected below 4)",
                    read(read_benchmark_npz, with(benchmark(), array<std::int64_t>("attr_shape", {3, 4}))));
  EXPECT_FAILS_WITH(
      DataError, "row 0 has column 1 after 1",
      read(read_benchmark_npz, with(benchmark(), array<std::int32_t>("attr_indices", {1, 1, 0}))));
  EXPECT_FAILS_WITH(DataError, "attr_data: entry 1 is inf",
                    read(read_benchmark_npz, with(benchmark(), array<double>("attr_data", {1, 1e300, 1}))));
  auto pickled = benchmark();
  pickled.back().name = "labels.npy";
  EXPECT_FAILS_WITH(DataError, "labels: has shape (2)",
                    read(read_benchmark_npz, with(benchmark(), pickled.back())));
  EXPECT_FAILS_WITH(DataError, "has no array 'adj_data'",
                    read(read_benchmark_npz, without(benchmark(), "adj_data")));
}

std::vector<ZipMember> plain() {
  return {array<double>("x", {1, 2, 3, 4, 5, 6}, {3, 2}),
          array<std::int64_t>("y", {0, 2, -1}),
          array<std::int64_t>("edge_index", {0, 1, 1, 1, 2, 1}, {2, 3}),
          array<std::uint8_t>("train_mask", {1, 0, 0}),
          array<std::uint8_t>("val_mask", {0, 1, 0}),
          array<std::uint8_t>("test_mask", {0, 0, 1})};
}

TEST(PlainNpz, ReadsPlanetoidStyle) {
  ReadSummary summary;
  const Dataset dataset = read(read_plain_npz, plain(), {}, &summary);
  EXPECT_EQ(dataset.graph, path_of(3, {{0, 1}, {1, 2}}));
  EXPECT_EQ(summary.self_loops, 1u);
  EXPECT_EQ(dataset.classes, 3u);
  EXPECT_EQ(std::get<tensor::Matrix>(dataset.features)(2, 1), 6.0F);
  ASSERT_NE(dataset.find_split("public"), nullptr);
  EXPECT_EQ(dataset.find_split("public")->roles,
            (std::vector<Role>{Role::train, Role::validation, Role::test}));
}

TEST(PlainNpz, ReadsSplitsEitherWayRound) {
  const std::vector<ZipMember> heterophilous = {
      array<std::uint16_t>("node_features", {0x3c00, 0xc000, 0x0001}, {3, 1}),
      array<std::int64_t>("node_labels", {0, 1, 1}),
      array<std::int64_t>("edges", {0, 1, 1, 2}, {2, 2}),
      array<std::uint8_t>("train_masks", {1, 0, 0, 0, 1, 0}, {2, 3}),
      array<std::uint8_t>("val_masks", {0, 1, 0, 0, 0, 0}, {2, 3}),
      array<std::uint8_t>("test_masks", {0, 0, 1, 1, 0, 0}, {2, 3})};
  const Dataset dataset = read(read_plain_npz, heterophilous);
  EXPECT_EQ(dataset.graph, path_of(3, {{0, 1}, {1, 2}}));  // (2, 2) named edges: rows are pairs
  ASSERT_EQ(dataset.splits.size(), 2u);
  EXPECT_EQ(dataset.splits[1].roles, (std::vector<Role>{Role::test, Role::train, Role::none}));
  auto turned = with(heterophilous, array<std::uint8_t>("train_masks", {1, 0, 0, 1, 0, 0}, {3, 2}));
  turned = with(turned, array<std::uint8_t>("val_masks", {0, 0, 1, 0, 0, 0}, {3, 2}));
  turned = with(turned, array<std::uint8_t>("test_masks", {0, 1, 0, 0, 1, 0}, {3, 2}));
  EXPECT_EQ(read(read_plain_npz, turned).splits, dataset.splits);
}

TEST(PlainNpz, ReadsHalfPrecision) {
  auto members = plain();
  // 1.5, -2, the smallest subnormal, 65504 in IEEE 754 half precision.
  std::string data;
  for (const unsigned half : {0x3e00U, 0xc000U, 0x0001U, 0x7bffU, 0x8000U, 0x3555U})
    testing::put(data, half, 2);
  members =
      with(members,
           {.name = "x.npy",
            .bytes = testing::raw_npy("{'descr': '<f2', 'fortran_order': False, 'shape': (3, 2), }", data)});
  const Dataset dataset = read(read_plain_npz, members);
  const auto& x = std::get<tensor::Matrix>(dataset.features);
  EXPECT_EQ(x(0, 0), 1.5F);
  EXPECT_EQ(x(0, 1), -2.0F);
  EXPECT_EQ(x(1, 0), 0x1p-24F);
  EXPECT_EQ(x(1, 1), 65504.0F);
  EXPECT_EQ(x(2, 1), 0.333251953125F);
}

TEST(PlainNpz, NamesFaults) {
  EXPECT_FAILS_WITH(
      DataError, "edge_index: element 3 is 3 (expected node ids from 0 to 2)",
      read(read_plain_npz, with(plain(), array<std::int64_t>("edge_index", {0, 1, 1, 3, 2, 1}, {2, 3}))));
  EXPECT_FAILS_WITH(
      DataError, "edge_index: has shape (3, 3) (expected (2, E) or (E, 2))",
      read(read_plain_npz,
           with(plain(), array<std::int64_t>("edge_index", {0, 1, 1, 0, 2, 1, 0, 0, 0}, {3, 3}))));
  EXPECT_FAILS_WITH(
      DataError, "x: row 1 column 0 is nan",
      read(read_plain_npz, with(plain(), array<double>("x", {1, 2, std::nan(""), 4, 5, 6}, {3, 2}))));
  EXPECT_FAILS_WITH(DataError, "y: has shape (2) (expected (3))",
                    read(read_plain_npz, with(with(plain(), array<std::int64_t>("y", {0, 1})),
                                              array<std::int64_t>("num_nodes", {3}))));
  EXPECT_FAILS_WITH(DataError, "test_mask: node 0 of split public is 1",
                    read(read_plain_npz, with(plain(), array<std::uint8_t>("test_mask", {1, 0, 1}))));
  EXPECT_FAILS_WITH(DataError, "nothing says how many nodes",
                    read(read_plain_npz, without(without(plain(), "x"), "y")));
  EXPECT_FAILS_WITH(DataError, "1000000000 nodes for 3 edges",
                    read(read_plain_npz, with(without(without(plain(), "x"), "y"),
                                              array<std::int64_t>("num_nodes", {1'000'000'000}))));
}

Dataset matrix(std::string_view text, const ReadOptions& options = {}, ReadSummary* summary = nullptr) {
  return read_matrix_market(Source::memory("m.mtx", text), options, summary);
}

TEST(MatrixMarket, ReadsEveryKind) {
  const Graph expected = path_of(3, {{0, 1}, {1, 2}});
  EXPECT_EQ(matrix("%%MatrixMarket matrix coordinate pattern symmetric\n% c\n\n3 3 2\n2 1\n3 2\n").graph,
            expected);
  EXPECT_EQ(matrix("%%matrixmarket MATRIX coordinate Real general\n3 3 3\n2 1 0.5\n1 2 -1e3\n2 3 7\n").graph,
            expected);
  const std::string packed =
      testing::gzipped("%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 1\n3 2 1\n");
  EXPECT_EQ(matrix(packed).graph, expected);
  ReadSummary summary;
  matrix("%%MatrixMarket matrix coordinate integer general\n3 3 4\n1 2 1\n3 2 1\n1 3 0\n1 1 1\n", {},
         &summary);
  EXPECT_EQ(summary.zeros, 1u);
  EXPECT_EQ(summary.self_loops, 1u);
  EXPECT_EQ(summary.rows, 4u);
  const Dataset directed =
      matrix("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 2\n3 3\n",
             {.direction = Direction::directed});
  EXPECT_EQ(directed.directed_graph->stored_entries(), 4u);
}

TEST(MatrixMarket, NamesFaults) {
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  EXPECT_FAILS_WITH(DataError, "m.mtx line 1: 'array' (expected coordinate)",
                    matrix("%%MatrixMarket matrix array real general\n1 1\n1\n"));
  EXPECT_FAILS_WITH(DataError, "'complex' (expected pattern, real or integer)",
                    matrix("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"));
  EXPECT_FAILS_WITH(DataError, "'hermitian'",
                    matrix("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n"));
  EXPECT_FAILS_WITH(DataError, "m.mtx line 2: 3 rows and 4 columns (expected a square matrix)",
                    matrix(banner + "3 4 0\n"));
  EXPECT_FAILS_WITH(DataError, "m.mtx line 4 column 2: '4' (expected 1 to 3)",
                    matrix(banner + "3 3 2\n1 2\n1 4\n"));
  EXPECT_FAILS_WITH(DataError, "m.mtx line 3 column 1: '0' (expected 1 to 3)",
                    matrix(banner + "3 3 1\n0 1\n"));
  EXPECT_FAILS_WITH(DataError, "m.mtx: has 1 entries (expected 2, as the line of sizes says)",
                    matrix(banner + "3 3 2\n1 2\n"));
  EXPECT_FAILS_WITH(DataError, "2000000000 nodes for 1 edge",
                    matrix(banner + "2000000000 2000000000 1\n1 2\n"));
  EXPECT_FAILS_WITH(DataError, "above the diagonal",
                    matrix("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n1 2\n"));
  EXPECT_FAILS_WITH(DataError, "m.mtx line 3 column 3: 'nan'",
                    matrix("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 nan\n"));
  EXPECT_FAILS_WITH(DataError, "m.mtx line 1: ", matrix("%%MatrixMarket matrix \"coordinate real general\n"));
  EXPECT_FAILS_WITH(DataError, "m.mtx line 2 column 1: a quote does not end", matrix(banner + "\"3 3 0\n"));
  EXPECT_FAILS_WITH(DataError, "has no line of sizes", matrix(banner));
  EXPECT_FAILS_WITH(DataError, "the graph has no nodes", matrix(banner + "0 0 0\n"));
}

class Ogb : public ::testing::Test {
 protected:
  void SetUp() override {
    put("raw/edge.csv.gz", "0,1\n1,2\n1,2\n");
    put("raw/num-node-list.csv.gz", "4\n");
    put("raw/num-edge-list.csv.gz", "3\n");
    put("raw/node-feat.csv.gz", "1,2\n3,4\n5,6\n7,8\n");
    put("raw/node-label.csv.gz", "0\n2\nnan\n1.0\n");
    put("split/time/train.csv.gz", "0\n3\n");
    put("split/time/valid.csv.gz", "1\n");
    put("split/time/test.csv.gz", "2\n");
  }
  void put(const std::string& name, const std::string& text) {
    folder_.write("dataset/ogbn_tiny/" + name, testing::gzipped(text));
  }
  [[nodiscard]] std::filesystem::path root() const { return folder_.path() / "dataset/ogbn_tiny"; }
  testing::TemporaryFolder folder_;
};

TEST_F(Ogb, ReadsTheFolder) {
  for (const auto& path : {root(), root() / "raw", root().parent_path()}) {
    ReadSummary summary;
    const Dataset dataset = open_dataset(path, {}, &summary);
    EXPECT_EQ(dataset.name, "ogbn_tiny");
    EXPECT_EQ(summary.format, Format::ogb);
    EXPECT_EQ(summary.repeats, 1u);
    EXPECT_EQ(dataset.graph, path_of(4, {{0, 1}, {1, 2}}));
    EXPECT_EQ(dataset.labels, (Labels{0, 2, -1, 1}));
    EXPECT_EQ(dataset.classes, 3u);
    EXPECT_EQ(std::get<tensor::Matrix>(dataset.features)(3, 0), 7.0F);
    ASSERT_NE(dataset.find_split("time"), nullptr);
    EXPECT_EQ(dataset.find_split("time")->roles,
              (std::vector<Role>{Role::train, Role::validation, Role::test, Role::train}));
  }
}

TEST_F(Ogb, NamesFaults) {
  put("raw/num-edge-list.csv.gz", "4\n");
  EXPECT_FAILS_WITH(DataError, "edge.csv.gz: has 3 edges (expected 4", read_ogb(root()));
  SetUp();
  put("split/time/test.csv.gz", "2\n0\n");
  EXPECT_FAILS_WITH(DataError, "test.csv.gz: row 2 is node 0, which has a role already", read_ogb(root()));
  put("split/time/test.csv.gz", "4\n");
  EXPECT_FAILS_WITH(DataError, "test.csv.gz: row 1 is node 4 (expected nodes from 0 to 3", read_ogb(root()));
  SetUp();
  put("raw/node-label.csv.gz", "0,1\n1,1\n1,1\n1,1\n");
  EXPECT_FAILS_WITH(DataError, "node-label.csv.gz line 1: has 2 fields (expected one whole number)",
                    read_ogb(root()));
  put("raw/node-label.csv.gz", "0\n1\n");
  EXPECT_FAILS_WITH(DataError, "node-label.csv.gz: has 2 rows (expected 4, one per node)", read_ogb(root()));
  SetUp();
  put("raw/edge.csv.gz", "0,1\n1,4\n1,2\n");
  EXPECT_FAILS_WITH(DataError, "edge.csv.gz line 2 column 2: node 4 (expected 0 to 3)", read_ogb(root()));
  SetUp();
  put("raw/num-node-list.csv.gz", "4\n5\n");
  EXPECT_FAILS_WITH(DataError, "counts 2 graphs", read_ogb(root()));
  SetUp();
  std::filesystem::remove(root() / "raw/num-node-list.csv.gz");
  EXPECT_FAILS_WITH(IoError, "holds no num-node-list.csv.gz", read_ogb(root()));
  EXPECT_FAILS_WITH(IoError, "holds no raw/edge.csv.gz", read_ogb(root() / "split"));
}

TEST_F(Ogb, RefusesNodesThatNothingSpeaksFor) {
  std::filesystem::remove(root() / "raw/node-feat.csv.gz");
  std::filesystem::remove(root() / "raw/node-label.csv.gz");
  put("raw/num-node-list.csv.gz", "2000000000\n");
  EXPECT_FAILS_WITH(DataError, "2000000000 nodes for 3 edges", read_ogb(root()));
}

TEST(OpenDataset, TellsFormatsApart) {
  const testing::TemporaryFolder folder;
  const std::vector<ZipMember> native = {array<std::int64_t>("num_nodes", {2}),
                                         array<std::int32_t>("edges", {0, 1}, {1, 2})};
  const std::pair<Format, std::filesystem::path> files[] = {
      {Format::native, folder.write("cora/graph.npz", testing::zip(native)).parent_path()},
      {Format::native, folder.write("native.npz", testing::zip(native))},
      {Format::scipy, folder.write("scipy.npz", testing::zip(scipy()))},
      {Format::benchmark_npz, folder.write("amazon.npz", testing::zip(benchmark()))},
      {Format::plain_npz, folder.write("planetoid.npz", testing::zip(plain()))},
      {Format::matrix_market,
       folder.write("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")},
      {Format::matrix_market,
       folder.write("m.gz",
                    testing::gzipped("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"))},
      {Format::edge_list, folder.write("edges.tsv", "a\tb\n")},
      {Format::edge_list, folder.write("edges.txt.gz", testing::gzipped("1 2\n"))},
  };
  for (const auto& [format, path] : files) {
    EXPECT_EQ(detect_format(path), format) << path;
    ReadSummary summary;
    EXPECT_GT(open_dataset(path, {}, &summary).nodes(), 0u) << path;
    EXPECT_EQ(summary.format, format);
  }
}

TEST(OpenDataset, NeverOpensPickles) {
  const testing::TemporaryFolder folder;
  for (const auto& path :
       {folder.write("a.pkl", "(dp0\n."), folder.write("ind.cora.x", "ccopy_reg\n"),
        folder.write("noname", std::string("\x80\x04\x95", 3)), folder.write("data.pt", "xx")}) {
    EXPECT_FAILS_WITH(DataError, "is a Python pickle, which can run code", open_dataset(path));
    EXPECT_FAILS_WITH(DataError, "numpy.savez", open_dataset(path));
  }
  const auto torch = folder.write("torch_zip", testing::zip({{.name = "archive/data.pkl", .bytes = "xx"}}));
  EXPECT_FAILS_WITH(DataError, "is a zip archive without NumPy arrays", open_dataset(torch));
}

TEST(OpenDataset, NamesWhatItCannotTell) {
  const testing::TemporaryFolder folder;
  EXPECT_FAILS_WITH(DataError, "is a folder without a data set", open_dataset(folder.path()));
  EXPECT_FAILS_WITH(IoError, "can't open: No such file", open_dataset(folder.path() / "none"));
  EXPECT_FAILS_WITH(DataError, "is not a zip archive (expected an npz file)",
                    open_dataset(folder.write("x.npz", "hello")));
  EXPECT_FAILS_WITH(DataError, "no known format: foo",
                    open_dataset(folder.write("y.npz", testing::zip({array<std::int32_t>("foo", {1})}))));
  EXPECT_FAILS_WITH(DataError, "is binary", open_dataset(folder.write("z", std::string("a\0b", 3))));
  EXPECT_FAILS_WITH(InvalidArgument, "beside a plain-npz data set",
                    open_dataset(folder.write("p.npz", testing::zip(plain())), {.labels = Source("l.csv")}));
}

TEST(OpenDataset, KnowsFormatsByName) {
  EXPECT_EQ(parse_format("matrix-market"), Format::matrix_market);
  EXPECT_EQ(to_string(Format::benchmark_npz), "benchmark-npz");
  EXPECT_FAILS_WITH(InvalidArgument, "'edge-list'", parse_format("edgelist"));
}

}  // namespace
}  // namespace privet::graph
