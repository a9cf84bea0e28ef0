#include "privet/run/payment.hpp"

#include <fmt/format.h>

#include <utility>

#include "privet/accounting/accountant.hpp"
#include "privet/base/error.hpp"

namespace privet::methods {

Payment::Payment(const std::filesystem::path& ledger, std::string what, std::string fingerprint,
                 std::function<std::string()> now, RunRequest& run)
    : ledger_(privacy::Ledger::open(ledger)),
      what_(std::move(what)),
      fingerprint_(std::move(fingerprint)),
      now_(std::move(now)),
      request_(run.request) {
  if (!run.request.wants_privacy() || run.seed) {
    throw Unsound(
        {.what = run.seed ? "noise that can be drawn again protects nobody" : "a run that protects nothing",
         .where = "--ledger",
         .expected = "a run with a budget and without a seed"});
  }
  run.fingerprint = ledger_.blind(fingerprint_);
  run.reserve = [this](const Plan& plan) -> std::optional<privacy::LedgerAnchor> {
    const std::optional<privacy::LedgerRequest> asked = price(plan);
    if (!asked) return {};
    reservation_ = ledger_.reserve(*asked);
    return reservation_->anchor;
  };
}

std::optional<privacy::LedgerRequest> Payment::price(const Plan& plan) const {
  if (!plan.failed_claims.empty()) {
    throw Unsound({.what = "a run without a guarantee can't be paid for from a budget",
                   .where = "--ledger",
                   .remedy = "use strict rigor, or leave the ledger out"});
  }
  if (plan.event == privacy::Event()) return {};  // nothing to pay for
  const privacy::EpsilonBound bound = privacy::epsilon(plan.event, request_.delta);
  return privacy::LedgerRequest{.what = what_,
                                .unit = request_.unit.text(),
                                .fingerprint = fingerprint_,
                                .epsilon = privacy::Epsilon(privacy::printed_epsilon(bound.upper)),
                                .delta = request_.delta,
                                .accountant = privacy::accountant_name(bound.by),
                                .event = plan.event,
                                .when = now_()};
}

std::optional<privacy::Cost> Payment::left_after(const Plan& plan) const {
  const std::optional<privacy::LedgerRequest> asked = price(plan);
  if (!asked) return {};
  return ledger_.left_after(*asked);
}

void Payment::commit(const privacy::Certificate& certificate) {
  if (reservation_) ledger_.commit(*reservation_, certificate, now_());
}

}  // namespace privet::methods
