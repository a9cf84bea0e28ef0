// The public graphs beside the source tree, or in PRIVET_DATA, against the figures published with them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "graph/io/archives.hpp"
#include "privet/graph/io/native.hpp"
#include "privet/graph/io/open.hpp"

namespace privet::graph {
namespace {

namespace fs = std::filesystem;

fs::path data_root() {
  if (const char* given = std::getenv("PRIVET_DATA"); given != nullptr && *given != '\0') return given;
  return fs::path(PRIVET_SOURCE_DIR).parent_path() / "shared" / "data";
}

struct Figures {
  const char* name;
  std::size_t nodes;
  std::size_t edges;
  std::size_t features;
  std::size_t classes;
  std::size_t max_degree;
  std::size_t isolated;
  std::size_t splits;
};

// From the table in the README of the data folder.
constexpr Figures kFigures[] = {
    {"cora", 2708, 5278, 1433, 7, 168, 0, 11},
    {"citeseer", 3327, 4552, 3703, 6, 99, 48, 11},
    {"pubmed", 19717, 44324, 500, 3, 171, 0, 11},
    {"amazon_photo", 7650, 119081, 745, 8, 1434, 115, 0},
    {"amazon_computers", 13752, 245861, 767, 10, 2992, 281, 0},
    {"chameleon", 2277, 31371, 2325, 5, 732, 0, 10},
    {"squirrel", 5201, 198353, 2089, 5, 1903, 0, 10},
    {"facebook_page", 22470, 170823, 4714, 4, 709, 0, 0},
    {"twitch_es", 4648, 59382, 3170, 2, 1022, 0, 0},
    {"twitch_ru", 4385, 37304, 3170, 2, 1229, 0, 0},
    {"twitch_de", 9498, 153138, 3170, 2, 4259, 0, 0},
    {"twitch_fr", 6549, 112666, 3170, 2, 2040, 0, 0},
    {"twitch_engb", 7126, 35324, 3170, 2, 720, 0, 0},
    {"twitch_ptbr", 1912, 31299, 3170, 2, 767, 0, 0},
    {"lastfm_asia_nofeat", 7624, 27806, 0, 18, 216, 0, 0},
    {"fb100_reed98", 962, 18812, 117, 17, 313, 0, 0},
    {"fb100_amherst41", 2235, 90954, 100, 15, 467, 0, 0},
    {"fb100_johnshopkins55", 5180, 186586, 253, 23, 886, 0, 0},
    {"fb100_cornell5", 18660, 790777, 349, 44, 3156, 0, 0},
    {"fb100_berkeley13", 22937, 852444, 437, 37, 3434, 0, 0},
};

class RealData : public ::testing::TestWithParam<Figures> {
 protected:
  void SetUp() override {
    if (!fs::exists(data_root() / GetParam().name)) {
      GTEST_SKIP() << "no data set " << GetParam().name << " under " << data_root()
                   << "; set PRIVET_DATA to the folder of the public graphs";
    }
  }
};

TEST_P(RealData, HasItsPublishedFigures) {
  const Figures& figures = GetParam();
  const Dataset dataset = open_dataset(data_root() / figures.name);
  EXPECT_EQ(dataset.name, figures.name);
  EXPECT_EQ(dataset.nodes(), figures.nodes);
  EXPECT_EQ(dataset.graph.edges(), figures.edges);
  EXPECT_EQ(dataset.graph.stored_entries(), 2 * figures.edges);
  EXPECT_EQ(feature_columns(dataset.features), figures.features);
  EXPECT_EQ(dataset.classes, figures.classes);
  EXPECT_EQ(dataset.splits.size(), figures.splits);
  std::size_t isolated = 0;
  std::size_t max_degree = 0;
  for (NodeId i = 0; i < dataset.nodes(); ++i) {
    isolated += dataset.graph.degree(i) == 0 ? 1 : 0;
    max_degree = std::max(max_degree, dataset.graph.degree(i));
  }
  EXPECT_EQ(isolated, figures.isolated);
  EXPECT_EQ(max_degree, figures.max_degree);
}

class RealRoundTrip : public RealData {};

TEST_P(RealRoundTrip, ComesBackFromAFileUnchanged) {
  const testing::TemporaryFolder folder;
  const Dataset before = open_dataset(data_root() / GetParam().name);
  write_native(before, folder.path() / GetParam().name);
  const Dataset after = read_native(folder.path() / GetParam().name);
  EXPECT_EQ(fingerprint(after), fingerprint(before));
  EXPECT_EQ(after.splits, before.splits);
  EXPECT_EQ(after.class_names, before.class_names);
}

INSTANTIATE_TEST_SUITE_P(All, RealData, ::testing::ValuesIn(kFigures),
                         [](const auto& test) { return std::string(test.param.name); });

// Sparse and dense rows, values and ones, directed edges, splits, years, no features.
INSTANTIATE_TEST_SUITE_P(Some, RealRoundTrip,
                         ::testing::Values(kFigures[0], kFigures[2], kFigures[5], kFigures[14], kFigures[15]),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(RealDataDetails, KeepsDirectedEdgesAndYears) {
  const fs::path chameleon = data_root() / "chameleon";
  if (!fs::exists(chameleon)) GTEST_SKIP() << "no public graphs under " << data_root();
  const Dataset dataset = read_native(chameleon);
  ASSERT_TRUE(dataset.directed_graph.has_value());
  // DPDGC (Chien et al. 2023) counts 36,051 directed edges without self-loops; the raw rows are 36,101.
  EXPECT_EQ(dataset.directed_graph->stored_entries(), 36051u);
  EXPECT_EQ(dataset.directed_graph->symmetrized(), dataset.graph);
  const Dataset reed = read_native(data_root() / "fb100_reed98");
  ASSERT_EQ(reed.class_names.size(), 17u);
  EXPECT_NE(std::find(reed.class_names.begin(), reed.class_names.end(), "2008"), reed.class_names.end());
}

}  // namespace
}  // namespace privet::graph
