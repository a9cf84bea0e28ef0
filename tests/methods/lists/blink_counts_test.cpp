#include "blink_counts.hpp"

namespace privet::methods::testing {
namespace {

// Kept and true entries of the stored results of Blink's public repository (e55cb7b), degree share 0.1, means
// of 30 draws.
TEST(BlinkCounts, AreThoseOfTheRepositoryOnCora) {
  PRIVET_NEEDS_DATA();
  const graph::Dataset data = graph::open_dataset(privet::testing::data_folder() / "cora");
  expect_counts(data.graph, {{1, {128, 31}},
                             {2, {1142, 466}},
                             {3, {5836, 3015}},
                             {4, {10288, 7702}},
                             {5, {10919, 10105}},
                             {6, {10607, 10459}},
                             {8, {10543, 10539}}});
}

}  // namespace
}  // namespace privet::methods::testing
