#pragma once

#include "privet/accounting/event.hpp"

namespace privet::privacy {

/// Exact accounting for compositions of Gaussian and contractive events, which are Gaussian DP: their cost is
/// one number mu, and mu^2 adds up (Dong, Roth and Su 2022; CARIBOU Theorems 2 and 3 for contractive
/// iterations).

bool gaussian_dp_supports(const Event& event);

/// The mu of the event; 0 for the empty one. An event that is not supported is an InvalidArgument that names
/// the part.
double gaussian_dp_mu(const Event& event);

/// delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) (Balle and Wang 2018),
/// computed without cancellation for every mu and epsilon; log of it, because it may be far below the
/// smallest double.
double gaussian_log_delta(double mu, double epsilon);
double gaussian_delta(double mu, double epsilon);

/// The epsilon at which delta is met, rounded up in its last digits; 0 where even epsilon 0 meets it.
double gaussian_epsilon(double mu, double delta);

/// The largest mu that is (epsilon, delta)-DP.
double gaussian_mu(double epsilon, double delta);

/// What `hops` contractive steps cost against one: (1-g^K)(1+g) / ((1+g^K)(1-g)); K at g = 1.
double contraction_factor(double lipschitz, double hops);

}  // namespace privet::privacy
