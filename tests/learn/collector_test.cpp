#include "privet/learn/collector.hpp"

#include <gtest/gtest.h>

#include "methods/lists/local_cases.hpp"
#include "privet/base/error.hpp"
#include "privet/reports/report.hpp"

namespace privet::methods::testing {
namespace {

TEST(Collector, TakesReportsInAnyOrderAndAgain) {
  const graph::Dataset data = clustered_graph(50);
  const privacy::LocalQuestion question(query_for(data, false, privacy::PairReports::one_end, 1, 1));
  privacy::ReleaseLog log;
  SeededStream stream(1);
  const privacy::LocalMessages messages =
      privacy::collect(privacy::Secret<graph::Graph>(data.graph), question, log, stream);
  const Reports in_order = reports_of(question.query(), question.query_digest(), messages);
  Collector collector(question.query(), question.query_digest());
  for (std::size_t i = messages.size(); i-- > 0;) collector.add(messages[i]);
  for (const auto& message : messages) collector.add(message);
  EXPECT_EQ(collector.received(), 50U);
  const Reports turned = std::move(collector).take();
  EXPECT_EQ(turned.ones.columns, in_order.ones.columns);
  EXPECT_EQ(turned.ones.offsets, in_order.ones.offsets);
  EXPECT_EQ(turned.degrees, in_order.degrees);
}

TEST(Collector, RefusesASecondOpinion) {
  const graph::Dataset data = clustered_graph(50);
  const privacy::LocalQuestion question(query_for(data, false, privacy::PairReports::both_ends, 1, 1));
  Collector collector(question.query(), question.query_digest());
  privacy::LocalReport report{
      .own = 3, .query = question.query_digest(), .degrees = std::vector<std::int64_t>(data.classes)};
  collector.add(privacy::encode(report));
  report.degrees[0] = 1;
  EXPECT_THROW(collector.add(privacy::encode(report)), DataError);
  report.own = 4;
  report.query = {};
  EXPECT_THROW(collector.add(privacy::encode(report)), DataError);
  EXPECT_EQ(collector.received(), 1U);
}

}  // namespace
}  // namespace privet::methods::testing
