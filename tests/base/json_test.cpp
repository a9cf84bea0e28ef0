#include "privet/base/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "privet/base/error.hpp"

namespace privet {
namespace {

TEST(JsonText, KeepsTheOrderOfKeysAndWritesNoInfinity) {
  Json document;
  document["z"] = 1;
  document["a"] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_line(document), "{\"z\":1,\"a\":null}\n");
  EXPECT_EQ(to_text(document), "{\n  \"z\": 1,\n  \"a\": null\n}\n");
}

TEST(JsonText, DoublesSurviveTheRoundTrip) {
  for (const double value : {0.1, 1e-300, 4.2247, 1.0 / 3}) {
    EXPECT_EQ(parse_json(to_line(Json(value)), "x").get<double>(), value);
  }
}

TEST(ParseJson, AFaultNamesLineAndColumn) {
  try {
    parse_json("{\n  \"a\": ,\n}", "run.json");
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "run.json: not valid JSON at line 2, column 8");
  }
}

TEST(ParseJson, ANumberBeyondEveryDoubleIsAFaultToo) { EXPECT_THROW(parse_json("1e999", "x"), DataError); }

}  // namespace
}  // namespace privet
