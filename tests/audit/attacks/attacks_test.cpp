#include "privet/audit/attacks/attacks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "audit/attacks/worlds.hpp"
#include "privet/base/error.hpp"
#include "privet/base/parallel.hpp"
#include "privet/methods/features/mlp.hpp"
#include "privet/methods/plain/gcn.hpp"
#include "privet/methods/released/lap_graph.hpp"

namespace privet::audit {
namespace {

AttackOptions some_attacks() {
  return {.attacks = parse_attacks("linkteller,lpa"), .nodes = 60, .split = "50/10/40", .seed = 8};
}

// Everything but the seconds.
std::string numbers(const AttackReport& report) {
  Json json = attack_json(report);
  for (Json& attack : json["attacks"]) attack.erase("seconds");
  return to_text(json);
}

TEST(AttacksTest, NamesAreKnown) {
  EXPECT_EQ(parse_attacks("lpa,linkteller,lpa"),
            (std::vector<AttackKind>{AttackKind::lpa, AttackKind::linkteller}));
  for (const char* unknown : {"", "lpa,", "link"})
    EXPECT_THROW((void)parse_attacks(unknown), InvalidArgument);
}

TEST(AttacksTest, ASeedMeansTheSameNumbersOnOneThreadAndOnMany) {
  const graph::Dataset data = alike_neighbors(150);
  methods::Gcn gcn;
  gcn.options().set("epochs", "10");
  const std::size_t threads = thread_count();
  set_thread_count(1);
  const std::string one = numbers(run_attacks(gcn, open_request(data), data, {}, some_attacks()));
  set_thread_count(3);
  const std::string many = numbers(run_attacks(gcn, open_request(data), data, {}, some_attacks()));
  set_thread_count(threads);
  EXPECT_EQ(one, many);
}

TEST(AttacksTest, ReferencesStandBesideTheMethod) {
  const graph::Dataset data = alike_neighbors(150);
  methods::Mlp mlp;
  mlp.options().set("epochs", "5");
  AttackOptions options = some_attacks();
  const AttackReport report = run_attacks(mlp, open_request(data), data, {}, options);
  // No path for mlp: one entry, without an area; of gcn three directions.
  EXPECT_EQ(report.attacks.front().target, "mlp");
  EXPECT_TRUE(attack_json(report)["attacks"][0]["auc"].is_null());
  const auto of = [&](const std::string& target, const std::string& name) {
    return std::ranges::count_if(report.attacks, [&](const AttackResult& attack) {
      return attack.target == target && attack.name == name;
    });
  };
  EXPECT_EQ(of("mlp", "linkteller"), 1);
  EXPECT_EQ(of("gcn", "linkteller"), 3);
  EXPECT_EQ(of("gcn", "lpa"), 9);
  EXPECT_EQ(of("no model", "lpa"), 9);
  options.references = false;
  for (const AttackResult& attack : run_attacks(mlp, open_request(data), data, {}, options).attacks)
    EXPECT_NE(attack.target, "gcn");
}

// A model that learnt from one graph and is asked about another: with a large budget the graph that it
// releases there is nearly the true one, and influence finds its edges; with a small one it does not.
TEST(AttacksTest, AModelMayHaveLearntElsewhere) {
  const graph::Dataset home = alike_neighbors(150);
  const graph::Dataset abroad = alike_neighbors(120);
  AttackOptions options = some_attacks();
  options.learnt_from = &home;
  options.references = false;
  methods::LapGraph method;
  method.options().set("epochs", "10");
  method.options().set("gate", "no");
  const auto area = [&](double epsilon) {
    methods::Request request = open_request(abroad);
    request.unit = privacy::Unit::edge();
    request.epsilon = privacy::Epsilon(epsilon);
    const AttackReport report = run_attacks(method, request, abroad, {}, options);
    EXPECT_EQ(report.attacks.front().name, "linkteller");
    return attack_json(report)["attacks"][0]["auc"].get<double>();
  };
  EXPECT_GT(area(40), 0.95);
  EXPECT_LT(area(0.5), 0.75);
  options.attacks = parse_attacks("lira");
  EXPECT_THROW((void)run_attacks(method, open_request(abroad), abroad, {}, options), InvalidArgument);
}

TEST(AttacksTest, WhatAMethodCanNotServeIsRefused) {
  const graph::Dataset data = alike_neighbors(150);
  methods::Request request = open_request(data);
  request.unit = privacy::Unit::parse("edge");
  request.epsilon = privacy::Epsilon(1);
  EXPECT_THROW((void)run_attacks(methods::Gcn(), request, data, {}, some_attacks()), InvalidArgument);
}

}  // namespace
}  // namespace privet::audit
