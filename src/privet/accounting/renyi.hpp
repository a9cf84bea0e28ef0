#pragma once

#include <functional>
#include <span>

#include "privet/accounting/event.hpp"

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

/// How a divergence of one order becomes (epsilon, delta).
enum class RenyiConversion {
  tight,    ///< Canonne, Kamath and Steinke 2020, Proposition 12 (Asoodeh et al. 2020; Lemma F.1 of DPDGC)
  classic,  ///< Mironov 2017: rdp + log(1/delta) / (alpha - 1), as DP-GNN and CARIBOU print it; never smaller
};

/// The divergence as a function of the order, for accountants of published methods.
using RenyiCurve = std::function<double(double alpha)>;

/// Minimised over all orders above 1.
double renyi_epsilon(const RenyiCurve& curve, double delta,
                     RenyiConversion conversion = RenyiConversion::tight);

/// Minimised over the given orders only, as published accountants do.
double renyi_epsilon(const RenyiCurve& curve, double delta, std::span<const double> orders,
                     RenyiConversion conversion = RenyiConversion::tight);

}  // namespace privet::privacy
