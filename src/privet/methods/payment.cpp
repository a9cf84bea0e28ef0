#include "privet/methods/payment.hpp"

#include <fmt/format.h>

#include <utility>

#include "privet/base/error.hpp"
#include "privet/privacy/accounting/accountant.hpp"

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
  run.reserve = [this](const Plan& plan) { return reserve(plan); };
}

std::optional<privacy::LedgerAnchor> Payment::reserve(const Plan& plan) {
  if (!plan.failed_claims.empty()) {
    throw Unsound({.what = "a run without a guarantee can't be paid for from a budget",
                   .where = "--ledger",
                   .remedy = "use strict rigor, or leave the ledger out"});
  }
  if (plan.event == privacy::Event()) return {};  // nothing to pay for
  const privacy::EpsilonBound bound = privacy::epsilon(plan.event, request_.delta);
  reservation_ = ledger_.reserve({.what = what_,
                                  .unit = request_.unit.text(),
                                  .fingerprint = fingerprint_,
                                  .epsilon = privacy::Epsilon(privacy::printed_epsilon(bound.upper)),
                                  .delta = request_.delta,
                                  .accountant = privacy::accountant_name(bound.by),
                                  .event = plan.event,
                                  .when = now_()});
  return reservation_->anchor;
}

void Payment::commit(const privacy::Certificate& certificate) {
  if (reservation_) ledger_.commit(*reservation_, certificate, now_());
}

}  // namespace privet::methods
