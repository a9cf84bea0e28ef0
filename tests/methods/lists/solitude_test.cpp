#include "privet/methods/lists/solitude.hpp"

#include <gtest/gtest.h>

#include "learn/method_cases.hpp"

namespace privet::methods::testing {
namespace {

TEST(Solitude, TakesEveryBackbone) {
  for (const char* backbone : {"backbone=gcn", "backbone=sage", "backbone=gat"}) {
    for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
      const std::unique_ptr<Method> method =
          method_with("solitude", {"width=8", "epochs=5", "weight_epochs=6", "gate=no", backbone});
      const RunResult result =
          run_once(*method, small_graph(), run_with(request_with("local-edge", 4, rigor), 3));
      EXPECT_TRUE(result.certificate.sound);
      EXPECT_EQ(result.certificate.releases.size(), 1U);
    }
  }
}

// Learning weights is no look at the graph: the releases are those of rr, whatever is learnt.
TEST(Solitude, ReleasesWhatRrReleases) {
  const RunRequest request = run_with(request_with("local-edge", 3), 1);
  const RunResult plain = run_once(*method_with("rr", {"width=8", "epochs=2"}), small_graph(), request);
  const RunResult learnt =
      run_once(*method_with("solitude", {"width=8", "epochs=2", "weight_epochs=4"}), small_graph(), request);
  ASSERT_EQ(plain.certificate.releases.size(), learnt.certificate.releases.size());
  EXPECT_EQ(plain.certificate.epsilon, learnt.certificate.epsilon);
}

}  // namespace
}  // namespace privet::methods::testing
