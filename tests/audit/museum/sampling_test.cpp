#include <cmath>
#include <set>

#include "audit/museum/exhibit.hpp"
#include "privet/accounting/accountant.hpp"
#include "privet/audit/noise_check.hpp"
#include "privet/core/mechanisms/laplace.hpp"

/// Coins that are not the coins that were accounted for.
namespace privet::audit::museum {
namespace {

using testing::gaussian_noise;
using testing::laplace_noise;
using testing::sampler_of;

TEST(Museum, ShuffledOnceUnderAPoissonAccountant) {
  constexpr std::uint64_t kBatches = 10;
  constexpr std::uint64_t kEpochs = 5;
  constexpr double kNoise = 2;
  const privacy::Event event = privacy::repeated(
      privacy::SubsampledGaussianEvent{
          .sampling = privacy::PoissonSampling{1.0 / kBatches}, .noise_multiplier = kNoise, .added = 1},
      kBatches * kEpochs);
  const Claim claim{.epsilon = privacy::epsilon(event, privacy::Delta(1e-5)).upper, .delta = 1e-5};
  // Whoever knows the order knows in which batch of every epoch to look.
  const auto in_order = sampler_of(
      [](bool second, RandomStream& noise) {
        double sum = 0;
        for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch)
          sum += (second ? 0 : 1) + kNoise * gaussian_noise(noise);
        return sum;
      },
      true);
  show({.name = "shuffled batches under a Poisson accountant",
        .defect = "data loaders that shuffle once and go through the batches in turn, accounted for as if "
                  "every batch were drawn afresh (most deep-learning trainers)",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(in_order, claim); },
        .healthy_is_caught =
            [&] {
              return refutes(
                  sgd_canary_sampler(
                      {.noise_multiplier = kNoise, .rate = 1.0 / kBatches, .steps = kBatches * kEpochs}),
                  claim, 20000);
            }});
}

TEST(Museum, BatchesWithReplacement) {
  constexpr int kBatch = 4;
  // Four draws out of four examples: without replacement everybody is in once.
  const auto draw = [](bool with_replacement) {
    return sampler_of([with_replacement](bool second, RandomStream& noise) {
      int times = 1;
      if (with_replacement) {
        times = 0;
        for (int i = 0; i < kBatch; ++i) times += noise.below(kBatch) == 0 ? 1 : 0;
      }
      return (second ? 0 : times) + gaussian_noise(noise);
    });
  };
  const privacy::Event event = privacy::GaussianEvent{1};
  const Claim claim{.epsilon = privacy::epsilon(event, privacy::Delta(1e-3)).upper, .delta = 1e-3};
  show({.name = "batches with replacement",
        .defect =
            "DP-GNN's code draws batches with replacement, the default of its sampling routine, under a "
            "hypergeometric accountant: an example may be in a batch several times",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(draw(true), claim, 200000); },
        .healthy_is_caught = [&] { return refutes(draw(false), claim, 200000); }});
}

std::vector<NoiseSample> workers(bool one_stream) {
  SeededStream root(9);
  std::vector<NoiseSample> samples;
  for (std::uint64_t worker = 0; worker < 4; ++worker) {
    const auto stream = root.fork("worker", one_stream ? 0 : worker);
    NoiseSample sample{"worker " + std::to_string(worker), {}};
    for (int i = 0; i < 300; ++i) sample.values.push_back(laplace_noise(*stream));
    samples.push_back(std::move(sample));
  }
  return samples;
}

TEST(Museum, OneStreamForAllWorkers) {
  show({.name = "one Laplace stream shared by all workers",
        .defect =
            "LPGNet's code copies its generator into every task of a pool: all batches of nodes get the "
            "same Laplace noise",
        .instrument = Instrument::noise_check,
        .broken_is_caught = [] { return !noise_faults(workers(true), 4, 0.9999).empty(); },
        .healthy_is_caught = [] { return !noise_faults(workers(false), 4, 0.9999).empty(); }});
}

