#include "privet/audit/epsilon_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/binomial.hpp"
#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

constexpr std::size_t kMostThresholds = 128;

double normal_quantile(double p) {
  if (p <= 0) return -std::numeric_limits<double>::infinity();
  if (p >= 1) return std::numeric_limits<double>::infinity();
  return -std::sqrt(2.0) * boost::math::erfc_inv(2 * p);
}

// What the readings make of a lower bound on the likely share and an upper one on the unlikely share.
double rare_event_epsilon(double likely, double unlikely, double delta) {
  return likely <= delta ? 0 : std::fmax(0, std::log((likely - delta) / unlikely));
}

double accuracy_epsilon(double accuracy, double delta) {
  return accuracy <= delta ? 0 : std::fmax(0, std::log((accuracy - delta) / (1 - accuracy)));
}

double mu_from(double likely, double unlikely) {
  const double mu = normal_quantile(likely) - normal_quantile(unlikely);
  return std::isfinite(mu) ? std::fmax(0, mu) : 0;
}

double gaussian_reading(double mu, double delta) {
  return mu <= 0 || delta <= 0 ? 0 : privacy::gaussian_epsilon(mu, delta);
}

// Wilson's bound, from above for z > 0 and from below for z < 0: closed form, good enough to compare tests.
// Nothing is claimed by it.
double wilson(double share, double runs, double z) {
  const double middle = share + z * z / (2 * runs);
  const double half = z * std::sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs));
  return (middle + half) / (1 + z * z / runs);
}

double smoothed(std::uint64_t hits, std::size_t runs) {
  return (static_cast<double>(hits) + 0.5) / (static_cast<double>(runs) + 1);
}

struct Shares {
  double likely = 0;
  double unlikely = 0;
};

double promised(Reading reading, Shares shares, double runs, double delta, double doubt) {
  const double z = normal_quantile(1 - doubt / 2);
  const auto low = [&](double share) { return wilson(share, runs, -z); };
  switch (reading) {
    case Reading::rare_event:
      return rare_event_epsilon(low(shares.likely), wilson(shares.unlikely, runs, z), delta);
    case Reading::accuracy: {
      const double whole = normal_quantile(1 - doubt);
      const double accuracy = (shares.likely + 1 - shares.unlikely) / 2;
      return accuracy_epsilon(1 - wilson(1 - accuracy, 2 * runs, whole), delta);
    }
    case Reading::gaussian:
      // Larger mu, larger epsilon: mu itself is enough to compare Gaussian readings, but not with others.
      return gaussian_reading(mu_from(low(shares.likely), wilson(shares.unlikely, runs, z)), delta);
  }
  return 0;
}

// Midpoints between neighbouring distinct scores of both worlds, thinned out evenly and towards both ends.
std::vector<double> thresholds_between(const Trials& pilot) {
  std::vector<double> all(pilot.first);
  all.insert(all.end(), pilot.second.begin(), pilot.second.end());
  std::ranges::sort(all);
  const std::size_t n = all.size();
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < kMostThresholds; ++i) places.push_back((n - 1) * i / kMostThresholds);
  for (std::size_t tail = 1; tail < n / 2; tail *= 2) {
    places.push_back(tail - 1);
    places.push_back(n - 1 - tail);
  }
  std::vector<double> between;
  for (const std::size_t place : places) {
    const auto next = std::upper_bound(all.begin(), all.end(), all[place]);
    if (next == all.end()) continue;
    const double middle = all[place] + (*next - all[place]) / 2;
    between.push_back(middle < *next ? middle : all[place]);
  }
  std::ranges::sort(between);
  between.erase(std::unique(between.begin(), between.end()), between.end());
  return between;
}

std::uint64_t hits_of(const WorldTest& test, const std::vector<double>& scores) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(scores, [&](double score) { return (score > test.threshold) == test.above; }));
}

}  // namespace

std::string name(Reading reading) {
  switch (reading) {
    case Reading::rare_event:
      return "rare event";
    case Reading::accuracy:
      return "accuracy of guesses";
    case Reading::gaussian:
      return "gaussian";
  }
  return "";
}

