// What the first lines and first columns of text files are taken for, and where that is refused.

#include <gtest/gtest.h>

#include "graph/io/archives.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "privet/graph/io/fields.hpp"

namespace privet::graph {
namespace {

using Names = std::vector<std::string>;

Source text(std::string_view bytes) { return Source::memory("edges.csv", bytes); }

struct Reading {
  Dataset dataset;
  ReadSummary summary;
};

Reading read(std::string_view edges, const ReadOptions& options = {}) {
  Reading reading;
  reading.dataset = read_edge_list(text(edges), options, &reading.summary);
  return reading;
}

ReadOptions with_features(std::string_view features, IdColumn ids = IdColumn::automatic) {
  return {.features = Source::memory("features.csv", features), .feature_ids = ids};
}

ReadOptions with_labels(std::string_view labels) { return {.labels = Source::memory("labels.csv", labels)}; }

ReadOptions with_nodes(std::string_view nodes) { return {.nodes = Source::memory("nodes.csv", nodes)}; }

// "file: text (header)" for every line that the summary tells of.
std::vector<std::string> told(const ReadSummary& summary) {
  std::vector<std::string> lines;
  for (const FirstLine& line : summary.first_lines) {
    lines.push_back(line.file + ": " + line.text + (line.header ? " (header)" : " (data)"));
  }
  return lines;
}

TEST(FeatureIds, AreAskedForWhereTheyCannotBeTold) {
  EXPECT_FAILS_WITH(DataError,
                    "features.csv: can't tell whether the first column 'patient' holds node ids; say "
                    "--feature-ids yes or no",
                    read("3,1\n", with_features("patient,age\n3,40\n1,50\n2,60\n")));
  EXPECT_FAILS_WITH(DataError, "features.csv: can't tell whether the first column holds node ids",
                    read("3,1\n", with_features("3,40\n1,50\n2,60\n")));
  // Zeros in front are how ids are often written, never numbers to learn from.
  EXPECT_FAILS_WITH(DataError, "can't tell whether the first column 'patient'",
                    read("003,001\n", with_features("patient,age\n003,40\n001,50\n")));
  // Labels without ids say how many nodes there are, not which row is whose.
  EXPECT_FAILS_WITH(DataError, "can't tell whether the first column 'patient'",
                    read("0,1\n", {.features = Source::memory("features.csv", "patient,age\n1,4\n0,5\n"),
                                   .labels = Source::memory("labels.csv", "0\n1\n")}));
}

TEST(FeatureIds, AreWhatTheOptionSays) {
  const std::string_view features = "patient,age\n3,40\n1,50\n2,60\n";
  const Reading ids = read("3,1\n", with_features(features, IdColumn::yes));
  EXPECT_EQ(ids.dataset.node_names, (Names{"3", "1", "2"}));
  EXPECT_EQ(std::get<tensor::Matrix>(ids.dataset.features).columns(), 1u);
  const Reading rows = read("2,1\n", with_features(features, IdColumn::no));
  EXPECT_TRUE(rows.dataset.node_names.empty());
  EXPECT_EQ(std::get<tensor::Matrix>(rows.dataset.features)(0, 0), 3.0F);
}

TEST(FeatureIds, AreToldFromWhatIsSure) {
  const auto columns = [](std::string_view edges, const ReadOptions& options) {
    return feature_columns(read(edges, options).dataset.features);
  };
  // Ids come once each and are whole.
  EXPECT_EQ(columns("0,1\n", with_features("age,height\n40,1\n40,2\n")), 2u);
  EXPECT_EQ(columns("0,1\n", with_features("age,height\n40.5,1\n41,2\n")), 2u);
  EXPECT_EQ(columns("0,1\n", with_features("age\n40\n41\n")), 1u);
  EXPECT_EQ(columns("a,b\n", with_features("patient,age\na,40\nb,41\n")), 1u);
  EXPECT_EQ(columns("1,b\n", with_features("1,40\nb,41\n")), 1u);
  EXPECT_EQ(columns("3,1\n", with_features("Node ID,age\n3,40\n1,41\n")), 1u);
  // A data frame's index, with and without names of columns.
  EXPECT_EQ(columns("3,1\n", with_features(",age\n3,40\n1,41\n")), 1u);
  EXPECT_EQ(columns("3,1\n", with_features("\t0\t1\n3\t4\t5\n1\t4\t6\n")), 2u);
  // Known from another file.
  EXPECT_EQ(columns("3,1\n", {.nodes = Source::memory("nodes.csv", "1\n3\n"),
                              .features = Source::memory("features.csv", "patient,age\n3,40\n1,41\n")}),
            1u);
}

TEST(FeatureIds, AreIndicesWhereLabelsHaveNoIds) {
  const Source labels = Source::memory("labels.csv", "7\n8\n9\n");
  const Reading reading = read(
      "0,1\n", {.features = Source::memory("features.csv", "id,f\n2,20\n0,0\n1,10\n"), .labels = labels});
  EXPECT_TRUE(reading.dataset.node_names.empty());
  EXPECT_EQ(reading.dataset.labels, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(std::get<tensor::Matrix>(reading.dataset.features)(2, 0), 20.0F);
  EXPECT_EQ(reading.summary.origin, NodeOrigin::labels_file);
  EXPECT_FAILS_WITH(DataError, "features.csv line 2 column 1: no node is named '5'",
                    read("0,1\n", {.features = Source::memory("features.csv", "id,f\n5,20\n0,0\n1,10\n"),
                                   .labels = labels}));
}

TEST(FeatureIds, NameTheOptionAndTheNodeInFaults) {
  const Source nodes = Source::memory("nodes.csv", "a\nb\nc\n");
  EXPECT_FAILS_WITH(
      DataError,
      "features.csv line 2 column 1: no node is named 'd'; if the first line is a header, say --header yes; "
      "if the first column is not an id, say "
      "--feature-ids no",
      read("a,b\n", {.nodes = nodes, .features = Source::memory("features.csv", "a,1\nd,2\n")}));
  EXPECT_FAILS_WITH(
      DataError,
      "features.csv: has 2 rows, and none for node 'b' (expected 3, one per node); if the first line is a "
      "header",
      read("a,b\n", {.nodes = nodes, .features = Source::memory("features.csv", "c,1\na,2\n")}));
  EXPECT_FAILS_WITH(DataError, "features.csv: has 1 row, and none for node 'a' (expected 3",
                    read("a,b\n", {.nodes = nodes, .features = Source::memory("features.csv", "c,1\n")}));
  EXPECT_FAILS_WITH(DataError, "features.csv line 2 column 1: has an empty id",
                    read("a,b\n", with_features("a,1.5\n,2\n")));
  EXPECT_FAILS_WITH(DataError,
                    "features.csv line 1: the header names 'id' in column 2 (expected ids in column 1)",
                    read("1,2\n", with_features("age,id\n40,1\n40,2\n")));
}

TEST(EdgeHeader, IsToldInTheSummary) {
  const Reading headed = read("strange,names,weight,time\n0,1,5,6\n");
  EXPECT_EQ(headed.summary.header, true);
  EXPECT_EQ(headed.summary.ignored_columns, 2u);
  EXPECT_EQ(told(headed.summary), (Names{"edges.csv: strange,names,weight,time (header)"}));
  const Reading plain = read("0,1\n");
  EXPECT_EQ(plain.summary.header, false);
  EXPECT_EQ(plain.summary.ignored_columns, 0u);
  EXPECT_TRUE(plain.summary.first_lines.empty());
}

TEST(EdgeHeader, IsDoubtfulWhereItsWordsComeOnce) {
  const std::string_view edges = "# contacts\npatient,contact\nann,bob\nbob,cid\n";
  const Reading doubtful = read(edges);
  EXPECT_EQ(doubtful.dataset.nodes(), 5u);
  EXPECT_EQ(doubtful.summary.header, false);
  EXPECT_EQ(told(doubtful.summary), (Names{"edges.csv: patient,contact (data)"}));
  const Reading headed = read(edges, {.header = Header::yes});
  EXPECT_EQ(headed.dataset.node_names, (Names{"ann", "bob", "cid"}));
  EXPECT_EQ(told(headed.summary), (Names{"edges.csv: patient,contact (header)"}));
  EXPECT_TRUE(read(edges, {.header = Header::no}).summary.first_lines.empty());
  EXPECT_TRUE(read("ann,bob\nbob,cid\n").summary.first_lines.empty());
  EXPECT_TRUE(read("ann,7\nbob,cid\n").summary.first_lines.empty());
}

TEST(EdgeHeader, IsAskedForWhereItsWordsAreNoNodes) {
  const std::string_view edges = "patient,contact\nann,bob\n";
  EXPECT_FAILS_WITH(
      DataError,
      "edges.csv line 1 column 1: no node is named 'patient' (expected one of the 2 nodes listed); "
      "if this line is a header, say --header yes",
      read(edges, with_nodes("id\nann\nbob\n")));
  EXPECT_FAILS_WITH(DataError, "if this line is a header, say --header yes", read(edges, {.node_count = 2}));
  EXPECT_EQ(read("ann,bob\n", with_nodes("id\nann\nbob\n")).dataset.graph.edges(), 1u);
}

TEST(EdgeHeader, HasToNameTheEndsFirst) {
  EXPECT_FAILS_WITH(
      DataError,
      "edges.csv line 1: the header names 'Source' and 'target' in columns 2 and 3 (expected the two "
      "ends of an edge in columns 1 and 2); put these columns first, or give them other names",
      read("id,Source,target\n0,5,6\n1,6,7\n"));
  EXPECT_FAILS_WITH(DataError, "columns 1 and 3", read("from,weight,to\nann,0.5,bob\n"));
  EXPECT_FAILS_WITH(DataError, "columns 2 and 3", read(",src,dst\n0,ann,bob\n"));
  // The order of the two matters where the edges have a direction.
  EXPECT_EQ(read("to,from\nann,bob\n").dataset.graph.edges(), 1u);
  EXPECT_FAILS_WITH(DataError, "columns 2 and 1",
                    read("to,from\nann,bob\n", {.direction = Direction::directed}));
  EXPECT_EQ(read("source,target,from,to\nann,bob,1,2\n").dataset.graph.edges(), 1u);
  EXPECT_EQ(read("a,from,to\n", {.header = Header::no}).dataset.nodes(), 2u);
}

TEST(TableHeader, IsAWordAboveWholeNumbers) {
  const Reading nodes = read("1,2\n", with_nodes("patient\n1\n2\n3\n"));
  EXPECT_EQ(nodes.dataset.node_names, (Names{"1", "2", "3"}));
  EXPECT_EQ(told(nodes.summary), (Names{"nodes.csv: patient (header)"}));
  const Reading labels = read("1,2\n", with_labels("patient,illness\n1,flu\n2,cold\n"));
  EXPECT_EQ(labels.dataset.class_names, (Names{"cold", "flu"}));
  const Reading column = read("0,1\n", with_labels("illness\n1\n0\n"));
  EXPECT_EQ(column.dataset.nodes(), 2u);
  EXPECT_EQ(column.dataset.classes, 2u);
  // A missing label is no name of a column.
  EXPECT_EQ(read("ann,bob\n", with_labels("ann,\nbob,3\n")).dataset.nodes(), 2u);
}

// Longer than the block that the layout is told from.
TEST(TableHeader, IsRefusedWhenAWordComesLate) {
  std::string ids = "patient\n";
  for (std::size_t i = 0; i < 700'000; ++i) ids += std::to_string(1'000'000 + i) + "\n";
  EXPECT_EQ(read("1000000,1000001\n", with_nodes(ids)).dataset.nodes(), 700'000u);
  ids += "ann\n";
  EXPECT_FAILS_WITH(
      DataError,
      "nodes.csv line 700002 column 1: 'ann' is no number as all before it, so can't tell whether "
      "the first line 'patient' is a header; say --header yes or no",
      read("1000000,1000001\n", with_nodes(ids)));
}

TEST(TableHeader, IsDoubtfulAmongWords) {
  EXPECT_EQ(told(read("ann,bob\nbob,ann\n", with_nodes("patient\nann\nbob\n")).summary),
            (Names{"nodes.csv: patient (data)"}));
  const Reading labels = read("ann,bob\nbob,ann\n", with_labels("patient,illness\nann,flu\nbob,cold\n"));
  EXPECT_EQ(labels.dataset.classes, 3u);
  EXPECT_EQ(told(labels.summary), (Names{"labels.csv: patient,illness (data)"}));
  // A label that comes again is no name of a column.
  EXPECT_TRUE(read("ann,bob\nbob,ann\n", with_labels("ann,flu\nbob,flu\n")).summary.first_lines.empty());
  EXPECT_EQ(told(read("ann,bob\nbob,ann\n", with_features("patient,0,1\nann,5,6\nbob,7,8\n")).summary),
            (Names{"features.csv: patient,0,1 (data)"}));
  EXPECT_TRUE(read("ann,bob\nbob,ann\n", with_features("ann,5,5\nbob,7,8\n")).summary.first_lines.empty());
}

TEST(Counted, HasASingular) {
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

}  // namespace
}  // namespace privet::graph
