#include "privet/learn/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/reports/report.hpp"

namespace privet::methods {

Collector::Collector(const privacy::LocalQuery& query, const Digest& query_digest)
    : query_(query),
      digest_(query_digest),
      answered_(query.nodes),
      ones_(query.nodes),
      degrees_(query.nodes * query.clusters) {}

void Collector::add(std::span<const std::byte> message) {
  privacy::LocalReport report = privacy::decode(message, query_, digest_);
  std::vector<double> degrees(query_.clusters);
  for (std::size_t a = 0; a < degrees.size(); ++a)
    degrees[a] = static_cast<double>(report.degrees[a]) / static_cast<double>(privacy::kMembershipSteps);
  const auto place = degrees_.begin() + static_cast<std::ptrdiff_t>(report.own * query_.clusters);
  if (answered_[report.own]) {
    if (ones_[report.own] == report.ones && std::equal(degrees.begin(), degrees.end(), place)) return;
    throw DataError({.what = fmt::format("client {} has answered already, in other words", report.own),
                     .where = "local report"});
  }
  answered_[report.own] = true;
  ++received_;
  ones_[report.own] = std::move(report.ones);
  std::ranges::copy(degrees, place);
}

Reports Collector::take() && {
  Reports reports{.ones = {}, .clusters = query_.clusters, .degrees = std::move(degrees_)};
  std::uint64_t total = 0;
  for (const auto& row : ones_) total += row.size();
  reports.ones.offsets.reserve(ones_.size() + 1);
  reports.ones.columns.reserve(total);
  for (auto& row : ones_) {
    reports.ones.columns.insert(reports.ones.columns.end(), row.begin(), row.end());
    reports.ones.offsets.push_back(reports.ones.columns.size());
    std::vector<graph::NodeId>().swap(row);
  }
  return reports;
}

Reports reports_of(const privacy::LocalQuery& query, const Digest& query_digest,
                   std::span<const std::vector<std::byte>> messages) {
  Collector collector(query, query_digest);
  for (const std::vector<std::byte>& message : messages) collector.add(message);
  return std::move(collector).take();
}

}  // namespace privet::methods
