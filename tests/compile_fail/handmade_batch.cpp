// expect: is private within this context
#include "privet/core/mechanisms/batch_sampler.hpp"

using namespace privet::privacy;

int main() {
  privet::SeededStream stream(1);
#ifdef FORBIDDEN
  const SampledBatch batch({0, 1}, PoissonSampling{0.5}, 10);
#else
  const SampledBatch batch = BatchSampler(PoissonSampling{0.5}, 10).draw(stream);
#endif
  return batch.population() == 10 ? 0 : 1;
}
