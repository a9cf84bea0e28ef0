#include "privet/base/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace privet {
namespace {

TEST(ClockText, ReadsAsPeopleReadIt) {
  EXPECT_EQ(clock_text(5.4), "0:05");
  EXPECT_EQ(clock_text(65), "1:05");
  EXPECT_EQ(clock_text(7400), "2:03:20");
  EXPECT_EQ(clock_text(-1), "0:00");
}

TEST(Progress, PrintsNothingUnlessAskedTo) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress("work", 10);
    for (int i = 0; i < 10; ++i) progress.advance();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, DrawsABarAndErasesIt) {
  show_progress(true);
  ::testing::internal::CaptureStderr();
  {
    Progress progress("work", 10);
    progress.note("loss 0.5");
    progress.advance(5);
  }
  show_progress(false);
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("work [############............]  50%"), std::string::npos) << text;
  EXPECT_NE(text.find("loss 0.5"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

}  // namespace
}  // namespace privet
