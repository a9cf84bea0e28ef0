#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "privet/audit/discriminant.hpp"
#include "privet/audit/epsilon_bound.hpp"
#include "privet/audit/neighbors.hpp"
#include "privet/learn/method.hpp"

namespace privet::audit {

/// The two-world test: run a mechanism many times on each of two neighbouring data sets, with fresh noise,
/// and see how well the runs can be told apart. More than epsilon allows refutes the claim.
///
/// An audit reads the data of both worlds without noise, and its runs are not paid for by any budget. It
/// belongs to whoever owns the data, and its result is for the owner's eyes.

/// How long whole runs will take, judged by the first run of each world.
struct Forecast {
  double pair_seconds = 0;   ///< one run of each world took so long
  double seconds = 0;        ///< all of them are expected to
  std::uint64_t asked = 0;   ///< measured runs of each world that were asked for ...
  std::uint64_t trials = 0;  ///< ... and that fit into the time; 0: no more runs at all
};

struct TwoWorldOptions {
  std::uint64_t trials = 200;  ///< runs of each world that are measured, at most
  double confidence = 0.999;
  /// Fewer trials are run where they would take longer. How many is settled by the clock before the first
  /// measured run, whatever the pilot saw, so that the bound holds as it would for a number named beforehand.
  double seconds = std::numeric_limits<double>::infinity();
  std::function<void(const Forecast&)> forecast = {};  ///< called once, after the first run of each world
  std::optional<std::uint64_t> seed = {};              ///< empty: secure noise, as in production
  bool stop_early = true;                              ///< once the claim is refuted for certain
};

struct TwoWorldResult {
  LowerBound bound = {};
  std::uint64_t pilot_runs = 0;  ///< of each world: for choosing the score and the test
  std::uint64_t runs = 0;        ///< of each world: measured
  bool stopped_early = false;
  bool out_of_time = false;  ///< fewer trials than were asked for fitted into the time
  double pair_seconds = 0;   ///< of the first run of each world
  double separation = 0;     ///< of the pilot, in standard deviations
};

/// One run in a world. Called from several threads at once; `noise` belongs to the call and is fresh.
using Trial = std::function<Observation(bool second, RandomStream& noise)>;

/// Pilot runs first: three of each world, and more until a quarter of `trials` unless the worlds lie far
/// apart already. They fix score and test. Then measured runs, looked at several times as they grow, from the
/// number on at which a perfect record would refute `claimed`; the doubt is divided among the looks. Where
/// the time allows no measured run the bound is 0.
TwoWorldResult run_two_worlds(const Trial& trial, double claimed, double delta, Shape shape,
                              const TwoWorldOptions& options);

/// The whole pipeline of a method: protect, fit, observe. Initial weights and the order of batches are the
/// same in all runs, for they protect nobody; noise is fresh in each. Models are seen even of runs that
/// replay published defects, and are gone afterwards.
TwoWorldResult audit_pipeline(const methods::Method& method, const methods::Request& request,
                              const NeighborPair& pair, const graph::Split& split, double claimed,
                              const TwoWorldOptions& options);

/// The separation of the worlds in `runs` pilot runs of each: for search_neighbors.
double pilot_separation(const methods::Method& method, const methods::Request& request,
                        const NeighborPair& pair, const graph::Split& split, std::uint64_t runs,
                        RandomStream& stream);

}  // namespace privet::audit
