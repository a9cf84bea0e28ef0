#include "privet/proof/ledger_report.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "privet/base/error.hpp"
#include "proof/sample_ledger.hpp"
#include "proof/scratch_folder.hpp"

namespace privet::privacy {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the samples, not GoogleTest's

LedgerView sample_view() {
  const ScratchFolder folder;
  return sample_ledger(folder.path() / "ledger.sqlite").view();
}

TEST(LedgerReport, JsonHasExactAmounts) {
  const Json document = ledger_json(sample_view());
  EXPECT_EQ(document["budgets"].size(), 2u);
  const Json& edge = document["budgets"][0];
  EXPECT_EQ(edge["unit"], "edge");
  EXPECT_EQ(edge["bound"], "upper");
  EXPECT_EQ(edge["spent"]["epsilon"], 2.5);
  EXPECT_EQ(edge["spent"]["micro_epsilon"], 2'500'000);
  EXPECT_EQ(edge["left"]["delta"], 7.9e-6);
  EXPECT_EQ(edge["left"]["atto_delta"], 7'900'000'000'000);
  EXPECT_EQ(edge["releases"], 3);
  EXPECT_EQ(edge["uncommitted"], 1);
  EXPECT_EQ(document["entries"].size(), document["head"]["sequence"]);
  EXPECT_EQ(document["entries"][3]["body"]["what"], "caribou");
  EXPECT_EQ(document["entries"][3]["cost"]["epsilon"], 1.0);
  EXPECT_EQ(document["entries"][4]["reservation"], 4);
  EXPECT_TRUE(document["entries"][4]["body"]["certificate"].is_string());
}

TEST(LedgerReport, TheKeyNeverShows) {
  const ScratchFolder folder;
  Ledger ledger = sample_ledger(folder.path() / "ledger.sqlite");
  const Json document = ledger_json(ledger.view());
  for (const auto& item : document.items()) EXPECT_EQ(item.key().find("key"), std::string::npos);
  EXPECT_FALSE(document["entries"][0]["body"].contains("key"));
  EXPECT_TRUE(document["entries"][0]["body"].contains("key_digest"));
}

TEST(LedgerReport, TextSaysHowEachUnitStands) {
  const std::string text = ledger_text(sample_view());
  EXPECT_NE(text.find("Unit of protection 'edge'\n"
                      "  cap    epsilon 4, delta 1e-05\n"
                      "  spent  epsilon 2.5, delta 2.1e-06 (upper bound: the sum of 3 releases)\n"
                      "  left   epsilon 1.5, delta 7.9e-06\n"
                      "  1 of the releases was reserved but never confirmed, and counts as spent\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Units are kept apart"), std::string::npos);
}

TEST(LedgerReport, EveryEntryWithAnEpsilonHasUnitDeltaAndBound) {
  std::istringstream lines(ledger_text(sample_view()));
  std::size_t seen = 0;
  bool in_entries = false;
  for (std::string line; std::getline(lines, line);) {
    in_entries = in_entries || line == "Entries";
    if (!in_entries || line.find("epsilon") == std::string::npos) continue;
    ++seen;
    EXPECT_NE(line.find("delta"), std::string::npos) << line;
    EXPECT_NE(line.find("upper bound"), std::string::npos) << line;
    EXPECT_NE(line.find("unit '"), std::string::npos) << line;
  }
  EXPECT_EQ(seen, 6u);  // two budgets, four reservations
}

TEST(LedgerReport, ComposedReadingIsTighterThanTheSum) {
  const LedgerView view = sample_view();
  const double composed = composed_epsilon(view, "edge", Delta(1e-6), "gdp", epsilon_by);
  const Event all = privacy::composed({event_worth(1, 1e-6), event_worth(1, 1e-6), event_worth(0.5, 1e-7)});
  EXPECT_DOUBLE_EQ(composed, epsilon_by(all, Delta(1e-6), "gdp"));
  EXPECT_LT(composed, view.budgets[0].spent.epsilon());
  EXPECT_THROW(composed_epsilon(view, "record", Delta(1e-6), "gdp", epsilon_by), DataError);
}

}  // namespace
}  // namespace privet::privacy
