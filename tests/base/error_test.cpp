#include "privet/base/error.hpp"

#include <gtest/gtest.h>

namespace privet {
namespace {

TEST(Error, PrintsWhereWhatExpectedRemedyOnOneLine) {
  const DataError error(
      {.what = "row 3 is 9", .where = "a.npz labels", .expected = "0 to 6", .remedy = "fix it"});
  EXPECT_STREQ(error.what(), "a.npz labels: row 3 is 9 (expected 0 to 6); fix it");
  EXPECT_EQ(error.fault().expected, "0 to 6");
}

TEST(Error, LeavesOutWhatIsEmpty) { EXPECT_STREQ(Error({.what = "no"}).what(), "no"); }

TEST(Error, ControlCharactersFromInputCanNotBreakTheLine) {
  EXPECT_STREQ(DataError({.what = "name 'a\nb\x1b[2J'"}).what(), "name 'a b [2J'");
}

}  // namespace
}  // namespace privet
