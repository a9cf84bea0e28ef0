#pragma once

#include <cstdint>
#include <optional>

#include "privet/accounting/event.hpp"
#include "privet/audit/epsilon_bound.hpp"
#include "privet/learn/audit_sampler.hpp"

namespace privet::audit {

/// A mechanism by itself, a million times: half of the draws choose the test, the other half are measured.
/// `draws` counts both halves, of each world.
LowerBound audit_mechanism(const methods::AuditSampler& sampler, std::uint64_t draws, double delta,
                           double confidence, const RandomStream& stream);

/// Private SGD against a worst-case canary: one example whose clipped gradient has the whole clip norm in a
/// direction that no other example has, there in the first world and not in the second; or, where it is
/// replaced, turned round. The adversary sees every step.
struct SgdCanary {
  double noise_multiplier = 1;  ///< in clip norms
  double rate = 1;              ///< of Poisson batches
  std::uint64_t steps = 1;
  bool replaced = false;
};

/// Draws of the log-likelihood ratio of all steps together: the best score there is.
methods::AuditSampler sgd_canary_sampler(const SgdCanary& canary);

/// The canary of a plan that is nothing but private SGD in Poisson batches with one example at stake; none
/// for other plans. It tests what the accountant says of the plan, with noise of its own: not the method's
/// code.
std::optional<SgdCanary> sgd_canary_of(const privacy::Event& event);

}  // namespace privet::audit
