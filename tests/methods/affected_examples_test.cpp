#include "privet/accounting/affected_examples.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <variant>
#include <vector>

#include "learn/method_cases.hpp"
#include "privet/core/mechanisms/subgraph_sampler.hpp"
#include "privet/methods/subgraphs/dp_sage.hpp"

/// What the plans of the methods say of affected examples, against what changes between neighbours: all pairs
/// of small graphs, with one to four training nodes, one of which is the protected node or none of which is.
namespace privet::methods::testing {
namespace {

using privacy::AffectedExamples;
using privacy::Unit;
using privacy::testing::World;

constexpr std::size_t kMostTraining = 4;

/// Everything example i is made of, spelled out.
using Spelled = std::vector<std::vector<double>>;
using Examples = std::function<Spelled(const World& world, const Unit& unit)>;

Spelled own_records(const World& world, const Unit&) {
  Spelled all(world.nodes);
  for (std::size_t i = 0; i < world.nodes; ++i) {
    all[i] = world.rows[i];
    all[i].push_back(world.labels[i]);
  }
  return all;
}

Spelled own_lists(const World& world, const Unit& unit) {
  Spelled all = own_records(world, unit);
  for (std::size_t i = 0; i < world.nodes; ++i) {
    for (std::size_t j = 0; j < world.nodes; ++j) all[i].push_back(world.has(i, j) ? 1 : 0);
  }
  return all;
}

Spelled stars(const World& world, const Unit&) {
  const graph::Features features = star_rows(world.graph(true), graph::Features(world.matrix()), 1);
  const auto& rows = std::get<tensor::Matrix>(features);
  Spelled all(world.nodes);
  for (std::size_t i = 0; i < world.nodes; ++i) {
    all[i] = {rows.row(i).begin(), rows.row(i).end()};
    all[i].push_back(world.labels[i]);
  }
  return all;
}

// A node's record and those of the nodes that it keeps. Nothing is cut off where graphs are this small.
Spelled subgraphs(const World& world, const Unit& unit) {
  const privacy::SubgraphSampler sampler(unit, {.heard = 4, .listeners = 4, .layers = 1});
  const privacy::HeardLists lists = sampler.sample(world.graph(privacy::testing::symmetric(unit)),
                                                   std::vector<std::uint8_t>(world.nodes, 1), 1);
  Spelled all = own_records(world, unit);
  for (graph::NodeId i = 0; i < world.nodes; ++i) {
    for (const graph::NodeId j : lists.of(i)) {
      all[i].push_back(j);
      all[i].insert(all[i].end(), world.rows[j].begin(), world.rows[j].end());
    }
  }
  return all;
}

/// By how many clip norms the sum moves at most: [person is no training node, person is one][training nodes].
using Moved = std::array<std::array<double, kMostTraining + 1>, 2>;

Moved most_moved(const Unit& unit, const Examples& examples) {
  const bool both = privacy::testing::symmetric(unit) || unit.kind() == Unit::Kind::edge;
  const std::size_t nodes = both ? kMostTraining + 1 : kMostTraining;
  const bool blanks = privacy::testing::blanks(unit);
  Moved most{};
  Spelled first;
  bool is_second = false;
  const auto see = [&](const World& world, std::size_t person) -> std::vector<double> {
    if (!is_second) {
      is_second = true;
      first = examples(world, unit);
      return {0};
    }
    is_second = false;
    World other = world;
    if (unit.protects_features() && !blanks) other.rows[person] = {0, 1};  // somebody else
    const Spelled second = examples(other, unit);
    for (const std::size_t own : {0U, 1U}) {  // whether node 0 has an example
      double moved = 0;
      for (std::size_t i = 1 - own, training = 1; i < nodes && training <= kMostTraining; ++i, ++training) {
        if (first[i] != second[i]) moved += blanks && i == person ? 1 : 2;
        most[own][training] = std::max(most[own][training], moved);
      }
    }
    return {0};
  };
  const privacy::testing::Found found = privacy::testing::search_all(
      nodes, unit, {.rows = {{1, 0}}, .classes = 1, .rows_change = true}, see, privacy::testing::Norm::l1);
  EXPECT_GT(found.pairs, 20U) << unit.text();
  return most;
}

void collect(const privacy::Event& event, std::vector<AffectedExamples>& to) {
  if (const auto* sum = std::get_if<privacy::SubsampledGaussianEvent>(&event.kind())) {
    to.push_back(sum->affected());
  } else if (const auto* repeated = std::get_if<privacy::RepeatedEvent>(&event.kind())) {
    collect(*repeated->part, to);
  } else if (const auto* composed = std::get_if<privacy::ComposedEvent>(&event.kind())) {
    for (const privacy::Event& part : composed->parts) collect(part, to);
  }
}

struct Case {
  std::string method;
  std::vector<std::string> options;
  std::vector<std::string> units;
  std::vector<Examples> sums;  ///< of the clipped sums in the plan, in its order; the last of all that follow
};

const std::vector<std::string> kPeople = {
    "node:1", "node:2", "node:3", "node:1:add-remove", "node:2:add-remove", "node:4:add-remove"};
const std::vector<std::string> kRecords = {"node:2", "node:2:add-remove", "record", "record:add-remove",
                                           "k-neighbor:2"};

std::vector<Case> cases() {
  const std::vector<std::string> few = {"epochs=2"};
  return {{"dp-sage", few, kPeople, {stars}},
          {"dp-gnn", {"steps=2", "degree=4", "listeners=4"}, kPeople, {subgraphs}},
          {"dp-gnn",
           {"steps=2", "degree=4", "listeners=4", "sampling=fixed-size"},
           {"record", "record:add-remove"},
           {subgraphs}},
          {"dpdgc", few, {"edge", "directed-edge"}, {own_lists}},
          {"dpdgc",
           few,
           {"k-neighbor:1", "k-neighbor:2", "node:2", "node:1:add-remove", "node:3:add-remove"},
           {own_lists, own_records}},
          {"gap", {}, {"node:2", "node:2:add-remove"}, {own_records, own_records}},
          {"dp-mlp", {}, kRecords, {own_records}},
          {"dp-linear", {}, kRecords, {own_records}},
          {"ballot", {}, {"node:2", "node:2:add-remove", "record", "record:add-remove"}, {own_records}}};
}

TEST(AffectedExamples, NoPlanCountsLessThanCanChange) {
  for (const Case& one : cases()) {
    const std::unique_ptr<Method> method = method_with(one.method, one.options);
    for (const std::string& text : one.units) {
      const Unit unit = Unit::parse(text);
      std::vector<Moved> moved;
      for (const Examples& examples : one.sums) moved.push_back(most_moved(unit, examples));
      for (std::size_t training = 1; training <= kMostTraining; ++training) {
        privacy::PublicFacts facts = facts_with(kMostTraining + 4, 2, 2);
        std::fill_n(facts.split.roles.begin() + static_cast<std::ptrdiff_t>(training), facts.nodes - training,
                    graph::Role::test);
        std::vector<AffectedExamples> planned;
        collect(method->plan(request_with(text, 4, privacy::Rigor::kStrict, 0.04), facts).event, planned);
        ASSERT_GE(planned.size(), moved.size()) << one.method << " " << text;
        for (std::size_t sum = 0; sum < planned.size(); ++sum) {
          SCOPED_TRACE(fmt::format("{} {}, sum {}, {} training nodes", one.method, text, sum, training));
          const Moved& really = moved[std::min(sum, moved.size() - 1)];
          const double most = std::max(really[0][training], really[1][training]);
          EXPECT_LE(most, planned[sum].clip_norms());
          EXPECT_LE(planned[sum].count(), training);
          // Lists of records are directed; four nodes have no room for all that can change.
          if (one.method != "dp-gnn" || unit.kind() == Unit::Kind::node) {
            EXPECT_EQ(most, planned[sum].clip_norms());
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace privet::methods::testing
