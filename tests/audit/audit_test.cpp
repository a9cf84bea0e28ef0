#include "privet/audit/audit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "audit/samplers.hpp"
#include "privet/audit/one_run.hpp"
#include "privet/audit/two_world.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/generate.hpp"
#include "privet/methods/registry.hpp"

namespace privet::audit {
namespace {

graph::Dataset small() {
  graph::DcsbmOptions options;
  options.nodes = 120;
  options.mean_degree = 4;
  options.features = 10;
  return graph::make_dcsbm(options, 2);
}

std::unique_ptr<methods::Method> method_with(const std::string& name,
                                             const std::vector<std::string>& options) {
  std::unique_ptr<methods::Method> method = methods::make_method(name);
  OptionTable table = method->options();
  for (const std::string& option : options) table.set_assignment(option);
  return method;
}

std::unique_ptr<methods::Method> small_dpdgc() {
  return method_with("dpdgc", {"width=4", "gate=no", "epochs=1", "embedding_steps=3"});
}

methods::Request request_of(double epsilon, privacy::Rigor rigor, bool defects = false,
                            const std::string& unit = "edge") {
  methods::Request request{.unit = privacy::Unit::parse(unit),
                           .rigor = rigor,
                           .epsilon = privacy::Epsilon(epsilon),
                           .delta = privacy::Delta(1e-5)};
  request.published_defects = defects;
  return request;
}

TEST(Audit, PublishedDefectsAreRefutedByWholeRuns) {
  const AuditReport report = run_audit(*small_dpdgc(), request_of(1, privacy::Rigor::kPaper, true), small(),
                                       {.canaries = 0, .seed = 1});
  EXPECT_TRUE(report.violated());
  EXPECT_GT(report.epsilon_lower_bound, 1);
  EXPECT_EQ(report.claimed_epsilon, 1);
  EXPECT_FALSE(report.claim_is_sound);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_NE(report.findings[0].what.find("then it was certain"), std::string::npos);
  const Json json = audit_json(report);
  EXPECT_EQ(json["verdict"], "violated");
  EXPECT_TRUE(json["attacks"].is_array());
  EXPECT_NE(audit_text(report).find("VIOLATED"), std::string::npos);
}

TEST(Audit, PublishedDefectsAreRefutedByOneRun) {
  const auto method = method_with("dpdgc", {"width=32", "gate=no", "epochs=1", "embedding_steps=3"});
  const AuditReport report = run_audit(*method, request_of(1, privacy::Rigor::kPaper, true), small(),
                                       {.test = TestKind::one_run, .trials = 120, .seed = 1});
  EXPECT_TRUE(report.violated()) << audit_text(report);
}

// A sound method is accused with probability 1e-3; seeds are fixed.
TEST(Audit, StrictIsConsistent) {
  for (const TestKind test : {TestKind::two_world, TestKind::one_run, TestKind::noise}) {
    const AuditReport report =
        run_audit(*small_dpdgc(), request_of(2, privacy::Rigor::kStrict), small(),
                  {.test = test, .trials = 30, .mechanism_draws = 20000, .canaries = 100, .seed = 3});
    EXPECT_FALSE(report.violated()) << name(test);
    EXPECT_TRUE(report.claim_is_sound);
    EXPECT_LE(report.epsilon_lower_bound, report.claimed_epsilon);
    EXPECT_NE(audit_text(report).find("owner"), std::string::npos);
  }
}

// GAP pays 1 for an undirected edge, which moves two rows: epsilon 1 is 1.47 in truth.
TEST(Audit, TheMechanismAloneRefutesGapAsPublished) {
  const auto gap = method_with("gap", {"encoder_epochs=1", "classifier_epochs=1"});
  const AuditReport report =
      run_audit(*gap, request_of(1, privacy::Rigor::kPaper), small(), {.mechanism_draws = 400000, .seed = 4});
  EXPECT_TRUE(report.violated());
  EXPECT_LT(report.epsilon_lower_bound, 1.47);
  ASSERT_EQ(report.findings.size(), 1U);
}

TEST(Audit, PeopleAreAuditedToo) {
  const graph::Dataset data = small();
  const auto method = method_with("dp-mlp", {"epochs=1"});
  for (const TestKind test : {TestKind::two_world, TestKind::one_run}) {
    const AuditReport report =
        run_audit(*method, request_of(1, privacy::Rigor::kStrict, false, "record:add-remove"), data,
                  {.test = test, .trials = 8, .canaries = 40, .seed = 5});
    EXPECT_FALSE(report.violated());
  }
}

TEST(Audit, NothingToAuditIsRefused) {
  const auto method = small_dpdgc();
  methods::Request request = request_of(1, privacy::Rigor::kStrict);
  request.epsilon.reset();
  EXPECT_THROW((void)run_audit(*method, request, small(), {}), InvalidArgument);
  EXPECT_THROW((void)run_audit(*method, request_of(1, privacy::Rigor::kStrict), small(), {.confidence = 0.5}),
               InvalidArgument);
  EXPECT_THROW((void)parse_test("two-words"), InvalidArgument);
}

// What the score learns: one number that says it all among others that say nothing.
TEST(Discriminant, FindsTheNumberThatTells) {
  SeededStream stream(6);
  const auto world = [&](double tells) {
    std::vector<Observation> seen(6);
    for (Observation& one : seen) {
      one["tells"] = tells + 1e-8 * testing::gaussian_noise(stream);
      for (const char* silent : {"a", "b", "c", "d"}) one[silent] = testing::gaussian_noise(stream);
    }
    return seen;
  };
  const Discriminant score(world(1), world(0));
  EXPECT_GT(score.separation(), 1e6);
  EXPECT_GT(score({{"tells", 1.0}, {"a", 3.0}}), 0);
  EXPECT_LT(score({{"tells", 0.0}, {"a", -3.0}, {"unheard of", 9.0}}), 0);
}

// Runs of 2 ms or more, of which 100000 do not fit into 0.4 s.
TEST(TwoWorlds, EndInTimeAndSayHowManyRan) {
  const Trial slow = [](bool, RandomStream& noise) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return Observation{{"noise", testing::gaussian_noise(noise)}};
  };
  std::optional<Forecast> told;
  TwoWorldOptions options{.trials = 100000, .seconds = 0.4, .seed = 1};
  options.forecast = [&](const Forecast& forecast) { told = forecast; };
  const TwoWorldResult result = run_two_worlds(slow, 1, 0, Shape::unknown, options);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->asked, 100000U);
  EXPECT_LT(told->trials, 100000U);
  EXPECT_LE(told->seconds, 0.4);
  EXPECT_TRUE(result.out_of_time);
  EXPECT_LE(result.runs, told->trials);
  EXPECT_LE(result.bound.likely_runs, result.runs);
  EXPECT_GT(result.runs, 0U);
}

