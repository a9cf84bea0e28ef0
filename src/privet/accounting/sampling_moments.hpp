#pragma once

#include <cstdint>

#include "privet/accounting/event.hpp"

namespace privet::privacy {

/// Renyi divergences of Gaussian noise on the sum of a random batch, as log moments: (alpha - 1) times the
/// divergence of order alpha > 1, which is what adds up without dividing by a small number. All are upper
/// bounds for both orders of the two neighbouring data sets, +infinity at worst, never not-a-number.

/// Any number of affected examples under either sampling: the smallest of the bounds below that apply.
double subsampled_gaussian_log_moment(const SubsampledGaussianEvent& event, double alpha);

/// Theorem 1 of Daigavane et al.: the pair that also reveals how many of the max_degree + 1 subgraphs were
/// drawn.
double dpgnn_log_moment(const DpGnnEvent& event, double alpha);

/// One example that is there or not, Poisson batches (Mironov, Talwar and Zhang 2019): log of
/// E (1 + rate (e^w - 1))^alpha with w ~ N(-1/(2 sigma^2), 1/sigma^2), exact but for rounding.
double poisson_added_log_moment(double rate, double noise_multiplier, double alpha);

/// One example that has another gradient, batches of fixed size or Poisson, by the expansion of Wang, Balle
/// and Kasiviswanathan (2019) with constants that sampling_moments.cpp proves.
double replaced_log_moment(const Sampling& sampling, double noise_multiplier, double alpha);

/// The same as published (their "improved" theorem, which DPDGC's accountant uses): for noise_multiplier
/// times 2 clip norms, a batch that is `rate` of the population, and orders between integers by
/// interpolation. For comparison with published numbers; no claim of Privet's own rests on it.
double published_replaced_log_moment(double rate, double noise_multiplier, double alpha);

}  // namespace privet::privacy
