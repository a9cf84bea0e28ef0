// expect: use of deleted function
#include <utility>

#include "privet/core/mechanisms/clipped_sum.hpp"

using namespace privet::privacy;

int main() {
  const ClippedSum sum({.unit = Unit::edge(),
                        .affected = {.added = 0, .replaced = 2},
                        .clip_norm = ClipNorm(1),
                        .noise_multiplier = 1,
                        .sampling = PoissonSampling{0.5},
                        .population = 10,
                        .columns = 1});
  privet::SeededStream stream(1);
  ReleaseLog log;
  SampledBatch batch = sum.draw(stream);
  const Secret<privet::tensor::Matrix> rows{privet::tensor::Matrix(0, 1)};
#ifdef FORBIDDEN
  return sum.release(rows, batch, "step", log, stream).empty() ? 1 : 0;
#else
  return sum.release(rows, std::move(batch), "step", log, stream).empty() ? 1 : 0;
#endif
}
