#include "privet/methods/lists/hpgr.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/method_cases.hpp"

namespace privet::methods::testing {
namespace {

TEST(Hpgr, ChoosesTheSplitWithoutData) {
  for (const double epsilon : {0.5, 2.0, 8.0}) {
    const double ratio = predicted_ratio(epsilon, 2708, 7, 4);
    EXPECT_GT(ratio, 0.04);
    EXPECT_LT(ratio, 0.96);
    EXPECT_EQ(ratio, predicted_ratio(epsilon, 2708, 7, 4));
  }
  // With plenty, little is enough for the degrees; with little the bits tell nothing anyway.
  EXPECT_LT(predicted_ratio(8, 22470, 4, 15), predicted_ratio(1, 22470, 4, 15));
}

TEST(Hpgr, TakesClustersHardAndSoft) {
  for (const char* temperature : {"temperature=0", "temperature=1", "temperature=1000000"}) {
    for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
      const std::unique_ptr<Method> method =
          method_with("hpgr", {"width=8", "epochs=10", "gate=no", "ratio=0.3", temperature});
      const RunResult result =
          run_once(*method, small_graph(), run_with(request_with("local-edge", 4, rigor), 3));
      EXPECT_TRUE(result.certificate.sound);
      EXPECT_EQ(result.certificate.releases.size(), 2U);
    }
  }
}

TEST(Hpgr, WithAllOfEpsilonForTheDegreesNoBitsAreAskedFor) {
  for (const char* name : {"hpgr", "blink", "hagei"}) {
    for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
      for (const char* kind : {"graph=hard", "graph=soft"}) {
        const std::unique_ptr<Method> method =
            method_with(name, {"width=8", "epochs=10", "gate=no", "ratio=1", kind});
        const RunResult result =
            run_once(*method, small_graph(), run_with(request_with("local-edge", 4, rigor), 3));
        EXPECT_TRUE(result.certificate.sound) << name;
        EXPECT_EQ(result.certificate.releases.size(), 1U) << name;
        EXPECT_LE(*result.certificate.epsilon, 4.0) << name;
      }
    }
  }
}

TEST(Hpgr, ScoresCompeteWithThoseOfOtherNodesOnSoftGraphsAlone) {
  const auto scores = [](const char* kind, const char* softmax) {
    const std::unique_ptr<Method> method = method_with(
        "hpgr", {"width=8", "epochs=30", "gate=no", "ratio=0.3", kind, std::string("softmax=") + softmax});
    return run_once(*method, small_graph(), run_with(request_with("local-edge", 4), 3))
        .model.tensor("scores", small_graph().nodes(), small_graph().classes);
  };
  // Whether they are logarithms of probabilities over the nodes, for each class.
  const auto compete = [](const tensor::Matrix& found) {
    for (std::size_t a = 0; a < found.columns(); ++a) {
      double sum = 0;
      for (std::size_t i = 0; i < found.rows(); ++i) sum += std::exp(static_cast<double>(found(i, a)));
      if (std::abs(sum - 1) > 1e-4) return false;
    }
    return true;
  };
  EXPECT_TRUE(compete(scores("graph=soft", "nodes")));
  EXPECT_TRUE(compete(scores("graph=top", "nodes")));
  EXPECT_FALSE(compete(scores("graph=hard", "nodes")));
  EXPECT_FALSE(compete(scores("graph=soft", "classes")));
}

// Where neighbours are alike and features tell the classes, clusters make the graph better than degrees alone
// do, at a budget where the bits hardly tell: more of the kept pairs are true. Three draws each; the
// difference is many standard deviations.
TEST(Hpgr, KnowsMoreThanDegreesDo) {
  graph::DcsbmOptions options;
  options.nodes = 1000;
  options.features = 100;
  options.topic_words = 20;
  options.homophily = 0.9;
  options.signal = 0.6;
  const graph::Dataset data = graph::make_dcsbm(options, 7);
  const auto right_share = [&](const std::string& name) {
    double kept = 0;
    double right = 0;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const std::unique_ptr<Method> method = method_with(name, {"ratio=0.2", "graph=sampled"});
      SeededStream stream(seed);
      SeededStream noise(seed + 100);
      privacy::ReleaseLog log;
      methods::Run run{stream, noise, log};
      const graph::Split split =
          draw_split(data, privacy::Unit::local_edge(), privacy::Rigor::kStrict, "50/25/25", seed);
      const graph::Graph rebuilt = *method->released_graph(
          request_with("local-edge", 4), privacy::protect(data, split, privacy::Unit::local_edge()), run);
      for (graph::NodeId i = 0; i < data.nodes(); ++i) {
        for (const graph::NodeId j : rebuilt.neighbors(i)) {
          kept += 1;
          right += data.graph.has_entry(i, j) ? 1 : 0;
        }
      }
    }
    return right / kept;
  };
  EXPECT_GT(right_share("hpgr"), 1.1 * right_share("blink"));
}

}  // namespace
}  // namespace privet::methods::testing
