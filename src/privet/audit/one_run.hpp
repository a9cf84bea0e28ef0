#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "privet/audit/epsilon_bound.hpp"
#include "privet/audit/one_run_bound.hpp"
#include "privet/graph/dataset.hpp"
#include "privet/learn/method.hpp"

namespace privet::audit {

/// The one-run audit: many canaries at once, each in the data or not by a coin of its own, one training run,
/// and guesses of the coins from what the run released. Under the edge units canaries are pairs of nodes that
/// are not joined in the data; under units about people they are training nodes, there or blanked.
///
/// As every audit it reads the data and is the owner's. It adds and removes canaries: what it trains is not
/// for use.

struct Canary {
  graph::Edge edge = {};                     ///< of the edge units
  std::optional<graph::NodeId> person = {};  ///< of the others
  bool there = false;                        ///< the coin
};

struct CanaryWorld {
  graph::Dataset data;     ///< with the canaries whose coin says so
  graph::Dataset with;     ///< with all of them, and
  graph::Dataset without;  ///< with none: what the auditor may compare with
  std::vector<Canary> canaries;
};

/// `count` canaries, or as many as there is room for; an InvalidArgument for none, and for units under which
/// nobody can be blanked without leaving the unit (k-neighbor).
CanaryWorld plant_canaries(const graph::Dataset& dataset, const privacy::Unit& unit,
                           const graph::Split& split, std::uint64_t count, RandomStream& coins);

/// Named statistics of the canaries, each one score per canary that is larger where it is more likely there,
/// from the released model and what is the same under all coins. Edges: how far the sums lean towards the
/// edge, and how alike its ends are (see observe). People: how well the model knows their labels.
using CanaryScores = std::map<std::string, std::vector<double>>;
CanaryScores canary_scores(const methods::Method& method, methods::Model model, const CanaryWorld& world,
                           const privacy::Unit& unit);

struct OneRunResult {
  Guesses guesses = {};
  double epsilon = 0;
  std::uint64_t canaries = 0;
  std::string statistic = {};  ///< that gave the bound
};

/// The bound from the scores. The highest scores are guessed as there and the lowest as not there. Every
/// other canary, whose coins are opened first, chooses the statistic and how many to guess (all, a quarter, a
/// sixteenth); the rest, whose coins had no say, are measured with all the doubt. Equal scores are ranked by
/// their place, which no coin has a say in.
OneRunResult one_run_lower_bound(const CanaryScores& scores, const std::vector<bool>& there, double delta,
                                 double confidence, Shape shape);

/// Plants, trains once, guesses.
OneRunResult audit_one_run(const methods::Method& method, const methods::Request& request,
                           const graph::Dataset& dataset, const graph::Split& split, std::uint64_t canaries,
                           double confidence, const std::optional<std::uint64_t>& seed);

}  // namespace privet::audit