WorldTest choose_test(const Trials& pilot, std::uint64_t planned, double delta, double confidence,
                      Shape shape) {
  if (pilot.first.empty() || pilot.second.empty()) {
    throw InvalidArgument(
        {.what = "no pilot runs", .where = "audit", .expected = "at least one in each world"});
  }
  Trials sorted = pilot;
  std::ranges::sort(sorted.first);
  std::ranges::sort(sorted.second);
  const auto above = [](const std::vector<double>& scores, double threshold) {
    return static_cast<std::uint64_t>(scores.end() -
                                      std::upper_bound(scores.begin(), scores.end(), threshold));
  };
  std::vector<Reading> readings = {Reading::rare_event, Reading::accuracy};
  if (shape == Shape::gaussian) readings.push_back(Reading::gaussian);
  const auto runs = static_cast<double>(std::max<std::uint64_t>(1, planned));
  WorldTest best{.threshold = (sorted.first.front() + sorted.second.front()) / 2};
  double most = -1;
  double widest = 0;
  for (const double threshold : thresholds_between(sorted)) {
    const double one = smoothed(above(sorted.first, threshold), sorted.first.size());
    const double two = smoothed(above(sorted.second, threshold), sorted.second.size());
    for (const bool side : {true, false}) {
      for (const bool favours_first : {true, false}) {
        const double share_first = side ? one : 1 - one;
        const double share_second = side ? two : 1 - two;
        const Shares shares =
            favours_first ? Shares{share_first, share_second} : Shares{share_second, share_first};
        if (shares.likely <= shares.unlikely) continue;
        for (const Reading reading : readings) {
          const double value = promised(reading, shares, runs, delta, 1 - confidence);
          // Where nothing is promised yet the widest gap is the best guess.
          const double gap = shares.likely - shares.unlikely;
          const bool better =
              value > most || (value == 0 && most == 0 && gap > widest && reading == Reading::accuracy);
          if (!better) continue;
          most = value;
          widest = gap;
          best = {reading, threshold, side, favours_first};
        }
      }
    }
  }
  return best;
}

LowerBound lower_bound(const WorldTest& test, const Trials& fresh, double delta, double confidence) {
  if (!(confidence > 0 && confidence < 1)) {
    throw InvalidArgument({.what = fmt::format("confidence {}", confidence),
                           .where = "--confidence",
                           .expected = "a probability between 0 and 1"});
  }
  const std::vector<double>& likely = test.favours_first ? fresh.first : fresh.second;
  const std::vector<double>& unlikely = test.favours_first ? fresh.second : fresh.first;
  LowerBound bound{.confidence = confidence, .test = test};
  bound.likely_hits = hits_of(test, likely);
  bound.unlikely_hits = hits_of(test, unlikely);
  bound.likely_runs = likely.size();
  bound.unlikely_runs = unlikely.size();
  const double doubt = 1 - confidence;
  if (test.reading == Reading::accuracy) {
    if (bound.likely_runs != bound.unlikely_runs || doubt > 0.25) {
      throw InvalidArgument({.what = "guesses of unequally many runs, or at low confidence",
                             .where = "audit",
                             .expected = "as many runs of each world, and a confidence of at least 0.75"});
    }
    // Right guesses are a sum of independent coins of two kinds with mean a. Beyond n a + 1 its tail is no
    // heavier than that of n coins of bias a (Hoeffding 1956, Theorem 4), and a binomial is above its mean
    // with probability at least 1/4, so a doubt of up to 1/4 is only met beyond.
    const std::uint64_t right = bound.likely_hits + (bound.unlikely_runs - bound.unlikely_hits);
    const double accuracy = probability_at_least(right, bound.likely_runs + bound.unlikely_runs, doubt);
    bound.epsilon = accuracy_epsilon(accuracy, delta);
    return bound;
  }
  const double least = probability_at_least(bound.likely_hits, bound.likely_runs, doubt / 2);
  const double most = probability_at_most(bound.unlikely_hits, bound.unlikely_runs, doubt / 2);
  if (test.reading == Reading::rare_event) {
    bound.epsilon = rare_event_epsilon(least, most, delta);
  } else {
    bound.mu = mu_from(least, most);
    bound.epsilon = gaussian_reading(*bound.mu, delta);
  }
  return bound;
}

LowerBound split_lower_bound(const Trials& trials, double delta, double confidence, Shape shape) {
  const std::size_t half = std::min(trials.first.size(), trials.second.size()) / 2;
  const auto cut = [half](const std::vector<double>& all, bool front) {
    const auto at = static_cast<std::ptrdiff_t>(half);
    return front ? std::vector<double>(all.begin(), all.begin() + at)
                 : std::vector<double>(all.begin() + at, all.begin() + 2 * at);
  };
  const Trials pilot{cut(trials.first, true), cut(trials.second, true)};
  const Trials fresh{cut(trials.first, false), cut(trials.second, false)};
  return lower_bound(choose_test(pilot, half, delta, confidence, shape), fresh, delta, confidence);
}

double doubt_of_look(std::uint64_t look, std::uint64_t looks, double confidence) {
  if (look >= looks) {
    throw InvalidArgument({.what = fmt::format("look {} of {}", look, looks), .where = "audit"});
  }
  const std::uint64_t halvings = look + 1 == looks ? look : look + 1;
  return std::ldexp(1 - confidence, -static_cast<int>(std::min<std::uint64_t>(halvings, 60)));
}

}  // namespace privet::audit