TEST(TwoWorlds, WithoutTimeShowNothing) {
  const Trial leaks = [](bool second, RandomStream&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return Observation{{"world", second ? 1.0 : 0.0}};
  };
  const TwoWorldResult result =
      run_two_worlds(leaks, 1, 0, Shape::unknown, {.trials = 100, .seconds = 0.001, .seed = 1});
  EXPECT_TRUE(result.out_of_time);
  EXPECT_EQ(result.runs, 0U);
  EXPECT_EQ(result.pilot_runs, 1U);
  EXPECT_EQ(result.bound.epsilon, 0);
}

// What the clock cut off is in the report, and an audit that would test nothing is none.
TEST(Audit, SaysHowManyWholeRunsThereWere) {
  const auto method = small_dpdgc();
  const methods::Request request = request_of(2, privacy::Rigor::kStrict);
  AuditOptions options{.trials = 8, .mechanism_draws = 20000, .canaries = 0, .seed = 3};
  const Json all = audit_json(run_audit(*method, request, small(), options));
  EXPECT_EQ(all["whole_runs"]["asked"], 8);
  EXPECT_EQ(all["whole_runs"]["measured"], 8);
  EXPECT_EQ(all["whole_runs"]["ended"], "all were run");
  options.minutes = 1e-9;
  const AuditReport cut = run_audit(*method, request, small(), options);
  EXPECT_EQ(audit_json(cut)["whole_runs"]["measured"], 0);
  EXPECT_EQ(audit_json(cut)["whole_runs"]["ended"], "out of time");
  EXPECT_NE(audit_text(cut).find("none of the 8 asked for"), std::string::npos);
  options.minutes = std::numeric_limits<double>::infinity();
  options.minutes_after_mechanism = 1e-9;
  options.mechanism_draws = 400000;  // shows more than half of the claim
  EXPECT_EQ(audit_json(run_audit(*method, request, small(), options))["whole_runs"]["measured"], 0);
  options.minutes = 0;
  EXPECT_EQ(audit_json(run_audit(*method, request, small(), options))["whole_runs"]["ended"], "left out");
  options.mechanism_draws = 0;
  EXPECT_THROW((void)run_audit(*method, request, small(), options), InvalidArgument);
}

TEST(TwoWorlds, AreStoppedOnceCertain) {
  const Trial leaks = [](bool second, RandomStream&) { return Observation{{"world", second ? 1.0 : 0.0}}; };
  const TwoWorldResult result = run_two_worlds(leaks, 1, 0, Shape::unknown, {.trials = 10000, .seed = 1});
  EXPECT_TRUE(result.stopped_early);
  EXPECT_LT(result.runs, 20U);
  EXPECT_GT(result.bound.epsilon, 1);
  EXPECT_EQ(result.pilot_runs, 3U);
}

}  // namespace
}  // namespace privet::audit