TEST(Museum, SeedReusedForTheTestGraph) {
  const auto released = [](bool same_seed) {
    const std::vector<std::uint64_t> seeds = {42, same_seed ? 42U : 43U};
    std::vector<NoiseSample> samples;
    for (std::size_t graph = 0; graph < 2; ++graph) {
      SeededStream stream(seeds[graph]);
      NoiseSample sample{graph == 0 ? "training graph" : "test graph", {}};
      for (int i = 0; i < 300; ++i) sample.values.push_back((i % 7) * 0.01 + laplace_noise(stream));
      samples.push_back(std::move(sample));
    }
    return samples;
  };
  show({.name = "the seed reused between train and test graph",
        .defect = "LinkTeller's code perturbs training and test graph from one seed: their difference has no "
                  "noise",
        .instrument = Instrument::noise_check,
        .broken_is_caught = [&] { return !noise_faults(released(true), 4, 0.9999).empty(); },
        .healthy_is_caught = [&] { return !noise_faults(released(false), 4, 0.9999).empty(); }});
}

TEST(Museum, ReportedFromBothEnds) {
  constexpr double kEpsilon = 1;
  const double truth = 1 / (1 + std::exp(-kEpsilon));
  const auto told = [truth](int reports) {
    return sampler_of([=](bool second, RandomStream& noise) {
      double ones = 0;
      for (int i = 0; i < reports; ++i) ones += (noise.uniform() < truth) != second ? 1 : 0;
      return ones;
    });
  };
  show({.name = "an edge reported from both ends and charged once",
        .defect = "HPGR and other local protocols let both users of a relationship report it: twice epsilon",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(told(2), {.epsilon = kEpsilon, .delta = 0}); },
        .healthy_is_caught = [&] { return refutes(told(1), {.epsilon = kEpsilon, .delta = 0}); }});
}

// Which sums can come out at all: noise from 16 bits, added to a third in floating point.
TEST(Museum, FloatNoiseWithoutAGrid) {
  constexpr double kThird = 1.0 / 3;
  const auto coarse = [](RandomStream& noise) {
    const auto bits = noise.bits();
    const double size = -std::log(static_cast<double>((bits & 0xffff) + 1) / 65536);
    return (bits >> 16 & 1) != 0 ? size : -size;
  };
  static const std::set<double> reachable = [] {
    std::set<double> all;
    for (int u = 1; u <= 65536; ++u) {
      const double size = -std::log(static_cast<double>(u) / 65536);
      all.insert(size);
      all.insert(-size);
    }
    return all;
  }();
  const auto floats = sampler_of([coarse](bool second, RandomStream& noise) {
    return reachable.contains((second ? kThird : 0) + coarse(noise)) ? 1.0 : 0.0;
  });
  const methods::AuditSampler grid{
      .what = "laplace on a grid", .draw = [](bool second, std::span<double> draws, RandomStream& noise) {
        const privacy::LaplaceMechanism mechanism = privacy::LaplaceMechanism::with_epsilon(
            privacy::Sensitivity::stated(
                privacy::Unit::edge(),
                {.l1 = 1.0, .coordinates = 1, .value = "a number", .argument = "test"}),
            privacy::Epsilon(1));
        privacy::ReleaseLog log;
        const privacy::Secret<std::vector<double>> value(
            std::vector<double>(draws.size(), second ? kThird : 0));
        const std::vector<double> seen = mechanism.release(value, draws.size(), "number", log, noise);
        // The same question of the grid: is it a sum that the first world can reach?
        for (std::size_t i = 0; i < draws.size(); ++i)
          draws[i] = std::fmod(seen[i], mechanism.grid()) == 0 ? 1.0 : 0.0;
      }};
  show({.name = "float noise without a grid",
        .defect =
            "HPGR's code adds floating-point Laplace noise to a floating-point value: which doubles can "
            "come out depends on the value (Mironov 2012)",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(floats, {.epsilon = 1, .delta = 0}, 20000); },
        .healthy_is_caught = [&] { return refutes(grid, {.epsilon = 1, .delta = 0}, 20000); }});
}

}  // namespace
}  // namespace privet::audit::museum
