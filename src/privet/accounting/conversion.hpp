#pragma once

#include <cstdint>

namespace privet::privacy {

/// From one unit of protection to a larger one. A guarantee for one row, entry or bit says something about g
/// of them; each function below states when it holds. None of them is tight for mechanisms of which more is
/// known: where the larger unit's own sensitivity can be computed, account for that instead.

/// An (epsilon, delta) guarantee: values, since a conversion may lead to an infinite epsilon or a delta of 1.
struct Guarantee {
  double epsilon = 0;
  double delta = 0;
};

/// Groups of g units under an epsilon-DP mechanism: g epsilon. Holds for every mechanism whose guarantee
/// covers each step of the path from one data set to the other (so not where the steps leave the domain, such
/// as a degree bound).
double group_epsilon(double epsilon, std::uint64_t group);

/// Groups under an (epsilon, delta)-DP mechanism: (g epsilon, delta (e^(g epsilon) - 1) / (e^epsilon - 1)),
/// the sum of delta e^(i epsilon) over the g steps (Vadhan 2017, Lemma 2.2). Same condition. The delta is
/// rounded up and at most 1.
Guarantee group_guarantee(Guarantee one, std::uint64_t group);

/// Groups under mu-Gaussian DP: g mu (Dong, Roth and Su 2022, Theorem 6). Tight if the group's changes can
/// point in one direction.
double group_mu(double mu, std::uint64_t group);

/// Gaussian DP of one directed entry of A to that of one undirected edge, whose two entries lie in different
/// rows and are protected by independent noise: the changes are orthogonal, mu sqrt(2). Holds for a release
/// of rows (A X with noise on every entry), where entry (u,v) moves row u alone by at most the sensitivity
/// that mu stands for. It does not hold where one entry moves several rows (normalisation by degree, a second
/// hop): there use group_mu(mu, 2).
double undirected_edge_mu(double directed_entry_mu);

/// Local reports: who is asked about the pair {u, v}?
enum class PairReports {
  both_ends,  ///< u and v each report their bit: the relationship costs twice
  one_end,    ///< each pair is asked once, of a publicly known end
};

/// The epsilon of a relationship, from that of one user's bit.
double relationship_epsilon(double bit_epsilon, PairReports reports);

}  // namespace privet::privacy
