#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "privet/proof/ledger.hpp"

namespace privet::methods {

/// What several releases cost together, unit by unit, in the whole numbers of a ledger: for who wants to know
/// before the first whether the last can be paid for.
class Bill {
 public:
  /// So many releases like this one.
  void add(const privacy::LedgerRequest& one, std::uint64_t times);

  /// BudgetExceeded where the ledger has not enough left for all of them together, DataError where it has no
  /// data set yet and they are of several. Spends nothing.
  void require_funds(const std::filesystem::path& ledger) const;

 private:
  struct Total {
    privacy::Cost cost;
    std::uint64_t times = 0;
  };
  std::map<std::string, Total> totals_;  // by unit
  std::set<std::string> fingerprints_;
};

}  // namespace privet::methods
