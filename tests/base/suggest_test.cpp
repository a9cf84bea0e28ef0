#include "privet/base/suggest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace privet {
namespace {

const std::vector<std::string> kNames = {"csbm", "sbm", "dcsbm", "chains"};

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("dcsmb", kNames), "dcsbm");
  EXPECT_EQ(nearest("chain", kNames), "chains");
  EXPECT_EQ(nearest("sb", kNames), "sbm");
}

TEST(Nearest, TakesCapitalsForSmallLetters) {
  const std::vector<std::string> names = {"gap", "gat", "DE"};
  EXPECT_EQ(nearest("GAP", names), "gap");
  EXPECT_EQ(nearest("de", names), "DE");
}

TEST(Nearest, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(nearest("eclipse", kNames), "");
  EXPECT_EQ(nearest(std::string(1000, 'x'), kNames), "");
}

TEST(Nearest, KnowsAbbreviationsOfOneName) {
  const std::vector<std::string> names = {"--epsilon", "--delta", "--data", "--data-root"};
  EXPECT_EQ(nearest("--eps", names), "--epsilon");
  EXPECT_EQ(nearest("--d", names), "");  // of three
}

TEST(Suggestion, ListsWhatThereIsWhereNothingIsNear) {
  EXPECT_EQ(suggestion("eclipse", kNames), "there is csbm, sbm, dcsbm, chains");
  EXPECT_EQ(suggestion("dcsb", kNames), "did you mean 'dcsbm'?");
}

}  // namespace
}  // namespace privet
