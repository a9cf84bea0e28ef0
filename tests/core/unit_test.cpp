#include "privet/core/unit.hpp"

#include <gtest/gtest.h>

#include <type_traits>

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
