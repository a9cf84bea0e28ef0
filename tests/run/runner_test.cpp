#include "privet/run/runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "learn/method_cases.hpp"
#include "privet/learn/row_scores.hpp"

namespace privet::methods::testing {
namespace {

// By hand from the saved model's answers: 2 right / (in the class + told to be in it), of the smallest class.
TEST(Runner, TheRareClassHasItsF1) {
  const graph::Dataset data = small_graph();
  const std::unique_ptr<Method> method = method_with("mlp", {"epochs=5"});
  const RunResult result = run_once(*method, data, run_with(request_with("none", {}), 3));
  const graph::Split split =
      draw_split(data, privacy::Unit::none(), privacy::Rigor::kStrict, "75/10/15", std::uint64_t{3});
  const std::vector<std::int32_t> told =
      predicted(method->scores(result.model, for_prediction(data, "none")).visible());
  std::vector<double> there(result.class_accuracy.size());
  for (const graph::NodeId node : split.nodes(graph::Role::test))
    ++there[static_cast<std::size_t>(data.labels[node])];
  const auto rare = static_cast<std::int32_t>(std::ranges::min_element(there) - there.begin());
  double right = 0;
  double named = 0;
  for (const graph::NodeId node : split.nodes(graph::Role::test)) {
    right += told[node] == rare && data.labels[node] == rare ? 1 : 0;
    named += told[node] == rare ? 1 : 0;
  }
  ASSERT_TRUE(result.rare_f1.has_value());
  EXPECT_NEAR(*result.rare_f1, 2 * right / (there[static_cast<std::size_t>(rare)] + named), 1e-12);
}

std::vector<std::string> unprotected(const RunResult& result) {
  std::vector<std::string> all;
  for (const privacy::UnaccountedUse& use : result.certificate.unaccounted) all.push_back(use.what);
  return all;
}

// From exact figures of each class the number of its test nodes can be read.
TEST(Runner, FiguresOfEachClassAreAskedForWhereLabelsAreProtected) {
  const graph::Dataset data = small_graph();
  const std::unique_ptr<Method> method = method_with("dp-mlp", {"steps=2"});
  const std::string by_class = "accuracy on the test nodes of each class, and F1 of the rarest class";
  for (const char* unit : {"node:299", "record", "k-neighbor:3"}) {
    RunRequest run = run_with(request_with(unit, 4), 3);
    const RunResult silent = run_once(*method, data, run);
    EXPECT_TRUE(silent.test_accuracy.has_value()) << unit;
    EXPECT_TRUE(silent.class_accuracy.empty()) << unit;
    EXPECT_FALSE(silent.rare_f1.has_value()) << unit;
    EXPECT_EQ(unprotected(silent),
              (std::vector<std::string>{"accuracy on the test nodes", "running time and memory"}));
    run.class_accuracy = true;
    const RunResult asked = run_once(*method, data, run);
    EXPECT_EQ(asked.class_accuracy.size(), data.classes) << unit;
    EXPECT_TRUE(asked.rare_f1.has_value()) << unit;
    EXPECT_EQ(unprotected(asked),
              (std::vector<std::string>{"accuracy on the test nodes", by_class, "running time and memory"}));
    EXPECT_EQ(asked.test_accuracy, silent.test_accuracy);
    run.evaluate = false;
    EXPECT_TRUE(unprotected(run_once(*method, data, run)).empty()) << unit;
  }
  const std::unique_ptr<Method> ballot = method_with("ballot", {});
  const RunResult edges = run_once(*ballot, data, run_with(request_with("edge", 4), 3));
  EXPECT_EQ(edges.class_accuracy.size(), data.classes) << "labels are public";
  EXPECT_TRUE(edges.rare_f1.has_value());
}

// A list of classes that was read from labels shows that each class has a node.
TEST(Runner, CertificatesSayWhereTheListOfClassesCameFrom) {
  const graph::Dataset data = small_graph();
  const std::unique_ptr<Method> method = method_with("dp-mlp", {"steps=2"});
  const auto about_classes = [&](Method& learner, RunRequest run) {
    std::vector<std::string> found;
    for (const std::string& text : run_once(learner, data, run).certificate.assumptions)
      if (text.starts_with("the list of classes")) found.push_back(text);
    return found;
  };
  RunRequest run = run_with(request_with("record", 4), 3);
  const std::vector<std::string> read = about_classes(*method, run);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_NE(read.front().find("may have been read from the labels"), std::string::npos);
  EXPECT_NE(read.front().find("--prepare classes=A+B+C"), std::string::npos);
  run.classes_declared = true;
  const std::vector<std::string> declared = about_classes(*method, run);
  ASSERT_EQ(declared.size(), 1U);
  EXPECT_EQ(declared.front(), "the list of classes is public: it was declared with --prepare classes=");
  const std::unique_ptr<Method> ballot = method_with("ballot", {});
  EXPECT_TRUE(about_classes(*ballot, run_with(request_with("edge", 4), 3)).empty()) << "labels are public";
}

}  // namespace
}  // namespace privet::methods::testing
