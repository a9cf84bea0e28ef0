#include <algorithm>

#include "privet/reports/query_message.hpp"
#include "text_fuzz.hpp"

// A query has exactly one encoding.
PRIVET_TEXT_FUZZ_TARGET([](std::string_view bytes) {
  using namespace privet::privacy;
  const LocalQuery query = decode_query(privet::testing::bytes_of(bytes));
  const std::vector<std::byte> again = encode(query);
  privet::testing::require(std::ranges::equal(again, privet::testing::bytes_of(bytes)));
  privet::testing::require(digest(decode_query(again)) == digest(query));
})
