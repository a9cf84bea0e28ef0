#pragma once

#include "privet/accounting/bounds.hpp"
#include "privet/accounting/event.hpp"

namespace privet::privacy {

/// Accounting by discretised privacy-loss distributions: see pld.cpp for the argument.

/// Whether every part of the event has a dominating pair that can be discretised.
bool pld_supports(const Event& event);

/// Epsilon at a delta in (0, 1), and delta at an epsilon of at least 0. An event that is not supported is an
/// InvalidArgument that names the part.
Bounds pld_epsilon(const Event& event, double delta);
Bounds pld_delta(const Event& event, double epsilon);

}  // namespace privet::privacy
