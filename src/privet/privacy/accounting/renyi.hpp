#pragma once

#include "privet/privacy/event.hpp"

namespace privet::privacy {

/// Accounting by Renyi divergences: see renyi.cpp for the formulas and their origin.

bool renyi_supports(const Event& event);

/// An upper bound on the Renyi divergence of order alpha > 1 between the outputs on neighbouring data sets;
/// +infinity where none is known. Additive over compositions.
double renyi_divergence(const Event& event, double alpha);

/// Upper bounds by the tight conversion, minimised over orders. An event that is not supported is an
/// InvalidArgument that names the part.
double renyi_epsilon(const Event& event, double delta);
double renyi_delta(const Event& event, double epsilon);

}  // namespace privet::privacy
