#include <benchmark/benchmark.h>

#include "privet/accounting/calibration.hpp"
#include "privet/accounting/pld.hpp"

namespace privet::privacy {
namespace {

Event private_sgd(double rate, double multiplier, std::uint64_t steps, std::uint64_t added,
                  std::uint64_t replaced) {
  return repeated(SubsampledGaussianEvent{PoissonSampling{rate}, multiplier, added, replaced}, steps);
}

// The question that calibration asks dozens of times: rate 0.01, multiplier 1, 1000 steps.
void pld_private_sgd(benchmark::State& state) {
  const Event event = private_sgd(0.01, 1, 1000, 1, 0);
  for (auto _ : state) benchmark::DoNotOptimize(pld_epsilon(event, 1e-5));
}
BENCHMARK(pld_private_sgd)->Unit(benchmark::kMillisecond);

// The noise for epsilon 1 at delta 1e-5.
void calibrate_private_sgd(benchmark::State& state) {
  const Plan plan = [](double noise) { return private_sgd(0.01, noise, 1000, 1, 0); };
  for (auto _ : state) benchmark::DoNotOptimize(calibrate(plan, Epsilon(1), Delta(1e-5)));
}
BENCHMARK(calibrate_private_sgd)->Unit(benchmark::kMillisecond);

// One null node among seven replaced neighbours: many shifts to every dot.
void pld_group(benchmark::State& state) {
  const Event event = private_sgd(0.11, 16, 500, 1, 7);
  for (auto _ : state) benchmark::DoNotOptimize(pld_epsilon(event, 1e-6));
}
BENCHMARK(pld_group)->Unit(benchmark::kMillisecond);

void pld_many_steps(benchmark::State& state) {
  const Event event = private_sgd(0.01, 1, 10'000'000, 1, 0);
  for (auto _ : state) benchmark::DoNotOptimize(pld_epsilon(event, 1e-5));
}
BENCHMARK(pld_many_steps)->Unit(benchmark::kMillisecond);

void pld_private_sgd_delta(benchmark::State& state) {
  const Event event = private_sgd(0.01, 1, 1000, 1, 0);
  for (auto _ : state) benchmark::DoNotOptimize(pld_delta(event, 1.8));
}
BENCHMARK(pld_private_sgd_delta)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace privet::privacy
