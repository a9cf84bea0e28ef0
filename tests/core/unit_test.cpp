#include "privet/core/unit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

std::string message_of(const char* text) {
  try {
    (void)Unit::parse(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Unit, PrintsWhatItReads) {
  for (const char* text : {"none", "edge", "directed-edge", "k-neighbor:1", "k-neighbor:5", "node:20",
                           "node:20:add-remove", "record", "record:add-remove", "local-edge"}) {
    EXPECT_EQ(Unit::parse(text).text(), text);
  }
}

TEST(Unit, ReplaceIsMeantWhenNothingIsSaid) {
  EXPECT_EQ(Unit::parse("node:20:replace"), Unit::parse("node:20"));
  EXPECT_EQ(Unit::parse("record:replace"), Unit::parse("record"));
  EXPECT_EQ(Unit::parse("node:20").adjacency(), Adjacency::replace);
  EXPECT_EQ(Unit::parse("record:add-remove").adjacency(), Adjacency::add_remove);
}

TEST(Unit, HasNoDefault) { EXPECT_FALSE(std::is_default_constructible_v<Unit>); }

TEST(Unit, UnitsOfDifferentSizeDiffer) {
  EXPECT_NE(Unit::k_neighbor(1), Unit::k_neighbor(2));
  EXPECT_NE(Unit::node(3, Adjacency::replace), Unit::node(3, Adjacency::add_remove));
  EXPECT_NE(Unit::edge(), Unit::directed_edge());
}

TEST(Unit, SuggestsTheNearestName) {
  EXPECT_NE(message_of("egde").find("did you mean 'edge'?"), std::string::npos);
  EXPECT_NE(message_of("k-neighbour:5").find("did you mean 'k-neighbor'?"), std::string::npos);
  EXPECT_NE(message_of("node:20:addremove").find("did you mean 'add-remove'?"), std::string::npos);
  EXPECT_NE(message_of("zzzzzzzz").find("there is none, edge"), std::string::npos);
}

TEST(Unit, RefusesWhatIsIncompleteOrOutOfRange) {
  for (const char* text : {"",
                           ":",
                           "edge:1",
                           "none:",
                           "k-neighbor",
                           "k-neighbor:",
                           "k-neighbor:0",
                           "k-neighbor:-1",
                           "k-neighbor:1.5",
                           "k-neighbor:5:replace",
                           "node",
                           "node:",
                           "node:0",
                           "node:x",
                           "node:20:",
                           "node:20:replace:1",
                           "node:2147483648",
                           "node:99999999999999999999999",
                           "node: 20",
                           "node:+20",
                           "record:20",
                           "record:",
                           "Edge",
                           "edge "}) {
    EXPECT_NE(message_of(text), "") << text;
  }
  EXPECT_THROW(Unit::k_neighbor(0), InvalidArgument);
  EXPECT_THROW(Unit::node(0, Adjacency::replace), InvalidArgument);
}

TEST(Unit, SaysWhatItProtects) {
  EXPECT_FALSE(Unit::none().protects_edges());
  for (const Unit& unit : {Unit::edge(), Unit::directed_edge(), Unit::local_edge()}) {
    EXPECT_TRUE(unit.protects_edges());
    EXPECT_FALSE(unit.protects_features());
    EXPECT_FALSE(unit.protects_labels());
    EXPECT_FALSE(unit.excludes_own_row());
  }
  for (const Unit& unit :
       {Unit::k_neighbor(2), Unit::node(3, Adjacency::replace), Unit::record(Adjacency::replace)}) {
    EXPECT_TRUE(unit.protects_edges());
    EXPECT_TRUE(unit.protects_features());
    EXPECT_TRUE(unit.protects_labels());
  }
  EXPECT_TRUE(Unit::node(3, Adjacency::replace).excludes_own_row());
  EXPECT_FALSE(Unit::record(Adjacency::replace).excludes_own_row());
}

// Every predicate, unit by unit: methods ask these, and never which unit it is.
TEST(Unit, AnswersWhatIsAskedOfIt) {
  struct Asked {
    const char* what;
    bool (Unit::*asked)() const;
    std::vector<std::string> yes;
  };
  const std::vector<std::string> all = {"none",      "edge",   "directed-edge",     "k-neighbor:5",
                                        "node:7",    "record", "node:7:add-remove", "record:add-remove",
                                        "local-edge"};
  const std::vector<std::string> people = {"k-neighbor:5", "node:7", "record", "node:7:add-remove",
                                           "record:add-remove"};
  const std::vector<Asked> table = {
      {"is_about_edges", &Unit::is_about_edges, {"edge", "directed-edge", "local-edge"}},
      {"changes_pairs", &Unit::changes_pairs, {"edge"}},
      {"changes_entries", &Unit::changes_entries, {"directed-edge", "local-edge"}},
      {"is_about_a_person", &Unit::is_about_a_person, people},
      {"protects_anything", &Unit::protects_anything, {all.begin() + 1, all.end()}},
      {"blanks_person", &Unit::blanks_person, {"node:7:add-remove", "record:add-remove"}},
      {"keeps_to_own_list", &Unit::keeps_to_own_list, {"record", "record:add-remove"}},
      {"bounds_degree", &Unit::bounds_degree, {"node:7", "node:7:add-remove"}},
      {"bounds_changed_entries", &Unit::bounds_changed_entries, {"k-neighbor:5"}},
      {"excludes_own_row", &Unit::excludes_own_row, {"k-neighbor:5", "node:7", "node:7:add-remove"}},
      {"counts_entries",
       &Unit::counts_entries,
       {"directed-edge", "k-neighbor:5", "record", "record:add-remove", "local-edge"}},
      {"counts_lists", &Unit::counts_lists, {"k-neighbor:5", "record", "record:add-remove", "local-edge"}},
      {"is_reported_locally", &Unit::is_reported_locally, {"local-edge"}},
  };
  for (const Asked& asked : table) {
    for (const std::string& text : all) {
      const bool expected = std::find(asked.yes.begin(), asked.yes.end(), text) != asked.yes.end();
      EXPECT_EQ((Unit::parse(text).*asked.asked)(), expected) << asked.what << " of " << text;
    }
  }
}

// Issued certificates hold these words: a check compares them.
TEST(Unit, WordsOfIssuedCertificates) {
  const std::string known = "node ids and their number, roles, the list of classes, the feature dictionary";
  const Unit neighbors = Unit::k_neighbor(5);
  EXPECT_EQ(neighbors.protects(),
            "any one node's features and label, and any 5 of the entries of its row and 5 of its column, "
            "against everybody but that node");
  EXPECT_EQ(neighbors.neighbors_differ_in(),
            "one node's features and label are replaced, and up to 5 entries each of its row and column are "
            "flipped");
  EXPECT_EQ(Unit::parse("node:20").leaves_public(),
            known +
                ", and that no node has more than 20 edges; outputs about the node itself are outside "
                "the guarantee");
  EXPECT_EQ(Unit::parse("node:20").neighbors_differ_in(),
            "one node of at most 20 edges is replaced by another such node");
  EXPECT_EQ(Unit::parse("node:20:add-remove").neighbors_differ_in(),
            "one node of at most 20 edges is there or isolated and blank");
  EXPECT_EQ(Unit::none().leaves_public(), "everything");
  EXPECT_EQ(Unit::edge().leaves_public(), known + ", all features and labels");
  EXPECT_EQ(Unit::local_edge().leaves_public(),
            known + ", all features and labels; an undirected edge that both of its ends report costs twice");
}

TEST(Unit, SaysSoWhereItIsWeakerThanItSounds) {
  EXPECT_NE(Unit::record(Adjacency::replace).leaves_public().find("weaker than node"), std::string::npos);
  EXPECT_NE(Unit::local_edge().leaves_public().find("costs twice"), std::string::npos);
  EXPECT_NE(Unit::node(20, Adjacency::replace).leaves_public().find("more than 20 edges"), std::string::npos);
  EXPECT_NE(Unit::record(Adjacency::add_remove).neighbors_differ_in(),
            Unit::record(Adjacency::replace).neighbors_differ_in());
}

TEST(Unit, HasOnlyTheNumbersOfItsKind) {
  EXPECT_EQ(Unit::k_neighbor(5).k(), 5u);
  EXPECT_EQ(Unit::node(7, Adjacency::replace).max_degree(), 7u);
  EXPECT_THROW((void)Unit::edge().k(), std::logic_error);
  EXPECT_THROW((void)Unit::k_neighbor(5).max_degree(), std::logic_error);
  EXPECT_THROW((void)Unit::edge().adjacency(), std::logic_error);
}

}  // namespace
}  // namespace privet::privacy
