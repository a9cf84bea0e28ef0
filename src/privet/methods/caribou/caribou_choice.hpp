#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "privet/accounting/quantities.hpp"
#include "privet/core/contractive_layer.hpp"

namespace privet::methods {

/// How many hops, how contractive, over which floor: chosen before any edge is opened, from the budget and
/// from what the user expects of the graph. Any other way to choose them - trying several on the data - would
/// release several iterations and cost as many.

/// What is expected, none of it looked up in protected data.
struct HopExpectation {
  double degree = 20;      ///< mean degree
  double informative = 1;  ///< share of the nodes whose rows say something of their class
  double agreement = 1;    ///< how far a neighbour's class predicts one's own: 1 always, 0 not at all
  double columns = 2;      ///< numbers per row
  double nodes = 1000;
};

/// The predicted noise over signal of what a node hears from the others after all hops, in a graph in which
/// everybody has the expected degree: sqrt(noise / signal^2 + 1 / rows heard). The first part is the noise of
/// the mechanism, averaged by every hop that follows it and cut by every projection; the second that of
/// chance, since who hears of no informative row learns nothing from quiet hops either. Rows count the less
/// the further away they are, and not at all where so many are as far that it is half of the graph.
double predicted_noise(const privacy::ContractiveLayer& layer, std::uint64_t hops, double stddev,
                       const HopExpectation& expected);

/// The budget of the iteration: mu of Gaussian DP, empty where nothing is protected.
using HopBudget = std::optional<double>;

/// Noise that the budget asks for.
double stddev_for(const privacy::Unit& unit, const privacy::ContractiveLayer& layer, std::uint64_t hops,
                  const HopBudget& mu, const HopExpectation& expected);

/// What may be tried; one value where the user has chosen.
struct HopChoices {
  std::vector<std::uint64_t> hops;
  std::vector<double> contractions;
  std::vector<std::uint64_t> bounds;
};

struct HopChoice {
  privacy::ContractiveLayer layer;
  std::uint64_t hops = 1;
  double predicted = 0;  ///< noise over signal
};

/// The choice of which most nodes are predicted to be told their class, averaged over nodes of half to four
/// times the expected degree: real degrees differ. With noise, the fewest hops that come close to that: each
/// further one is a risk that the prediction does not know of.
HopChoice choose_hops(const privacy::Unit& unit, const privacy::ContractiveLayer& like,
                      const HopChoices& choices, const HopBudget& mu, const HopExpectation& expected);

}  // namespace privet::methods
