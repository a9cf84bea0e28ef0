#pragma once

#include <string>
#include <string_view>

#include "privet/accounting/event.hpp"
#include "privet/accounting/quantities.hpp"

namespace privet::privacy {

/// The one door to the accountants: what does an event cost? docs/privacy/accounting.md says why each answer
/// is an upper bound.

enum class Accountant {
  automatic,  ///< gdp where it applies, for it is exact; else the smallest of what the others prove
  rdp,        ///< Renyi divergences: fast, smooth, a little loose
  gdp,        ///< Gaussian DP: exact, for compositions of Gaussian noise only
  pld,        ///< privacy-loss distributions: tight up to a discretisation of which both sides are known
};

/// "auto", "rdp", "gdp", "pld".
std::string accountant_name(Accountant accountant);
/// An unknown name is an InvalidArgument that suggests the nearest.
Accountant parse_accountant(std::string_view name);

/// Whether the accountant covers every part of the event. `automatic` does if any other does.
bool supports(const Event& event, Accountant accountant);

/// What may be claimed is `upper`, which may be infinite. `lower` bounds from below what the accountant
/// bounds from above: equal to `upper` for gdp, from the same discretisation for pld, 0 (unknown) for rdp.
/// Where profiles_are_attained it is a bound on the mechanism too; elsewhere the mechanism may cost less than
/// `lower`.
struct EpsilonBound {
  double upper = 0;
  double lower = 0;
  Accountant by = Accountant::automatic;  ///< whose upper bound it is; `automatic` for the empty event
};
struct DeltaBound {
  double upper = 0;
  double lower = 0;
  Accountant by = Accountant::automatic;
};

/// The epsilon of the event at a delta. At delta 0 only events without a failure probability (Laplace,
/// randomised response, pure) have one, the sum of theirs (Renyi divergence of infinite order); others are an
/// InvalidArgument, and so is an event that the accountant does not cover: the message names the part.
EpsilonBound epsilon(const Event& event, Delta delta, Accountant accountant = Accountant::automatic);

/// Whether releases with these sensitivities and this noise can cost all that the profiles say, so that no
/// accounting of them could state less than EpsilonBound::lower. Not known of batches below their population
/// that are of fixed size or in which several examples are affected (accounting/pld_profile.cpp), nor of
/// mechanisms that are known by their epsilon alone, which may be any.
bool profiles_are_attained(const Event& event);

/// The delta of the event at an epsilon; at most 1.
DeltaBound delta(const Event& event, Epsilon epsilon, Accountant accountant = Accountant::automatic);

}  // namespace privet::privacy
