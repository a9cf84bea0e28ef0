#include "privet/graph/io/edge_list.hpp"

#include <gtest/gtest.h>

#include "graph/io/archives.hpp"
#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/random.hpp"

namespace privet::graph {
namespace {

using Names = std::vector<std::string>;

Source text(std::string_view bytes) { return Source::memory("edges.csv", bytes); }

Graph path_of(std::size_t nodes, std::vector<Edge> edges) {
  EdgeList list;
  for (const Edge& edge : edges) list.add(edge.from, edge.to);
  return {nodes, std::move(list), Direction::undirected};
}

TEST(EdgeListReader, ReadsEverySeparator) {
  const Graph expected = path_of(3, {{0, 1}, {1, 2}});
  for (const char* spelling : {"0,1\n1,2\n", "0\t1\n1\t2\n", "0 1\n1 2\n", "0;1\n1;2\n", "0,1\r\n1,2\r\n",
                               "0,1\n1,2", "  0   1 \n\t1\t \t2\t\n", "0 , 1\n1 ,2\n",
                               "\"0\",\"1\"\n\"1\",2\n", "# comment\n% another\n\n0,1\n   \n1,2\n\n",
                               "\xef\xbb\xbf"
                               "0,1\n1,2\n",
                               "source,target\n0,1\n1,2\n", "id_1,id_2,weight\n0,1,5\n1,2,x\n",
                               "strange,names\n0,1\n1,2\n", "0,1,0.5,\"a,b\"\n1,2,0\n"}) {
    const Dataset dataset = read_edge_list(text(spelling));
    EXPECT_EQ(dataset.graph, expected) << spelling;
    EXPECT_TRUE(dataset.node_names.empty()) << spelling;
  }
}

TEST(EdgeListReader, CountsWhatItDrops) {
  ReadSummary summary;
  const Dataset dataset = read_edge_list(text("0,1\n1,0\n0,1\n2,2\n1,2\n"), {}, &summary);
  EXPECT_EQ(dataset.graph, path_of(3, {{0, 1}, {1, 2}}));
  EXPECT_EQ(summary.rows, 5u);
  EXPECT_EQ(summary.repeats, 2u);
  EXPECT_EQ(summary.self_loops, 1u);
  EXPECT_EQ(summary.origin, NodeOrigin::edges);
  EXPECT_EQ(summary.format, Format::edge_list);
}

TEST(EdgeListReader, KeepsDirectionWhenAsked) {
  ReadSummary summary;
  const Dataset dataset =
      read_edge_list(text("0,1\n1,0\n2,1\n2,1\n"), {.direction = Direction::directed}, &summary);
  ASSERT_TRUE(dataset.directed_graph.has_value());
  EXPECT_EQ(dataset.directed_graph->stored_entries(), 3u);
  EXPECT_TRUE(dataset.directed_graph->has_entry(2, 1));
  EXPECT_FALSE(dataset.directed_graph->has_entry(1, 2));
  EXPECT_EQ(dataset.graph, path_of(3, {{0, 1}, {1, 2}}));
  EXPECT_EQ(summary.repeats, 1u);
}

TEST(EdgeListReader, SortsNodesThatOnlyEdgesName) {
  const Dataset numbers = read_edge_list(text("10,9\n9,100\n"));
  EXPECT_EQ(numbers.node_names, (Names{"9", "10", "100"}));
  EXPECT_EQ(numbers.graph, path_of(3, {{0, 1}, {0, 2}}));
  const Dataset words = read_edge_list(text("b,a\nb,\"c d\"\nB,10\n9,a\n"));
  EXPECT_EQ(words.node_names, (Names{"10", "9", "B", "a", "b", "c d"}));
  const Dataset large = read_edge_list(text("9000000000000000000,-5\n7,-5\n"));
  EXPECT_EQ(large.node_names, (Names{"-5", "7", "9000000000000000000"}));
  // "07" is not the number 7, so these are names.
  EXPECT_EQ(read_edge_list(text("7,07\n10,7\n")).node_names, (Names{"07", "10", "7"}));
  // Sparse but small numbers take another way to the same end.
  EXPECT_EQ(read_edge_list(text("2000000000,5\n5,70000\n")).node_names, (Names{"5", "70000", "2000000000"}));
}

TEST(EdgeListReader, DoesNotDependOnTheOrderOfRows) {
  for (const auto& [one, other] :
       {std::pair{"5,3\n3,9\n9,1\n", "1,9\n3,5\n9,3\n"}, std::pair{"x,3\n3,y\n", "y,3\n3,x\n"}}) {
    const Dataset a = read_edge_list(text(one));
    const Dataset b = read_edge_list(text(other));
    EXPECT_EQ(a.node_names, b.node_names);
    EXPECT_EQ(fingerprint(a), fingerprint(b));
  }
}

TEST(EdgeListReader, TakesIdsAsIndices) {
  const Dataset dataset = read_edge_list(text("0,5\n"), {.ids = Ids::indices});
  EXPECT_EQ(dataset.nodes(), 6u);
  ReadSummary summary;
  EXPECT_EQ(read_edge_list(text("0,5\n"), {.node_count = 10}, &summary).nodes(), 10u);
  EXPECT_EQ(summary.origin, NodeOrigin::option);
  EXPECT_EQ(read_edge_list(text("# none\n"), {.node_count = 3}).graph.edges(), 0u);
  EXPECT_FAILS_WITH(DataError, "edges.csv line 1 column 2: node 5 (expected 0 to 4)",
                    read_edge_list(text("0,5\n"), {.node_count = 5}));
  EXPECT_FAILS_WITH(DataError, "edges.csv line 2 column 1: '-3' (expected a node index",
                    read_edge_list(text("0,5\n-3,1\n"), {.ids = Ids::indices}));
  EXPECT_FAILS_WITH(DataError, "line 1 column 1: 'a'", read_edge_list(text("a,5\n"), {.ids = Ids::indices}));
  EXPECT_FAILS_WITH(DataError, "2000000001 nodes for 1 edge ",
                    read_edge_list(text("0,2000000000\n"), {.ids = Ids::indices}));
  EXPECT_FAILS_WITH(DataError, "'99999999999999999999'",
                    read_edge_list(text("0,99999999999999999999\n"), {.ids = Ids::indices}));
  EXPECT_FAILS_WITH(InvalidArgument, "node count", read_edge_list(text("0,1\n"), {.node_count = 0}));
}

TEST(EdgeListReader, NamesTheLineOfAFault) {
  EXPECT_FAILS_WITH(DataError, "edges.csv line 3: has one field, '7'", read_edge_list(text("0,1\n# c\n7\n")));
  EXPECT_FAILS_WITH(DataError, "edges.csv line 2: has an empty id", read_edge_list(text("0,1\n,2\n")));
  EXPECT_FAILS_WITH(DataError, "edges.csv line 2 column 2: a quote does not end",
                    read_edge_list(text("0,1\n1,\"2\n")));
  EXPECT_FAILS_WITH(DataError, "edges.csv line 2 column 1: text follows a quote",
                    read_edge_list(text("0,1\n\"1\"x,2\n")));
  EXPECT_FAILS_WITH(DataError, "has no edges", read_edge_list(text("")));
  EXPECT_FAILS_WITH(DataError, "has no edges", read_edge_list(text("# only a comment\n")));
}

TEST(EdgeListReader, FixesTheNodesBeforeReadingEdges) {
  ReadSummary summary;
  const Dataset dataset = read_edge_list(
      text("7,b\n"), {.nodes = Source::memory("nodes.csv", "id,city\nb,Bonn\n7,\"Paris, Texas\"\nc,\n")},
      &summary);
  EXPECT_EQ(dataset.node_names, (Names{"b", "7", "c"}));
  EXPECT_EQ(dataset.graph, path_of(3, {{0, 1}}));
  EXPECT_EQ(summary.origin, NodeOrigin::nodes_file);
  EXPECT_FAILS_WITH(DataError,
                    "edges.csv line 2 column 2: no node is named 'd' (expected one of the 3 nodes listed)",
                    read_edge_list(text("7,b\n7,d\n"), {.nodes = Source::memory("nodes.csv", "b\n7\nc\n")}));
  EXPECT_FAILS_WITH(DataError, "edges.csv line 1 column 1: no node is named '8'",
                    read_edge_list(text("8,7\n"), {.nodes = Source::memory("nodes.csv", "b\n7\nc\n")}));
  EXPECT_FAILS_WITH(DataError, "nodes.csv line 3 column 1: node 'b' is there twice",
                    read_edge_list(text("7,b\n"), {.nodes = Source::memory("nodes.csv", "b\n7\nb\n")}));
  EXPECT_FAILS_WITH(DataError, "nodes.csv: has no rows",
                    read_edge_list(text("7,b\n"), {.nodes = Source::memory("nodes.csv", "")}));
}

TEST(EdgeListReader, TakesLabelsWithIds) {
  ReadSummary summary;
  const Dataset dataset = read_edge_list(
      text("ann,bob\n"), {.labels = Source::memory("labels.csv", "node,label\ncid,red\nann,blue\nbob,\n")},
      &summary);
  EXPECT_EQ(summary.origin, NodeOrigin::labels_file);
  EXPECT_EQ(dataset.node_names, (Names{"cid", "ann", "bob"}));
  EXPECT_EQ(dataset.class_names, (Names{"blue", "red"}));
  EXPECT_EQ(dataset.labels, (std::vector<std::int32_t>{1, 0, kUnlabeled}));
  EXPECT_EQ(dataset.graph, path_of(3, {{1, 2}}));
  EXPECT_FAILS_WITH(
      DataError, "labels.csv line 2 column 1: node 'ann' is there twice",
      read_edge_list(text("a,b\n"), {.labels = Source::memory("labels.csv", "ann,1\nann,2\n")}));
}

TEST(EdgeListReader, TakesLabelsInTheOrderOfNodes) {
  ReadSummary summary;
  const Dataset dataset =
      read_edge_list(text("0,2\n"), {.labels = Source::memory("labels.txt", "10\n-1\n9\n10\n\n")}, &summary);
  EXPECT_EQ(summary.origin, NodeOrigin::labels_file);
  EXPECT_EQ(dataset.nodes(), 4u);
  EXPECT_EQ(dataset.labels, (std::vector<std::int32_t>{1, kUnlabeled, 0, 1}));
  EXPECT_EQ(dataset.class_names, (Names{"9", "10"}));
  const Dataset plain = read_edge_list(text("0,2\n"), {.labels = Source::memory("labels.txt", "1\n0\n2\n")});
  EXPECT_EQ(plain.labels, (std::vector<std::int32_t>{1, 0, 2}));
  EXPECT_EQ(plain.classes, 3u);
  EXPECT_TRUE(plain.class_names.empty());
  EXPECT_FAILS_WITH(DataError, "edges.csv line 1 column 2: node 3 (expected 0 to 2)",
                    read_edge_list(text("0,3\n"), {.labels = Source::memory("labels.txt", "1\n0\n2\n")}));
  EXPECT_FAILS_WITH(DataError, "labels.txt line 2: a blank line between rows",
                    read_edge_list(text("0,1\n"), {.labels = Source::memory("labels.txt", "1\n\n2\n")}));
  EXPECT_FAILS_WITH(
      DataError, "labels.txt line 2: has 2 fields (expected one label)",
      read_edge_list(text("0,1\n"), {.labels = Source::memory("labels.txt", "1\n0 1\n"), .separator = ' '}));
}

TEST(EdgeListReader, TakesFeatures) {
  const Source labels = Source::memory("labels.csv", "a,0\nb,1\n");
  const Dataset by_id = read_edge_list(
      text("a,b\n"),
      {.features = Source::memory("features.csv", "b,1,-2.5e3\na,0.125,+4\n"), .labels = labels});
  const auto& matrix = std::get<tensor::Matrix>(by_id.features);
  EXPECT_EQ(matrix(0, 0), 0.125F);
  EXPECT_EQ(matrix(0, 1), 4.0F);
  EXPECT_EQ(matrix(1, 1), -2500.0F);
  ReadSummary summary;
  const Dataset by_row = read_edge_list(
      text("0,1\n"), {.features = Source::memory("features.csv", "1 2 3\n4 5 6\n4 8 9\n")}, &summary);
  EXPECT_EQ(summary.origin, NodeOrigin::features_file);
  EXPECT_EQ(by_row.nodes(), 3u);
  EXPECT_EQ(std::get<tensor::Matrix>(by_row.features)(2, 1), 8.0F);
  const Dataset headed =
      read_edge_list(text("5,6\n"), {.features = Source::memory("features.csv", "id,f\n6,1\n5,2\n")});
  EXPECT_EQ(headed.node_names, (Names{"6", "5"}));
}

TEST(EdgeListReader, NamesFaultsInFeatures) {
  const auto read = [&](std::string_view features, IdColumn ids = IdColumn::no) {
    return read_edge_list(text("0,1\n"),
                          {.features = Source::memory("features.csv", features), .feature_ids = ids});
  };
  EXPECT_FAILS_WITH(DataError, "features.csv line 2 column 2: 'nan' (expected a finite number)",
                    read("1,2\n3,nan\n"));
  EXPECT_FAILS_WITH(DataError, "features.csv line 2 column 1: 'inf'", read("1,2\ninf,3\n"));
  EXPECT_FAILS_WITH(DataError, "features.csv line 1 column 2: '1e39'", read("1,1e39\n2,3\n"));
  EXPECT_FAILS_WITH(DataError, "features.csv line 2 column 2: 'x'", read("1,2\n3,x\n"));
  EXPECT_FAILS_WITH(DataError, "features.csv line 2: has 3 fields (expected 2 as in the first line)",
                    read("1,2\n3,4,5\n"));
  EXPECT_FAILS_WITH(DataError, "features.csv: has no columns of numbers", read("", IdColumn::no));
  EXPECT_FAILS_WITH(DataError, "features.csv: has no columns of numbers", read("a\nb\n", IdColumn::yes));
  EXPECT_FAILS_WITH(DataError, "features.csv: has 3 rows (expected 2, one per node)",
                    read_edge_list(text("0,1\n"), {.features = Source::memory("features.csv", "1\n2\n3\n"),
                                                   .labels = Source::memory("labels.csv", "0\n1\n")}));
  // Numbers so small that float32 can't tell them from 0 are 0.
  EXPECT_EQ(std::get<tensor::Matrix>(read("1e-400,1\n2,3\n").features)(0, 0), 0.0F);
}

TEST(EdgeListReader, UndoesGzip) {
  const std::string packed = testing::gzipped("0,1\n1,2\n");
  EXPECT_EQ(read_edge_list(text(packed)).graph, path_of(3, {{0, 1}, {1, 2}}));
  // Two streams one after the other are one file to gzip.
  const std::string two = packed + testing::gzipped("2,3\n");
  EXPECT_EQ(read_edge_list(text(two)).graph.edges(), 3u);
  EXPECT_FAILS_WITH(DataError, "edges.csv: the gzip stream ends too early",
                    read_edge_list(text(std::string_view(packed).substr(0, packed.size() - 5))));
  std::string damaged = packed;
  damaged[packed.size() - 6] ^= 1;
  EXPECT_FAILS_WITH(DataError, "edges.csv: the gzip stream is damaged", read_edge_list(text(damaged)));
  EXPECT_FAILS_WITH(DataError, "edges.csv: the gzip stream is damaged",
                    read_edge_list(text(packed + "tail")));
}

// Large enough for several blocks and chunks; names are needed only near the end.
TEST(EdgeListReader, ReadsLargeFilesTheSameOnAnyNumberOfThreads) {
  SeededStream random(3);
  std::string numbers;
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < 700'000; ++i) {
    const Edge edge{static_cast<NodeId>(random.below(5000)), static_cast<NodeId>(random.below(5000))};
    edges.push_back(edge);
    numbers +=
        std::to_string(edge.from) + "," + std::to_string(edge.to) + (i % 1000 == 0 ? ",1.5\r\n" : "\n");
  }
  const std::string names = numbers + "0,last\n";
  const std::size_t threads = thread_count();
  std::vector<std::string> fingerprints;
  for (const std::size_t count : {1, 2, 3}) {
    set_thread_count(count);
    const Dataset dataset = read_edge_list(text(numbers));
    EXPECT_EQ(dataset.graph, path_of(5000, edges));
    const Dataset named = read_edge_list(text(names));
    EXPECT_EQ(named.nodes(), 5001u);
    EXPECT_EQ(named.node_names.back(), "last");
    EXPECT_EQ(named.node_names[1], "1");
    EXPECT_EQ(named.node_names[2], "10");
    fingerprints.push_back(fingerprint(dataset) + fingerprint(named));
    EXPECT_FAILS_WITH(DataError, "edges.csv line 700001 column 2: 'last'",
                      read_edge_list(text(names), {.ids = Ids::indices}));
  }
  set_thread_count(threads);
  EXPECT_EQ(fingerprints[0], fingerprints[1]);
  EXPECT_EQ(fingerprints[0], fingerprints[2]);
}

TEST(EdgeListReader, ReadsIdsOfEveryLength) {
  std::string lines;
  std::vector<std::string> expected;
  for (std::uint64_t id = 1; id < 2'147'483'647; id = id * 10 + 7) {
    lines += "0," + std::to_string(id) + "\n";
    expected.push_back(std::to_string(id));
  }
  const Dataset dataset = read_edge_list(text(lines));
  ASSERT_EQ(dataset.node_names.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(dataset.node_names[i + 1], expected[i]);
}

TEST(EdgeListReader, RefusesGzipInNameAlone) {
  EXPECT_FAILS_WITH(DataError, "edges.csv.gz: is named .gz but is not gzip",
                    read_edge_list(Source::memory("edges.csv.gz", "0,1\n")));
}

TEST(EdgeListReader, NamesFilesThatCannotBeOpened) {
  const testing::TemporaryFolder folder;
  EXPECT_FAILS_WITH(IoError, "is a directory (expected a file)", read_edge_list(folder.path()));
  EXPECT_FAILS_WITH(IoError, "can't open: No such file", read_edge_list(folder.path() / "missing.csv"));
  const auto path = folder.write("friends.csv.gz", testing::gzipped("0,1\n"));
  EXPECT_EQ(read_edge_list(path).name, "friends");
}

}  // namespace
}  // namespace privet::graph
