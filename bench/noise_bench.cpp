#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/core/noise/gaussian.hpp"
#include "privet/tensor/fill.hpp"
#include "times.hpp"

namespace privet::tensor {
namespace {

constexpr std::size_t kNumbers = 100000;  // as many as a step of training draws

/// Random numbers on one thread beside the standard library's generator and distribution.
void noise(benchmark::State& state) {
  set_thread_count(1);
  std::vector<float> floats(kNumbers);
  std::vector<std::int32_t> integers(kNumbers);
  std::vector<double> doubles(kNumbers);
  SeededStream stream(3);
  std::mt19937 engine(4);
  std::normal_distribution<float> normal;
  for (auto _ : state) privacy::fill_rounded_gaussian(stream, 1e6, integers);
  const auto [standard, gaussian, laplace, uniform, rounded, few] = bench::times_of(
      50,
      [&] {
        for (float& value : floats) value = normal(engine);
        benchmark::DoNotOptimize(floats.data());
      },
      [&] { fill_gaussian(stream, 1, floats); }, [&] { fill_laplace(stream, 1, floats); },
      [&] { fill_uniform(stream, 0, 1, floats); },
      [&] { privacy::fill_rounded_gaussian(stream, 1e6, integers); },
      [&] {
        for (std::size_t i = 0; i < kNumbers; i += 50) {
          privacy::fill_rounded_gaussian(stream, 1e6, std::span(integers).subspan(i, 50));
        }
      });
  const auto report = [&](const std::string& name, bench::Times times) {
    state.counters[name + "_ns"] = 1e9 * times.best / kNumbers;
    state.counters[name + "_times_faster_than_std"] = standard.best / times.best;
  };
  state.counters["std_ns"] = 1e9 * standard.best / kNumbers;
  report("float_gaussian", gaussian);
  report("float_laplace", laplace);
  report("float_uniform", uniform);
  report("rounded_gaussian", rounded);
  report("rounded_gaussian_50_at_a_time", few);
}
BENCHMARK(noise)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace privet::tensor
