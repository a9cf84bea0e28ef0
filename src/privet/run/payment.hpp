#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "privet/proof/ledger.hpp"
#include "privet/run/runner.hpp"

namespace privet::methods {

/// Pays for one use of a data set from its ledger: reserved when the plan is known, before anything is
/// released; committed with the certificate. The ledger is open as long as this lives, and keeps several
/// processes apart.
class Payment {
 public:
  /// `what` is the line in the ledger, `fingerprint` the plain one of the data. Unsound for a run without a
  /// budget, and for one with a seed: noise that can be drawn again protects nobody.
  Payment(const std::filesystem::path& ledger, std::string what, std::string fingerprint,
          std::function<std::string()> now, RunRequest& run);
  Payment(const Payment&) = delete;
  Payment& operator=(const Payment&) = delete;

  /// What the ledger is asked for; empty where there is nothing to pay for. Unsound where claims fail.
  [[nodiscard]] std::optional<privacy::LedgerRequest> price(const Plan& plan) const;

  /// What the ledger would have left once the plan is paid for; throws where it would refuse. Empty where
  /// there is nothing to pay for. Spends nothing.
  [[nodiscard]] std::optional<privacy::Cost> left_after(const Plan& plan) const;

  void commit(const privacy::Certificate& certificate);

 private:
  privacy::Ledger ledger_;
  std::string what_;
  std::string fingerprint_;
  std::function<std::string()> now_;
  Request request_;
  std::optional<privacy::Reservation> reservation_;
};

}  // namespace privet::methods
