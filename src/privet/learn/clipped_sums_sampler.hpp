#pragma once

#include <optional>

#include "privet/learn/audit_sampler.hpp"
#include "privet/nn/private_optimizer.hpp"

namespace privet::methods {

/// The noisy sums of all steps of private SGD by themselves, with the sampler and the noise of the plan, on
/// the worst pair that the plan pays for: every example at stake has the whole clip norm in one direction in
/// which no other has anything; in the second world those that are replaced are turned round and those that
/// were added are gone. The draws are log-likelihood ratios of all steps together, the best score there is.
///
/// In Poisson batches the examples at stake join independently of all others, who are left out: a step costs
/// microseconds. Batches of fixed size are drawn from everybody; none where that takes too long for a test
/// that says anything.
std::optional<AuditSampler> clipped_sums_sampler(const nn::PrivateTraining& training);

}  // namespace privet::methods
