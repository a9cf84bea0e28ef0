#include "privet/accounting/event_json.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

Event one_of_each() {
  return composed({GaussianEvent{4.2247}, LaplaceEvent{0.1}, RandomizedResponseEvent{1.0 / 3}, PureEvent{0},
                   ApproximateEvent{std::numeric_limits<double>::denorm_min(), 1e-300},
                   SubsampledGaussianEvent{PoissonSampling{0.01}, 1.1, 1, 0},
                   SubsampledGaussianEvent{FixedSizeSampling{1000000000000u, 999999999999u},
                                           1.7976931348623157e308, 0, 3},
                   ContractiveGaussianEvent{0.8, 10, 5}, DpGnnEvent{90941, 10000, 7, 1},
                   repeated(composed({GaussianEvent{2}, repeated(PureEvent{0.5}, 3)}), 711), Event()});
}

Event read(const std::string& text) {
  const Json document = parse_strict_json(text, "");
  return event_from_json(JsonField(document, "event"));
}

std::string fault_of(const std::string& text) {
  try {
    read(text);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(EventJson, EveryKindComesBackBitForBit) {
  const Event event = one_of_each();
  const std::string text = to_text(event_to_json(event));
  EXPECT_EQ(read(text), event);
  EXPECT_EQ(to_text(event_to_json(read(text))), text);
}

TEST(EventJson, HasTheDocumentedForm) {
  const Event event = repeated(SubsampledGaussianEvent{PoissonSampling{0.01}, 1.1, 1, 0}, 100);
  EXPECT_EQ(to_line(event_to_json(event)),
            R"({"kind":"repeated","times":100,"part":{"kind":"subsampled-gaussian",)"
            R"("sampling":{"kind":"poisson","rate":0.01},"noise_multiplier":1.1,"added":1,"replaced":0}})"
            "\n");
}

TEST(EventJson, FaultsNameThePath) {
  EXPECT_EQ(fault_of(R"([])"), "event: is array (expected an object)");
  EXPECT_EQ(fault_of(R"({})"), "event: kind: is missing");
  EXPECT_EQ(fault_of(R"({"kind":"gausian"})"), "event: kind: is 'gausian' (expected the name of an event)");
  EXPECT_EQ(fault_of(R"({"kind":"gaussian"})"), "event: noise_multiplier: is missing");
  EXPECT_EQ(fault_of(R"({"kind":"gaussian","noise_multiplier":"4"})"),
            "event: noise_multiplier: is string (expected a number)");
  EXPECT_EQ(fault_of(R"({"kind":"gaussian","noise_multiplier":4,"times":2})"),
            "event: times: is not a known key");
  EXPECT_EQ(
      fault_of(R"({"kind":"composed","parts":[{"kind":"pure","epsilon":1},{"kind":"pure","epsilon":-1}]})"),
      "event: parts[1]: epsilon is -1 (expected a finite number, at least 0)");
  EXPECT_EQ(fault_of(R"({"kind":"repeated","times":-3,"part":{"kind":"pure","epsilon":1}})"),
            "event: times: is -3 (expected a whole number, at least 0)");
  EXPECT_EQ(fault_of(R"({"kind":"repeated","times":1.5,"part":{"kind":"pure","epsilon":1}})"),
            "event: times: is 1.5 (expected a whole number, at least 0)");
  EXPECT_EQ(
      fault_of(
          R"({"kind":"subsampled-gaussian","sampling":{"kind":"shuffle"},"noise_multiplier":1,"added":1,"replaced":0})"),
      "event: sampling.kind: is 'shuffle' (expected poisson or fixed-size)");
}

TEST(EventJson, RefusesNumbersThatNoEventHas) {
  EXPECT_THROW(read(R"({"kind":"gaussian","noise_multiplier":0})"), DataError);
  EXPECT_THROW(read(R"({"kind":"gaussian","noise_multiplier":1e999})"), DataError);
  EXPECT_THROW(read(R"({"kind":"approximate","epsilon":1,"delta":1})"), DataError);
  EXPECT_THROW(read(R"({"kind":"dpgnn","nodes":10,"batch":11,"max_degree":1,"noise_multiplier":1})"),
               DataError);
}

TEST(EventJson, DepthIsBoundedBothWays) {
  Event event = PureEvent{1};
  for (int depth = 1; depth < kMaxEventDepth; ++depth) event = repeated(std::move(event), 2);
  EXPECT_EQ(read(to_line(event_to_json(event))), event);
  EXPECT_THROW(event_to_json(repeated(event, 2)), InvalidArgument);
  const std::string deeper = R"({"kind":"repeated","times":2,"part":)" + to_line(event_to_json(event)) + "}";
  EXPECT_THROW(read(deeper), DataError);
}

TEST(StrictJson, RefusesAKeyThatStandsTwice) {
  EXPECT_NO_THROW(parse_strict_json(R"({"a":{"b":1},"b":2,"c":[{"b":1},{"b":2}]})", "x"));
  EXPECT_THROW(parse_strict_json(R"({"epsilon":1,"epsilon":2})", "x"), DataError);
  EXPECT_THROW(parse_strict_json(R"([{"k":{"a":1,"b":2,"a":3}}])", "x"), DataError);
  EXPECT_THROW(parse_strict_json(R"({"a":)", "x"), DataError);
  EXPECT_THROW(parse_strict_json(std::string(100000, '['), "x"), DataError);
}

}  // namespace
}  // namespace privet::privacy
