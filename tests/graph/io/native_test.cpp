#include "privet/graph/io/native.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "graph/io/archives.hpp"
#include "privet/base/error.hpp"
#include "privet/base/random.hpp"

namespace privet::graph {
namespace {

namespace fs = std::filesystem;
using testing::array;
using testing::with;
using testing::without;
using testing::ZipMember;

// A path of four nodes with everything that the format can say.
std::vector<ZipMember> small() {
  return {array<std::int64_t>("num_nodes", {4}),
          array<std::int32_t>("edges", {0, 1, 1, 2, 2, 3}, {3, 2}),
          array<float>("features", {1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}),
          array<std::int32_t>("labels", {0, 1, -1, 1}),
          array<std::int64_t>("num_classes", {2}),
          array<std::uint8_t>("train_mask_0", {1, 0, 0, 0}),
          array<std::uint8_t>("val_mask_0", {0, 1, 0, 0}),
          array<std::uint8_t>("test_mask_0", {0, 0, 0, 1})};
}

Dataset read(const std::vector<ZipMember>& members) {
  const std::string bytes = testing::zip(members);
  return read_native(Source::memory("small.npz", bytes));
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Dataset rich() {
  EdgeList edges;
  edges.add(0, 3);
  edges.add(2, 1);
  EdgeList directed;
  directed.add(3, 0);
  directed.add(2, 1);
  directed.add(1, 2);
  Dataset dataset;
  dataset.name = "rich";
  dataset.graph = Graph(4, std::move(edges), Direction::undirected);
  dataset.directed_graph = Graph(4, std::move(directed), Direction::directed);
  dataset.features = tensor::SparseMatrix(4, 5, {0, 2, 2, 3, 4}, {0, 4, 1, 2}, {0.5F, -1, 3, 1e-30F});
  dataset.labels = {1, 0, kUnlabeled, 2};
  dataset.classes = 3;
  dataset.splits = {{.name = "public", .roles = {Role::train, Role::test, Role::none, Role::validation}},
                    {.name = "0", .roles = {Role::none, Role::none, Role::train, Role::train}}};
  dataset.class_names = {"", "two words, \"quoted\"", std::string("nul\0inside", 10)};
  dataset.node_names = {"a", "", "\xc3\xa9", "10"};
  return dataset;
}

TEST(NativeReader, ReadsWhatThereIs) {
  const Dataset dataset = read(small());
  EXPECT_EQ(dataset.nodes(), 4u);
  EXPECT_EQ(dataset.graph.edges(), 3u);
  EXPECT_TRUE(dataset.graph.has_entry(3, 2));
  EXPECT_EQ(std::get<tensor::Matrix>(dataset.features)(3, 1), 8.0F);
  EXPECT_EQ(dataset.labels, (std::vector<std::int32_t>{0, 1, -1, 1}));
  ASSERT_EQ(dataset.splits.size(), 1u);
  EXPECT_EQ(dataset.splits[0].roles,
            (std::vector<Role>{Role::train, Role::validation, Role::none, Role::test}));
}

TEST(NativeReader, TakesStoredMembers) {
  auto members = small();
  for (ZipMember& member : members) member.deflate = false;
  EXPECT_EQ(fingerprint(read(members)), fingerprint(read(small())));
}

TEST(NativeReader, HasNoLabelsWhereThereAreNone) {
  const Dataset dataset = read(without(without(small(), "labels"), "num_classes"));
  EXPECT_TRUE(dataset.labels.empty());
  EXPECT_EQ(dataset.classes, 0u);
}

TEST(NativeReader, TakesLabelValuesAsClassNames) {
  const Dataset dataset = read(with(small(), array<std::int32_t>("label_values", {2004, 2009})));
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"2004", "2009"}));
}

TEST(NativeReader, NamesTheRowOfABadEdge) {
  const auto edges = [&](std::vector<std::int32_t> rows) {
    return read(with(small(), array<std::int32_t>("edges", rows, {rows.size() / 2, 2})));
  };
  EXPECT_FAILS_WITH(DataError, "small.npz: edges: row 1 is (0, 1) (expected every edge once)",
                    edges({0, 1, 0, 1}));
  EXPECT_FAILS_WITH(DataError, "edges: row 1 is (2, 1) (expected the smaller id first)", edges({0, 1, 2, 1}));
  EXPECT_FAILS_WITH(DataError, "edges: row 1 is (0, 1) (expected sorted rows)", edges({1, 2, 0, 1}));
  EXPECT_FAILS_WITH(DataError, "edges: row 0 is (2, 2) (expected no self-loops)", edges({2, 2}));
  EXPECT_FAILS_WITH(DataError, "edges: row 0 is (0, 4) (expected node ids from 0 to 3)", edges({0, 4}));
  EXPECT_FAILS_WITH(DataError, "edges: row 0 is (-1, 2) (expected node ids", edges({-1, 2}));
}

