#include "privet/report/attack_figure.hpp"

#include <gtest/gtest.h>

namespace privet::report {
namespace {

TEST(AttackFigure, NamesTheFirstCurveOfEachAttack) {
  audit::AttackReport report;
  report.method = "gcn";
  report.data = "a < b";
  const audit::Scored scored{{1}, {0}};
  for (const char* variant : {"correlation", "cosine"}) {
    audit::AttackResult attack;
    attack.name = "lpa";
    attack.variant = variant;
    attack.target = "gcn";
    attack.roc = audit::measure_roc(scored);
    attack.curve = audit::roc_curve(scored);
    report.attacks.push_back(attack);
  }
  const std::string picture = attack_figure(report);
  EXPECT_NE(picture.find("a &lt; b"), std::string::npos);
  EXPECT_NE(picture.find("lpa (correlation) on gcn"), std::string::npos);
  EXPECT_EQ(picture.find("cosine"), std::string::npos);
  EXPECT_NE(picture.find("coins"), std::string::npos);
  EXPECT_NE(picture.find("lpa (correlation) on gcn: area 1.000, true positive rate 1.000"), std::string::npos)
      << picture;
}

}  // namespace
}  // namespace privet::report
