#include "privet/learn/remembered.hpp"

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

class Asked {
 public:
  int about(const std::string& text, const RandomStream& stream) {
    PublicInputs inputs;
    return *known_.get(inputs.add(text), stream, [&] { return ++made_; });
  }

 private:
  Remembered<int> known_;
  int made_ = 0;
};

TEST(Remembered, IsMadeOnceForTheSameInputs) {
  Asked asked;
  const SeededStream stream(1);
  EXPECT_EQ(asked.about("a", stream), 1);
  EXPECT_EQ(asked.about("b", stream), 2);
  EXPECT_EQ(asked.about("a", stream), 1);
  EXPECT_EQ(asked.about("a", SeededStream(2)), 3);
  EXPECT_EQ(asked.about("a", SeededStream(1)), 1);
}

TEST(Remembered, ForgetsTheOldest) {
  Asked asked;
  const SeededStream stream(1);
  for (int i = 0; i < 33; ++i) asked.about(std::to_string(i), stream);
  EXPECT_EQ(asked.about("1", stream), 2);
  EXPECT_EQ(asked.about("0", stream), 34);
}

TEST(Remembered, KeepsNothingOfARealGenerator) {
  Asked asked;
  const SecureStream stream;
  EXPECT_EQ(asked.about("a", stream), 1);
  EXPECT_EQ(asked.about("a", stream), 2);
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