TEST(NativeReader, NamesTheArrayThatDoesNotFit) {
  EXPECT_FAILS_WITH(DataError, "small.npz: has no array 'num_nodes'", read(without(small(), "num_nodes")));
  EXPECT_FAILS_WITH(DataError, "small.npz: has no array 'edges'", read(without(small(), "edges")));
  EXPECT_FAILS_WITH(DataError, "no array 'val_mask_0'", read(without(small(), "val_mask_0")));
  EXPECT_FAILS_WITH(DataError, "no array 'num_classes'", read(without(small(), "num_classes")));
  EXPECT_FAILS_WITH(DataError, "labels: has shape (3) (expected (4))",
                    read(with(small(), array<std::int32_t>("labels", {0, 1, 1}))));
  EXPECT_FAILS_WITH(DataError, "features: has shape (2, 4) (expected (4, any))",
                    read(with(small(), array<float>("features", {1, 2, 3, 4, 5, 6, 7, 8}, {2, 4}))));
  EXPECT_FAILS_WITH(DataError, "edges: has shape (6) (expected (any, 2))",
                    read(with(small(), array<std::int32_t>("edges", {0, 1, 1, 2, 2, 3}))));
  EXPECT_FAILS_WITH(DataError, "labels row 3 is 2 (expected 0 to 1, or -1",
                    read(with(small(), array<std::int32_t>("labels", {0, 1, 1, 2}))));
  EXPECT_FAILS_WITH(DataError, "labels row 0 is -2",
                    read(with(small(), array<std::int32_t>("labels", {-2, 1, 1, 1}))));
  EXPECT_FAILS_WITH(DataError, "val_mask_0: row 0 is set in another mask",
                    read(with(small(), array<std::uint8_t>("val_mask_0", {1, 1, 0, 0}))));
  EXPECT_FAILS_WITH(DataError, "train_mask_0: row 0 is 7",
                    read(with(small(), array<std::uint8_t>("train_mask_0", {7, 0, 0, 0}))));
  EXPECT_FAILS_WITH(DataError, "num_nodes: is -1",
                    read(with(small(), array<std::int64_t>("num_nodes", {-1}))));
  EXPECT_FAILS_WITH(DataError, "the graph has no nodes",
                    read(with(small(), array<std::int64_t>("num_nodes", {0}))));
  EXPECT_FAILS_WITH(DataError, "num_classes: 4611686018427387904 classes for 4 nodes",
                    read(with(small(), array<std::int64_t>("num_classes", {std::int64_t{1} << 62}))));
}

TEST(NativeReader, RefusesFeaturesThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_FAILS_WITH(DataError, "features row 1 column 1 is nan",
                    read(with(small(), array<float>("features", {1, 2, 3, nan, 5, 6, 7, 8}, {4, 2}))));
  EXPECT_FAILS_WITH(DataError, "features row 3 column 0 is -inf",
                    read(with(small(), array<float>("features", {1, 2, 3, 4, 5, 6, -infinity, 8}, {4, 2}))));
}

TEST(NativeReader, RefusesWrongTypes) {
  EXPECT_FAILS_WITH(DataError, "edges: is int64 (3, 2) (expected int32)",
                    read(with(small(), array<std::int64_t>("edges", {0, 1, 1, 2, 2, 3}, {3, 2}))));
  EXPECT_FAILS_WITH(DataError, "labels: is float32 (4) (expected int32)",
                    read(with(small(), array<float>("labels", {0, 1, 1, 1}))));
  const std::string data(24, '\0');
  const auto edges = [&](const std::string& header) {
    return read(with(small(), {.name = "edges.npy", .bytes = testing::raw_npy(header, data)}));
  };
  EXPECT_FAILS_WITH(DataError, "edges: is big endian (expected little endian)",
                    edges("{'descr': '>i4', 'fortran_order': False, 'shape': (3, 2), }"));
  EXPECT_FAILS_WITH(DataError, "edges: is in Fortran order (expected C order)",
                    edges("{'descr': '<i4', 'fortran_order': True, 'shape': (3, 2), }"));
  EXPECT_FAILS_WITH(DataError, "edges: holds pickled objects, which are never loaded",
                    edges("{'descr': '|O', 'fortran_order': False, 'shape': (3, 2), }"));
  EXPECT_FAILS_WITH(DataError, "edges: the header promises int32 (4, 2) but 24 bytes follow",
                    edges("{'descr': '<i4', 'fortran_order': False, 'shape': (4, 2), }"));
  EXPECT_FAILS_WITH(DataError, "edges: the header promises int32 (2, 2) but 24 bytes follow",
                    edges("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }"));
  EXPECT_FAILS_WITH(DataError, "edges: npy header: an impossible shape",
                    edges("{'descr': '<i4', 'fortran_order': False, 'shape': (9223372036854775808, 2), }"));
}

