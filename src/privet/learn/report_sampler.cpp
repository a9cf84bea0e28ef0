#include "privet/learn/report_sampler.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/reports/client.hpp"
#include "privet/reports/report.hpp"

namespace privet::methods {
namespace {

constexpr graph::NodeId kOwn = 0;
constexpr graph::NodeId kOther = 1;

// Of two nodes, of whom the first is asked.
privacy::LocalQuestion question_of(double bits, double degrees) {
  privacy::LocalQuery query{.nodes = 2, .bits_epsilon = bits, .degrees_epsilon = degrees};
  if (degrees > 0) {
    query.clusters = 1;
    query.memberships.assign(query.nodes, privacy::kMembershipSteps);
  }
  while (!privacy::asks(query, kOwn, kOther)) ++query.pair_key;
  return privacy::LocalQuestion(std::move(query));
}

double log_ratio(const privacy::LocalReport& report, const privacy::LocalQuery& query) {
  double ratio = 0;
  if (query.bits_epsilon > 0) ratio += report.ones.empty() ? -query.bits_epsilon : query.bits_epsilon;
  if (query.degrees_epsilon > 0) {
    const double counted = static_cast<double>(report.degrees.front()) / privacy::kMembershipSteps;
    ratio += query.degrees_epsilon * (std::abs(counted) - std::abs(counted - 1));
  }
  return ratio;
}

}  // namespace

AuditSampler local_report_sampler(double bits_epsilon, double degrees_epsilon) {
  const auto question =
      std::make_shared<const privacy::LocalQuestion>(question_of(bits_epsilon, degrees_epsilon));
  return {.what = "one client's answers, with and without a neighbour",
          .draw = [question](bool second, std::span<double> draws, RandomStream& noise) {
            const std::unique_ptr<RandomStream> own = noise.fork("clients", noise.bits());
            const privacy::LocalQuery& query = question->query();
            const privacy::Epsilon allowance(privacy::cost_of_bit(query));
            constexpr std::size_t kGrain = 1024;
            parallel_for(draws.size(), kGrain, [&](std::size_t begin, std::size_t end) {
              const std::unique_ptr<RandomStream> stream = own->fork("draws", begin);
              for (std::size_t i = begin; i < end; ++i) {
                privacy::Secret<std::vector<graph::NodeId>> list(second ? std::vector<graph::NodeId>()
                                                                        : std::vector<graph::NodeId>{kOther});
                privacy::LocalClient client(kOwn, std::move(list), allowance, stream->fork("client", i));
                draws[i] = log_ratio(
                    privacy::decode(client.answer(*question), query, question->query_digest()), query);
              }
            });
          }};
}

}  // namespace privet::methods
