#include "privet/reports/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/reports/plain_values.hpp"
#include "privet/reports/report.hpp"

namespace privet::privacy {
namespace {

using List = std::vector<graph::NodeId>;

List as_set(const List& given, graph::NodeId own) {
  List list = given;
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  std::erase(list, own);
  return list;
}

List asked_of(const List& list, const LocalQuery& query, graph::NodeId own) {
  List kept;
  for (const graph::NodeId other : list) {
    if (other < query.nodes && asks(query, own, other)) kept.push_back(other);
  }
  return kept;
}

Sensitivity membership_sensitivity() {
  return Sensitivity::stated(Unit::local_edge(), {.l1 = static_cast<double>(kMembershipSteps),
                                                  .value = "neighbours in each cluster, in membership steps",
                                                  .argument = "docs/privacy/local.md"});
}

}  // namespace

LocalQuestion::LocalQuestion(LocalQuery query) : query_(std::move(query)) {
  check(query_);
  digest_ = digest(query_);
  pairing_ = privacy::pairing(query_);
  if (query_.bits_epsilon > 0) bits_.emplace(Unit::local_edge(), Epsilon(query_.bits_epsilon));
  if (query_.degrees_epsilon > 0) {
    degrees_ = GeometricMechanism::with_epsilon(membership_sensitivity(), Epsilon(query_.degrees_epsilon));
  }
}

LocalClient::LocalClient(graph::NodeId own, Secret<List> neighbors, Epsilon allowance,
                         std::unique_ptr<RandomStream> stream)
    : own_(own),
      neighbors_(neighbors.map(&as_set, own)),
      allowance_(allowance.value()),
      stream_(std::move(stream)) {}

const std::vector<std::byte>& LocalClient::answer(const LocalQuestion& question) {
  const LocalQuery& query = question.query();
  if (own_ >= query.nodes) {
    throw InvalidArgument({.what = fmt::format("user {} of {}", own_, query.nodes), .where = "local query"});
  }
  if (const auto before = answers_.find(question.query_digest()); before != answers_.end())
    return before->second;
  const bool one_end = query.asked == PairReports::one_end;
  if (one_end && pairing_ && *pairing_ != question.pairing()) {
    throw Unsound({.what = "a query that may ask the other ends of pairs",
                   .where = "local client",
                   .expected = "the pair key and the ranks of the first query that asked one end"});
  }
  const double cost = cost_of_bit(query);
  if (!(spent_ + cost <= allowance_ * (1 + 0x1p-48))) {
    throw BudgetExceeded({.what = fmt::format("a query that costs {:.6g}", cost),
                          .where = "local client",
                          .expected = fmt::format("at most {:.6g}, which is left", allowance_ - spent_)});
  }
  // Charged first: an answer that fails half-way has been paid for.
  spent_ += cost;
  if (one_end) pairing_ = question.pairing();
  LocalReport report{.own = own_, .query = question.query_digest()};
  if (question.degrees()) {
    report.degrees = question.degrees()->release(
        neighbors_.map(&degree_steps, query, own_), query.clusters,
        query.clusters == 1 ? "number of neighbours in units of 2^-20, sensitivity and noise too"
                            : "neighbours in each cluster in units of 2^-20, sensitivity and noise too",
        log_, *stream_);
  }
  if (question.bits()) {
    report.ones = question.bits()->release_row(neighbors_.map(&asked_of, query, own_), query.nodes, own_,
                                               "bits of the list", log_, *stream_);
    // Coins at places that were not asked for fell on zeros, and nobody needs them.
    std::erase_if(report.ones, [&](graph::NodeId other) { return !asks(query, own_, other); });
  }
  return answers_.emplace(question.query_digest(), encode(report)).first->second;
}

}  // namespace privet::privacy
