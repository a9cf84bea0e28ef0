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

}  // namespace
}  // namespace privet::methods::testing
