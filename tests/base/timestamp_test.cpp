#include "privet/base/timestamp.hpp"

#include <gtest/gtest.h>

namespace privet {
namespace {

TEST(Timestamp, WritesUtc) {
  // date -u -d @1740830400
  EXPECT_EQ(utc_timestamp(std::chrono::sys_seconds(std::chrono::seconds(1740830400))),
            "2025-03-01T12:00:00Z");
  EXPECT_EQ(utc_timestamp(std::chrono::sys_seconds{}), "1970-01-01T00:00:00Z");
}

TEST(Timestamp, KnowsItsForm) {
  EXPECT_TRUE(is_utc_timestamp("2024-02-29T23:59:59Z"));
  for (const char* wrong :
       {"", "2025-02-29T00:00:00Z", "2025-13-01T00:00:00Z", "2025-03-01T24:00:00Z", "2025-03-01T12:60:00Z",
        "2025-03-01 12:00:00Z", "2025-03-01T12:00:00", "2025-03-01T12:00:00+", "2025-03-01T12:00:0xZ"}) {
    EXPECT_FALSE(is_utc_timestamp(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace privet
