#pragma once

namespace privet::privacy {

/// log H_{e^epsilon}(N(mu,1) || N(0,1)), the logarithm of the largest P(S) - e^epsilon Q(S), for mu > 0 and
/// epsilon >= 0. Free of cancellation: relative error of H below 1e-12 for every mu and epsilon, however
/// small H is. The same for N(0,1) || N(mu,1), by reflection; increasing in mu.
double gaussian_log_hockey_stick(double mu, double epsilon);

/// The same for (1-q) N(0,1) + q N(mu,1) || (1-q) N(0,1) + q N(-mu,1), q in (0, 1): one example, drawn with
/// probability q, whose gradient is turned round. Relative error of the divergence below 1e-10.
double mirrored_log_hockey_stick(double mu, double q, double epsilon);

}  // namespace privet::privacy
