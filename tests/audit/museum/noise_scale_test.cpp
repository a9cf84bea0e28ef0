#include <algorithm>
#include <cmath>

#include "audit/museum/exhibit.hpp"
#include "core/neighbor_search.hpp"
#include "privet/accounting/calibration.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"

/// Noise of the wrong size.
namespace privet::audit::museum {
namespace {

using testing::gaussian_noise;
using testing::sampler_of;

constexpr double kDelta = 1e-5;

// A shift of `shift` under Gaussian noise of standard deviation `stddev`.
methods::AuditSampler shifted(double shift, double stddev) {
  return testing::gaussian_sampler(shift / stddev);
}

// The multiplier at which Gaussian noise costs epsilon.
double multiplier(double epsilon) { return 1 / privacy::gaussian_mu(epsilon, kDelta); }

TEST(Museum, NoiseForTinyRows) {
  show(
      {.name = "noise for rows of norm 1e-8",
       .defect = "DPDGC's published code means to bound rows of W by 1e-8, scales its noise to that, and "
                 "never bounds them",
       .instrument = Instrument::two_world,
       .broken_is_caught =
           [] { return refutes(shifted(std::sqrt(2), 1e-8 * std::sqrt(2) * multiplier(1)), {}); },
       .healthy_is_caught = [] { return refutes(shifted(std::sqrt(2), std::sqrt(2) * multiplier(1)), {}); }});
}

TEST(Museum, GroupAsASquareRoot) {
  constexpr double kGroup = 6;
  show({.name = "group privacy counted as a square root",
        .defect = "DPDGC's published code multiplies the noise of a group of g examples by sqrt(g); all g "
                  "gradients may move in one direction, by 2 g clip norms",
        .instrument = Instrument::two_world,
        .broken_is_caught =
            [] { return refutes(shifted(2 * kGroup, 2 * std::sqrt(kGroup) * multiplier(1)), {}); },
        .healthy_is_caught = [] { return refutes(shifted(2 * kGroup, 2 * kGroup * multiplier(1)), {}); }});
}

TEST(Museum, ClippedLayerByLayer) {
  constexpr int kLayers = 3;
  const auto joint = [](double stddev) {
    return sampler_of(
        [stddev](bool second, RandomStream& noise) {
          double sum = 0;
          for (int layer = 0; layer < kLayers; ++layer)
            sum += (second ? 0 : 1) + stddev * gaussian_noise(noise);
          return sum;
        },
        true);
  };
  show({.name = "per-layer clipping with one multiplier",
        .defect = "DP-GNN (Daigavane et al.) clips every layer by itself and says that the cost depends on "
                  "the multiplier alone: L layers cost L times the Renyi divergence",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(joint(multiplier(1)), {}); },
        .healthy_is_caught = [&] { return refutes(joint(std::sqrt(kLayers) * multiplier(1)), {}); }});
}

TEST(Museum, DividedByTheBatchTwice) {
  constexpr double kBatch = 64;
  show({.name = "noise divided by the batch size twice",
        .defect = "the noise of the mean gradient is scaled to 1/b, and the noisy sum is divided by b again "
                  "(a classic of private SGD code)",
        .instrument = Instrument::two_world,
        .broken_is_caught = [] { return refutes(shifted(1 / kBatch, multiplier(1) / kBatch / kBatch), {}); },
        .healthy_is_caught = [] { return refutes(shifted(1 / kBatch, multiplier(1) / kBatch), {}); }});
}

// The scale of the noise is itself released: 300 numbers show it.
TEST(Museum, MinimumDegreeOfTheData) {
  constexpr int kNumbers = 300;
  const auto energy = [](double other) {
    return sampler_of([other](bool second, RandomStream& noise) {
      std::vector<double> numbers(kNumbers);
      privacy::fill_gaussian(noise, numbers);
      double squares = 0;
      for (const double number : numbers) squares += std::pow((second ? other : 1.0) * number, 2);
      return squares;
    });
  };
  show({.name = "data-dependent minimum degree",
        .defect =
            "CARIBOU's Theorem 4 reads the minimum degree off the private graph: one edge takes it from "
            "1 to 2 and the noise from 0.97 to 0.66",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(energy(0.6554 / 0.9714), {}, 20000); },
        .healthy_is_caught = [&] { return refutes(energy(1), {}, 20000); }});
}

