#include "privet/accounting/events/row.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "privet/accounting/accountant.hpp"
#include "privet/accounting/event.hpp"
#include "privet/accounting/event_json.hpp"
#include "privet/accounting/mechanism_options.hpp"

namespace privet::privacy {
namespace {

// Two events of every kind. A kind that is new has none until somebody adds them: the first test finds that.
std::vector<Event> examples() {
  return {GaussianEvent{1.5},
          GaussianEvent{40},
          LaplaceEvent{0.5},
          LaplaceEvent{30},
          RandomizedResponseEvent{0.1},
          RandomizedResponseEvent{3},
          PureEvent{0.2},
          PureEvent{4},
          ApproximateEvent{1, 0},
          ApproximateEvent{0.5, 1e-9},
          SubsampledGaussianEvent{PoissonSampling{0.01}, 1.1, 1, 0},
          SubsampledGaussianEvent{FixedSizeSampling{50, 50}, 6, 1, 2},
          ContractiveGaussianEvent{0.8, 10, 3},
          ContractiveGaussianEvent{1, 4, 9},
          DpGnnEvent{200, 20, 3, 1.5},
          DpGnnEvent{9, 9, 3, 2}};
}

template <typename Visit>
void for_each_example(const Visit& visit) {
  for (const Event& event : examples()) {
    SCOPED_TRACE(event.describe());
    std::visit(
        [&]<typename Row>(const Row& row) {
          if constexpr (EventRow<Row>) visit(event, row);
        },
        event.kind());
  }
}

TEST(EventRows, EveryKindOfTheListIsTriedHere) {
  std::set<std::string_view> tried;
  for_each_example([&]<typename Row>(const Event&, const Row&) { tried.insert(Row::kName); });
  EventKinds::for_each([&]<typename Row>() { EXPECT_TRUE(tried.contains(Row::kName)) << Row::kName; });
}

TEST(EventRows, DescriptionAndJsonBearTheNameAndAllNumbers) {
  for_each_example([]<typename Row>(const Event& event, const Row& row) {
    EXPECT_TRUE(row.describe().starts_with(std::string(Row::kName) + "("));
    const Json json = event_to_json(event);
    EXPECT_EQ(json.at("kind"), Row::kName);
    EXPECT_EQ(json.size(), 1 + std::tuple_size_v<decltype(Row::fields())>);
    EXPECT_EQ(event_from_json(JsonField(json, "event")), event);
  });
}

// What the accountants are told of one release must not contradict itself.
TEST(EventRows, BoundsOfOneKindAgree) {
  for_each_example([]<typename Row>(const Event& event, const Row& row) {
    const double loss = row.largest_loss();
    EXPECT_GE(loss, 0);
    EXPECT_GE(row.failure_probability(), 0);
    EXPECT_EQ(std::isinf(row.log_moment(2)), row.failure_probability() > 0);
    for (const double alpha : {1.5, 2.0, 8.0, 32.0}) {
      const double moment = row.log_moment(alpha);
      // No divergence exceeds the largest loss, and no bound falls below that of the exact Gaussian pair.
      if (std::isfinite(loss)) {
        EXPECT_LE(moment, (alpha - 1) * loss * (1 + 1e-9));
      }
      if (const auto mu = row.gaussian_mu()) {
        EXPECT_GE(moment, alpha * (alpha - 1) / 2 * *mu * *mu * (1 - 1e-9));
      }
    }
    if (row.gaussian_mu()) {
      const double exact = epsilon(event, Delta(1e-6), Accountant::gdp).upper;
      EXPECT_NEAR(epsilon(event, Delta(1e-6), Accountant::pld).upper, exact, 1e-3 * exact);
    }
  });
}

TEST(EventRows, NoMechanismIsAccountedInTwoWays) {
  std::set<std::string_view> names;
  EventKinds::for_each([&]<typename Row>() {
    for (const std::string_view name : Row::kMechanisms) EXPECT_TRUE(names.insert(name).second) << name;
  });
}

TEST(EventRows, WhatIsWrittenDownIsThatKind) {
  EventKinds::for_each([]<typename Row>() {
    const MechanismKind* kind = Row::written();
    if (kind == nullptr) return;
    SCOPED_TRACE(kind->name);
    MechanismOptions options;
    options.kind = kind->name;
    // Every number there is; what goes with another way of sampling stays out.
    OptionTable table = mechanism_table(options);
    for (const OptionTable::Option& option : OptionTable(table).options()) {
      if (option.name == "sampling" || option.name == "population" || option.name == "batch") continue;
      table.set(option.name, option.name == "nodes" ? "9" : "1");
    }
    if (Row::kName == "dpgnn") table.set("batch", "3");
    table.set(kind->counts_steps ? "steps" : "times", "1");
    EXPECT_TRUE(std::holds_alternative<Row>(mechanism_event(options).kind()));
    EXPECT_EQ(&mechanism_noise(options), &options.number(kind->noise));
    EXPECT_EQ(mechanism_noise(options), 1);
  });
}

}  // namespace
}  // namespace privet::privacy
