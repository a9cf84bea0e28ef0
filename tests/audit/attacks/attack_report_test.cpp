#include <gtest/gtest.h>

#include "privet/audit/attacks/attacks.hpp"
#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

AttackReport sample() {
  AttackReport report{.method = "gcn", .data = "friends", .unit = "none"};
  report.attacks.push_back(
      {.name = "linkteller", .variant = "both", .target = "mlp", .note = "reads no edge"});
  for (const char* variant : {"cosine", "correlation"}) {
    AttackResult attack = AttackResult::of("lpa", variant, Scored{{3, 2, 1}, {0, 1, 0.5}});
    attack.target = "gcn";
    attack.about = "pairs";
    report.attacks.push_back(attack);
  }
  return report;
}

TEST(AttackReportFile, ReadsWhatItWrote) {
  // Through text, where infinite thresholds are null.
  const Json document = parse_json(to_text(attack_json(sample())), "attacks");
  const Json curves = parse_json(to_text(curves_json(sample())), "curves");
  AttackReport back = attacks_from_json(document, "attacks");
  add_curves(back, curves, "curves");
  EXPECT_EQ(to_text(attack_json(back)), to_text(document));
  EXPECT_EQ(to_text(curves_json(back)), to_text(curves));
  EXPECT_EQ(attack_text(back), attack_text(sample()));
}

TEST(AttackReportFile, RefusesCurvesOfOthers) {
  AttackReport report = sample();
  Json curves = parse_json(to_text(curves_json(sample())), "curves");
  std::swap(curves["curves"][0], curves["curves"][1]);
  EXPECT_THROW(add_curves(report, curves, "curves"), DataError);
  Json document = attack_json(sample());
  document["attacks"][1].erase("interval");
  EXPECT_THROW(static_cast<void>(attacks_from_json(document, "attacks")), DataError);
}

}  // namespace
}  // namespace privet::audit
