#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace privet::audit {

/// Lower bounds on epsilon from runs in two worlds: what a mechanism shows of the difference between two
/// neighbouring data sets, with a stated confidence. A bound above the claimed epsilon refutes the claim; a
/// bound below it proves nothing, for a better test might have seen more.
///
/// Every choice is made on some trials and measured on others. choose_test() looks at the pilot trials and
/// fixes one test: a reading, a threshold, a side. lower_bound() applies that one test to trials that were
/// not looked at before, so that the whole doubt (1 - confidence) is its own.

/// The score of every run, one list for each world. Which is called first does not matter.
struct Trials {
  std::vector<double> first;
  std::vector<double> second;
};

/// What is known of the privacy loss besides the trials.
enum class Shape {
  unknown,   ///< nothing: the bound holds for every mechanism
  gaussian,  ///< Gaussian noise on a shifted value, of which the mechanism is made: mu-GDP for some mu
};

/// How a bound is read off the shares of scores above and below the threshold.
enum class Reading {
  /// An event E: P1[E] <= e^epsilon P2[E] + delta. Two bounds of Clopper and Pearson, half the doubt each.
  /// Strong where E is rare in one world.
  rare_event,
  /// Guessing the world of each run: right with probability at most (e^epsilon + delta) / (1 + e^epsilon),
  /// averaged over the worlds. One bound of Clopper and Pearson with all the doubt: strong from few runs.
  accuracy,
  /// Gaussian shape only: mu >= Phi^-1(1 - FPR) - Phi^-1(FNR), both from above with half the doubt each (Nasr
  /// et al. 2023); a negative mu counts as 0. Then epsilon at delta as for the Gaussian mechanism.
  gaussian,
};
std::string name(Reading reading);

/// One test, fixed before the trials that it is applied to. The event is "score above the threshold", or its
/// complement where `above` is false; `favours_first` says in which world it should be the likelier.
struct WorldTest {
  Reading reading = Reading::accuracy;
  double threshold = 0;
  bool above = true;
  bool favours_first = true;
};

struct LowerBound {
  double epsilon = 0;             ///< at least 0
  std::optional<double> mu = {};  ///< of the Gaussian reading
  double confidence = 0;
  WorldTest test = {};
  std::uint64_t likely_hits = 0;  ///< of the event, in the world that it favours ...
  std::uint64_t likely_runs = 0;
  std::uint64_t unlikely_hits = 0;  ///< ... and in the other
  std::uint64_t unlikely_runs = 0;
};

/// The test that promises the largest bound on `planned` further runs of each world, judged by the pilot.
/// Thresholds lie between two pilot scores; both sides, both worlds and all readings that the shape allows
/// are compared. An InvalidArgument where a world has no pilot run.
WorldTest choose_test(const Trials& pilot, std::uint64_t planned, double delta, double confidence,
                      Shape shape);

/// The bound that the test gives on trials that had no say in it. Wrong (above the true epsilon) with
/// probability at most 1 - confidence. The accuracy reading asks for as many runs of one world as of the
/// other, and a confidence of at least 3/4.
LowerBound lower_bound(const WorldTest& test, const Trials& fresh, double delta, double confidence);

/// The first half of each list chooses, the second half is measured.
LowerBound split_lower_bound(const Trials& trials, double delta, double confidence, Shape shape);

/// A schedule for looking at a growing number of trials more than once: the doubt of look i of `looks`. The
/// first look has half of all doubt, the second a quarter and so on, the last what is left: their sum is 1 -
/// confidence, so all looks hold together (union bound). What is certain early is found early.
double doubt_of_look(std::uint64_t look, std::uint64_t looks, double confidence);

}  // namespace privet::audit
