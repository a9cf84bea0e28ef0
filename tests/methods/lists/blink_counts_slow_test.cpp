#include "blink_counts.hpp"

namespace privet::methods::testing {
namespace {

// As on Cora (blink_counts_test.cpp).
TEST(BlinkCountsSlow, AreThoseOfTheRepositoryOnFacebookPage) {
  PRIVET_NEEDS_DATA();
  const graph::Dataset data = graph::open_dataset(privet::testing::data_folder() / "facebook_page");
  expect_counts(data.graph, {{1, {1953, 1426}}, {4, {319776, 249018}}, {8, {341424, 341141}}});
}

}  // namespace
}  // namespace privet::methods::testing