TEST(NativeReader, RefusesNodesThatNothingSpeaksFor) {
  const std::vector<ZipMember> bare = {array<std::int64_t>("num_nodes", {2'000'000'000}),
                                       array<std::int32_t>("edges", {0, 1}, {1, 2})};
  EXPECT_FAILS_WITH(DataError, "num_nodes: 2000000000 nodes for 1 edge", read(bare));
  // Rows of width zero cost no bytes, and so speak for nothing.
  EXPECT_FAILS_WITH(DataError, "num_nodes: 2000000000 nodes for 1 edge",
                    read(with(bare, array<float>("features", {}, {2'000'000'000, 0}))));
}

TEST(NativeReader, RefusesDamagedArchives) {
  const std::string whole = testing::zip(small());
  const auto read_bytes = [](const std::string& bytes) {
    return read_native(Source::memory("x.npz", bytes));
  };
  EXPECT_FAILS_WITH(DataError, "x.npz: is not a zip archive, or is truncated", read_bytes(""));
  EXPECT_FAILS_WITH(DataError, "x.npz: is not a zip archive, or is truncated",
                    read_bytes(whole.substr(0, whole.size() / 2)));
  EXPECT_FAILS_WITH(
      DataError,
      "x.npz: is not a zip archive (expected a native data set); privet data convert reads other "
      "formats",
      read_bytes("just text"));

  auto members = small();
  members[1].crc = 12345;
  EXPECT_FAILS_WITH(DataError, "edges.npy: the CRC does not match", read(members));

  members = small();
  members[1].size = 100'000'000;
  EXPECT_FAILS_WITH(DataError, "which is impossible", read(members));

  members = small();
  members[1].size = static_cast<std::uint32_t>(members[1].bytes.size() + 4);
  EXPECT_FAILS_WITH(DataError, "edges: the header promises", read(members));

  members = small();
  members[1].flags = 1;
  EXPECT_FAILS_WITH(DataError, "edges.npy: is encrypted", read(members));

  members = small();
  members[1].method = 12;
  EXPECT_FAILS_WITH(DataError, "edges.npy: is packed by method 12", read(members));

  members = small();
  members.push_back(members[1]);
  EXPECT_FAILS_WITH(DataError, "edges.npy: is there twice", read(members));

  members = small();
  members[1].bytes = "short";
  EXPECT_FAILS_WITH(DataError, "edges: is not a NumPy array", read(members));
}

// Whatever single byte is changed or wherever the file ends, reading gives a data set or one clear line.
TEST(NativeReader, SurvivesEveryDamagedByte) {
  const std::string whole = testing::zip(small());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const std::string message =
        testing::failure_of<Error>([&] { read_native(Source::memory("damaged", damaged)); });
    if (!message.empty()) ++refused;
    // The last bytes of the directory's end are high halves of numbers, and zero either way.
    if (i + 3 >= whole.size()) continue;
    const std::string cut = whole.substr(0, i);
    EXPECT_FALSE(testing::failure_of<Error>([&] { read_native(Source::memory("cut", cut)); }).empty()) << i;
  }
  // The CRC covers the data; dates and a few fields that nobody reads are all that can change unseen.
  EXPECT_GT(refused, whole.size() / 2);
}

TEST(NativeReader, NamesFilesThatCannotBeOpened) {
  const testing::TemporaryFolder folder;
  EXPECT_FAILS_WITH(IoError, "holds no graph.npz", read_native(folder.path()));
  EXPECT_FAILS_WITH(IoError, "can't open: No such file", read_native(folder.path() / "missing"));
  fs::create_directories(folder.path() / "graph.npz");
  EXPECT_FAILS_WITH(IoError, "is a directory (expected a file)", read_native(folder.path()));
}

TEST(NativeReader, NamesFilesThatMayNotBeRead) {
  const testing::TemporaryFolder folder;
  const fs::path path = folder.write("graph.npz", testing::zip(small()));
  fs::permissions(path, fs::perms::none);
  // Root may read everything: then the reader runs as somebody else, who may enter the folder.
  constexpr uid_t kNobody = 65534;
  const bool root = ::geteuid() == 0;
  fs::permissions(folder.path(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  ASSERT_TRUE(!root || ::seteuid(kNobody) == 0);
  EXPECT_FAILS_WITH(IoError, "can't open: Permission denied", read_native(path));
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
}

TEST(NativeReader, IsNamedAfterItsFolder) {
  const testing::TemporaryFolder folder;
  folder.write("cora/graph.npz", testing::zip(small()));
  folder.write("other.npz", testing::zip(small()));
  EXPECT_EQ(read_native(folder.path() / "cora").name, "cora");
  EXPECT_EQ(read_native(folder.path() / "cora/").name, "cora");
  EXPECT_EQ(read_native(folder.path() / "cora/graph.npz").name, "cora");
  EXPECT_EQ(read_native(folder.path() / "other.npz").name, "other");
}

TEST(NativeWriter, KeepsEverything) {
  const testing::TemporaryFolder folder;
  const Dataset before = rich();
  write_native(before, folder.path() / "deep" / "rich");
  const Dataset after = read_native(folder.path() / "deep" / "rich");
  EXPECT_EQ(after.name, before.name);
  EXPECT_EQ(after.graph, before.graph);
  EXPECT_EQ(after.directed_graph, before.directed_graph);
  EXPECT_EQ(after.features, before.features);
  EXPECT_EQ(after.labels, before.labels);
  EXPECT_EQ(after.classes, before.classes);
  EXPECT_EQ(after.splits, before.splits);
  EXPECT_EQ(after.class_names, before.class_names);
  EXPECT_EQ(after.node_names, before.node_names);
  EXPECT_EQ(fingerprint(after), fingerprint(before));
}

TEST(NativeWriter, KeepsDenseFeaturesAndDirectedGraphs) {
  const testing::TemporaryFolder folder;
  Dataset before = rich();
  before.graph = *before.directed_graph;
  before.directed_graph.reset();
  tensor::Matrix matrix(4, 3);
  for (std::size_t k = 0; k < matrix.size(); ++k) matrix.values()[k] = static_cast<float>(k) / 7;
  before.features = matrix;
  before.labels.clear();
  write_native(before, folder.path() / "rich");
  const Dataset after = read_native(folder.path() / "rich");
  EXPECT_EQ(after.graph, before.graph);
  EXPECT_FALSE(after.graph.undirected());
  EXPECT_FALSE(after.directed_graph.has_value());
  EXPECT_EQ(after.features, before.features);
  EXPECT_TRUE(after.labels.empty());
  EXPECT_EQ(after.classes, before.classes);
}

TEST(NativeWriter, GivesEqualBytesForEqualData) {
  const testing::TemporaryFolder folder;
  write_native(rich(), folder.path() / "a");
  write_native(rich(), folder.path() / "b");
  const std::string bytes = slurp(folder.path() / "a" / "graph.npz");
  EXPECT_EQ(bytes, slurp(folder.path() / "b" / "graph.npz"));
  // Every member is dated 1 January 1980 and has its sizes in front (no data descriptor).
  ASSERT_GT(bytes.size(), 14u);
  EXPECT_EQ(bytes.substr(0, 4), "PK\x03\x04");
  EXPECT_EQ(static_cast<unsigned char>(bytes[6]) & 8, 0);
  EXPECT_EQ(bytes.substr(10, 4), std::string("\x00\x00\x21\x00", 4));
}

TEST(NativeWriter, RefusesWhatTheFormatCannotHold) {
  const testing::TemporaryFolder folder;
  Dataset dataset = rich();
  dataset.splits[0].name = "a/b";
  EXPECT_FAILS_WITH(InvalidArgument, "split name 'a/b'", (write_native(dataset, folder.path() / "x"), 0));
  dataset = rich();
  dataset.graph = *dataset.directed_graph;
  EXPECT_FAILS_WITH(InvalidArgument, "another directed graph",
                    (write_native(dataset, folder.path() / "x"), 0));
  dataset = rich();
  dataset.labels.pop_back();
  EXPECT_FAILS_WITH(DataError, "labels has 3 rows", (write_native(dataset, folder.path() / "x"), 0));
  EXPECT_FALSE(fs::exists(folder.path() / "x"));
}

TEST(NativeWriter, LeavesNothingOnAFullDisk) {
  const testing::TemporaryFolder folder;
  Dataset dataset = rich();
  // Random bits do not compress, so the archive is larger than the limit below.
  SeededStream random(7);
  tensor::Matrix matrix(4, 50'000);
  for (float& value : matrix.values()) value = static_cast<float>(random.uniform());
  dataset.features = matrix;
  folder.write("kept/graph.npz", "old");

  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit limit{.rlim_cur = 100'000, .rlim_max = old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const std::string fresh =
      testing::failure_of<IoError>([&] { write_native(dataset, folder.path() / "fresh"); });
  const std::string kept =
      testing::failure_of<IoError>([&] { write_native(dataset, folder.path() / "kept"); });
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);

  EXPECT_NE(fresh.find("can't write: File too large"), std::string::npos) << fresh;
  EXPECT_NE(kept.find("nothing was written"), std::string::npos) << kept;
  EXPECT_FALSE(fs::exists(folder.path() / "fresh"));
  EXPECT_EQ(slurp(folder.path() / "kept" / "graph.npz"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "kept"), {}), 1);
}

}  // namespace
}  // namespace privet::graph