TEST(Museum, ThresholdReadOffTheData) {
  // 20 gradient norms, of which the 75th percentile clips and scales the noise.
  const auto clipped = [](bool from_data) {
    return [from_data](bool second, RandomStream& noise) {
      std::vector<double> norms;
      for (int i = 0; i < 19; ++i) norms.push_back(i < 14 ? 0.5 : 2.0);
      norms.push_back(second ? 0.5 : 2.0);
      std::ranges::sort(norms);
      const double clip = from_data ? norms[14] : 1.0;
      double sum = clip * multiplier(1) * gaussian_noise(noise);
      for (const double norm : norms) sum += std::min(norm, clip);
      return Observation{{"clip norm", clip}, {"sum", sum}};
    };
  };
  show({.name = "clip thresholds read from the data",
        .defect = "DP-GNN takes a percentile of private gradient norms for its clip norm and tells it with "
                  "the hyper-parameters: a release without noise",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(clipped(true), {}); },
        .healthy_is_caught = [&] { return refutes(clipped(false), {}); }});
}

TEST(Museum, RowsLargerThanTheNoiseAssumes) {
  using namespace privacy::testing;  // NOLINT(google-build-using-namespace)
  const auto moved = [](bool clips) {
    SeededStream stream(5);
    const Query query = [clips](const World& world, std::size_t) {
      std::vector<double> sums(world.nodes * 2, 0.0);
      for (std::size_t i = 0; i < world.nodes; ++i) {
        for (std::size_t j = 0; j < world.nodes; ++j) {
          const double norm = std::hypot(world.rows[j][0], world.rows[j][1]);
          const double scale = clips && norm > 1 ? 1 / norm : 1;
          for (std::size_t c = 0; c < 2 && world.has(i, j); ++c) sums[2 * i + c] += scale * world.rows[j][c];
        }
      }
      return sums;
    };
    return search_uphill({.nodes = 8, .columns = 2, .row_bound = 3, .starts = 2, .steps = 300},
                         privacy::Unit::edge(), query, Norm::l2, stream)
        .largest;
  };
  const double paid = std::sqrt(2.0) * (1 + 1e-9);
  show({.name = "rows larger than the noise assumes",
        .defect = "neighbour sums of rows that nobody has scaled down, under noise for rows of norm 1 (as "
                  "DPDGC's published code does with W)",
        .instrument = Instrument::sensitivity_search,
        .broken_is_caught = [&] { return moved(false) > paid; },
        .healthy_is_caught = [&] { return moved(true) > paid; }});
}

TEST(Museum, CalibratorThatFailsOpen) {
  // Batches larger than the training set have no law: their cost comes out as not-a-number.
  const auto cost = [](double batch, double nodes, double noise) {
    return batch > nodes ? std::nan("") : privacy::gaussian_epsilon(batch / nodes / noise, kDelta);
  };
  const auto fails_open = [&](double batch, double nodes, double epsilon) {
    double noise = 0;  // "costs nothing" until something finite says otherwise
    while (std::isfinite(cost(batch, nodes, noise + 1e-3)) && cost(batch, nodes, noise + 1e-3) > epsilon)
      noise += 1e-3;
    return noise;
  };
  constexpr double kBudget = 1;
  // The plan check: noise of 0 has no event, and whatever has one is priced by the accountant.
  const auto costs_more = [&](double noise) {
    return !(noise > 0) ||
           privacy::epsilon(privacy::GaussianEvent{noise}, privacy::Delta(kDelta)).upper > kBudget;
  };
  show({.name = "a fail-open calibrator",
        .defect = "GAP's calibrator sets the noise to 0 and says nothing where the cost is infinite or not a "
                  "number, as for batches of 256 out of 25 nodes",
        .instrument = Instrument::plan_check,
        .broken_is_caught = [&] { return costs_more(fails_open(256, 25, kBudget)); },
        .healthy_is_caught =
            [&] {
              const auto plan = [](double noise) { return privacy::Event(privacy::GaussianEvent{noise}); };
              return costs_more(privacy::calibrate(plan, privacy::Epsilon(kBudget), privacy::Delta(kDelta)));
            }});
  // What can't be compared ends without a scale.
  const auto nothing = [](double) -> privacy::Event { throw InvalidArgument({.what = "no law"}); };
  EXPECT_THROW((void)privacy::calibrate(nothing, privacy::Epsilon(kBudget), privacy::Delta(kDelta)), Error);
}

}  // namespace
}  // namespace privet::audit::museum
