#include "privet/audit/attacks/linkteller.hpp"

#include <gtest/gtest.h>

#include "audit/attacks/worlds.hpp"
#include "privet/methods/features/mlp.hpp"
#include "privet/methods/gap/gap.hpp"
#include "privet/methods/plain/gat.hpp"
#include "privet/methods/plain/gcn.hpp"
#include "privet/methods/plain/sage.hpp"
#include "privet/methods/released/edge_rand.hpp"
#include "privet/methods/subgraphs/dp_gnn.hpp"

namespace privet::audit {
namespace {

std::vector<CandidatePair> some_pairs(const graph::Dataset& dataset, std::size_t count = 150) {
  SeededStream stream(4);
  return draw_pairs(dataset, PairChoice::balanced, count, stream);
}

std::vector<AttackResult> attack(methods::Method& method, const graph::Dataset& dataset,
                                 const methods::Request& request, std::size_t pairs = 150) {
  OptionTable table = method.options();
  table.set(method.name() == "gap" ? "encoder_epochs" : "epochs", "30");
  const SeededStream root(6);
  return linkteller(train_target(method, request, dataset, half_split(dataset), root),
                    some_pairs(dataset, pairs));
}

TEST(LinkTellerTest, FindsTheEdgesOfANetworkThatHidesNone) {
  const graph::Dataset data = alike_neighbors();
  methods::Gcn gcn;
  const std::vector<AttackResult> results = attack(gcn, data, open_request(data));
  ASSERT_EQ(results.size(), 3U);
  for (const AttackResult& result : results) {
    EXPECT_GE(result.roc->auc, 0.97) << result.variant;
    EXPECT_EQ(result.present, 150U);
    EXPECT_EQ(result.absent, 150U);
    EXPECT_EQ(result.note, "by derivative");
  }
}

TEST(LinkTellerTest, SageToo) {
  const graph::Dataset data = alike_neighbors();
  methods::Sage sage;
  EXPECT_GE(attack(sage, data, open_request(data)).front().roc->auc, 0.9);
}

TEST(LinkTellerTest, AttentionByQuotients) {
  const graph::Dataset data = alike_neighbors(150);
  methods::Gat gat;
  const std::vector<AttackResult> results = attack(gat, data, open_request(data), 30);
  EXPECT_EQ(results.front().note, "by difference quotient");
  EXPECT_GE(results.front().roc->auc, 0.9);
}

TEST(LinkTellerTest, SaysThatThereIsNoPath) {
  const graph::Dataset data = alike_neighbors(200);
  methods::Mlp mlp;
  methods::Gap gap;
  methods::Request edge = open_request(data);
  edge.unit = privacy::Unit::parse("edge");
  edge.epsilon = privacy::Epsilon(4);
  for (const std::vector<AttackResult>& results :
       {attack(mlp, data, open_request(data)), attack(gap, data, edge)}) {
    ASSERT_EQ(results.size(), 1U);
    EXPECT_FALSE(results.front().roc.has_value());
    EXPECT_EQ(results.front().note,
              "no path from the features of one node to the scores of another at inference: AUC 0.5 says "
              "nothing");
  }
}

// Asked on the noisy graph, against the true one: much noise hides the edges, little does not. With 150 and
// 150 independent scores the area of coins is within 0.5 +- 0.14 but once in 30000.
TEST(LinkTellerTest, ANoisyGraphIsWhatIsAsked) {
  const graph::Dataset data = alike_neighbors(200);
  methods::EdgeRand response;
  OptionTable table = response.options();
  table.set("gate", "no");
  methods::Request request = open_request(data);
  request.unit = privacy::Unit::parse("edge");
  request.epsilon = privacy::Epsilon(0.1);
  const std::vector<AttackResult> hidden = attack(response, data, request);
  ASSERT_EQ(hidden.size(), 3U);
  EXPECT_NEAR(hidden.front().roc->auc, 0.5, 0.14);
  request.epsilon = privacy::Epsilon(20);
  const std::vector<AttackResult> shown = attack(response, data, request);
  EXPECT_GT(shown.front().roc->auc, 0.9);
  EXPECT_EQ(shown.front().note, "by derivative; asked on the released noisy graph");
}

// dp-gnn brings rows of features to one length before anything else, so that scaling them shows nothing; its
// answers read neighbours' features all the same.
TEST(LinkTellerTest, IsNotFooledByRowsOfOneLength) {
  const graph::Dataset data = alike_neighbors(150);
  methods::DpGnn method;
  method.options().set("width", "8");
  methods::Request request = open_request(data);
  request.unit = privacy::Unit::parse("record");
  request.epsilon = privacy::Epsilon(1e4);
  const SeededStream root(6);
  const std::vector<AttackResult> results =
      linkteller(train_target(method, request, data, half_split(data), root), some_pairs(data, 40));
  ASSERT_GT(results.size(), 1U);
  EXPECT_GT(results.front().roc.value().auc, 0.95);
}

}  // namespace
}  // namespace privet::audit
