#pragma once

#include <string>
#include <vector>

#include "privet/core/release.hpp"

namespace privet::privacy {

/// How the event says that examples were drawn, in the words of a certificate: "none", "poisson rate 0.01",
/// "100 of 5000 without replacement". A release whose parts were drawn in different ways has no such text and
/// gets an empty one.
std::string sampling_text(const Event& event);

/// Where the words and numbers of a release disagree with the event that was accounted for it. Empty where
/// they agree:
///
/// * the noise multiplier of every part of the event is noise_stddev / sensitivity (for the Laplace mechanism
///   noise_stddev / (sqrt(2) sensitivity): the event counts in scales), to one part in 10^9, where both are
///   given;
/// * `times` is the number of mechanism runs in the event; a contractive event may count as one or as its
/// hops;
/// * `sampling` is sampling_text(event);
/// * its mechanism is one that this version has, and was accounted as one; those with Gaussian or Laplace
/// noise state
///   sensitivity and noise;
/// * the event is not empty.
std::vector<std::string> release_faults(const Release& release);

}  // namespace privet::privacy
