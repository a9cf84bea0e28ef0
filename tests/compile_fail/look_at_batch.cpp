// expect: has no member named 'size'
#include "privet/core/mechanisms/batch_sampler.hpp"

using namespace privet::privacy;

int main() {
  privet::SeededStream stream(1);
  const SampledBatch batch = BatchSampler(PoissonSampling{0.5}, 10).draw(stream);
#ifdef FORBIDDEN
  return batch.members().size() > 0 ? 1 : 0;
#else
  (void)batch.members().map([](const std::vector<std::uint32_t>& members) { return members.size(); });
#endif
}
