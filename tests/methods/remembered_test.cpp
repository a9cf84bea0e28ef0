#include "privet/methods/remembered.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "method_cases.hpp"

namespace privet::methods::testing {
namespace {

std::string digest(std::string_view text, const graph::Features& features, const RandomStream& stream) {
  return PublicInputs().add(text).add(features).add(stream).digest();
}

graph::Features rows(float value) {
  tensor::Matrix made(2, 2);
  made(1, 0) = value;
  return made;
}

TEST(Remembered, IsMadeOnceForTheSameInputs) {
  Remembered<int> known;
  int made = 0;
  const auto make = [&] { return ++made; };
  EXPECT_EQ(*known.get("a", make), 1);
  EXPECT_EQ(*known.get("b", make), 2);
  EXPECT_EQ(*known.get("a", make), 1);
  EXPECT_EQ(made, 2);
}

TEST(Remembered, ForgetsTheOldest) {
  Remembered<int> known;
  int made = 0;
  const auto make = [&] { return ++made; };
  for (int i = 0; i < 33; ++i) known.get(std::to_string(i), make);
  EXPECT_EQ(*known.get("1", make), 2);
  EXPECT_EQ(*known.get("0", make), 34);
}

TEST(PublicInputs, DifferInAnythingThatDiffers) {
  const SeededStream one(1);
  const SeededStream two(2);
  const std::set<std::string> all = {digest("a", rows(1), one), digest("a", rows(2), one),
                                     digest("b", rows(1), one), digest("a", rows(1), two),
                                     digest("a", graph::Features(), one)};
  EXPECT_EQ(all.size(), 5U);
  EXPECT_TRUE(all.contains(digest("a", rows(1), SeededStream(1))));
}

// Where one text ends and the next begins is told too.
TEST(PublicInputs, AreNotJoined) {
  EXPECT_NE(PublicInputs().add("ab").add("c").digest(), PublicInputs().add("a").add("bc").digest());
}

TEST(PublicInputs, OfARealGeneratorAreNeverTheSame) {
  const SecureStream stream;
  EXPECT_NE(digest("a", rows(1), stream), digest("a", rows(1), stream));
}

// The second answer comes from memory, and is the same as one made anew.
TEST(Remembered, GatesAnswerAsTheFirstTime) {
  const graph::Dataset data = small_graph();
  const auto accuracies = [&](const std::string& name, std::uint64_t seed) {
    const RunResult run = run_once(*make_method(name), data, run_with(request_with("edge", 0.01), seed));
    return std::pair(run.test_accuracy, run.validation_accuracy);
  };
  const auto first = accuracies("edge-rand", 3);
  EXPECT_EQ(accuracies("gap", 3), first);
  EXPECT_NE(accuracies("gap", 4), first);
  EXPECT_EQ(accuracies("edge-rand", 3), first);
}

}  // namespace
}  // namespace privet::methods::testing
