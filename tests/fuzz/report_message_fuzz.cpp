#include <algorithm>

#include "privet/core/memberships.hpp"
#include "privet/learn/collector.hpp"
#include "privet/reports/report.hpp"
#include "text_fuzz.hpp"

namespace {

// One fixed query of each way to ask; the first byte says which. The digest of the answer is put in, as no
// fuzzer would find it.
privet::privacy::LocalQuery query_of(std::uint8_t way) {
  using namespace privet::privacy;
  LocalQuery query{.nodes = 40, .bits_epsilon = 1, .degrees_epsilon = 1, .pair_key = 7};
  query.asked = way % 2 == 0 ? PairReports::one_end : PairReports::both_ends;
  std::vector<std::int32_t> groups(query.nodes);
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<std::int32_t>(i % 3);
  query.clusters = 3;
  query.memberships = hard_memberships(groups, 3);
  return query;
}

}  // namespace

PRIVET_TEXT_FUZZ_TARGET([](std::string_view bytes) {
  using namespace privet::privacy;
  if (bytes.empty()) return;
  const LocalQuery query = query_of(static_cast<std::uint8_t>(bytes.front()));
  const privet::Digest of_query = digest(query);
  bytes.remove_prefix(1);
  std::vector<std::byte> message(privet::testing::bytes_of(bytes).begin(),
                                 privet::testing::bytes_of(bytes).end());
  for (std::size_t i = 0; i < of_query.size() && i + 1 < message.size(); ++i)
    message[i + 1] = static_cast<std::byte>(of_query[i]);
  const LocalReport report = decode(message, query, of_query);
  privet::testing::require(encode(report) == message);
  privet::methods::Collector collector(query, of_query);
  collector.add(message);
  collector.add(message);
  privet::testing::require(collector.received() == 1);
})
