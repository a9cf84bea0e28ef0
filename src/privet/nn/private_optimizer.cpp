#include "privet/nn/private_optimizer.hpp"

#include <stdexcept>

namespace privet::nn {
namespace {

privacy::ClippedSumPlan sum_plan_of(const PrivateTraining& training, const Network& network,
                                    const SumPlan& sums) {
  network.require_separate_examples();
  return {.unit = training.unit,
          .affected = training.affected,
          .clip_norm = privacy::ClipNorm(training.clipping.joint_norm()),
          .noise_multiplier = training.noise_multiplier,
          .sampling = training.sampling,
          .population = training.population,
          .columns = network.parameters(),
          .sum_error = sums.sum_error()};
}

SumPlan sums_of(const PrivateTraining& training) {
  return SumPlan::for_batches_of(privacy::most_members(training.sampling, training.population),
                                 training.sums);
}

}  // namespace

privacy::Event PrivateTraining::event() const {
  return privacy::repeated(privacy::SubsampledGaussianEvent{.sampling = sampling,
                                                            .noise_multiplier = noise_multiplier,
                                                            .added = affected.added,
                                                            .replaced = affected.replaced},
                           steps);
}

PrivateTraining PrivateTraining::with_noise(double multiplier) const {
  PrivateTraining other = *this;
  other.noise_multiplier = multiplier;
  return other;
}

double PrivateTraining::expected_batch() const {
  if (const auto* fixed = std::get_if<privacy::FixedSizeSampling>(&sampling))
    return static_cast<double>(fixed->batch);
  return std::get<privacy::PoissonSampling>(sampling).rate * static_cast<double>(population);
}

PrivateOptimizer::PrivateOptimizer(Network network, PrivateTraining training, const OptimizerOptions& options)
    : network_(std::move(network)),
      training_(std::move(training)),
      sum_plan_(sums_of(training_)),
      mechanism_(sum_plan_of(training_, network_, sum_plan_)),
      optimizer_(options, network_.parameters(), training_.steps),
      room_(GradientRoom{}) {}

void PrivateOptimizer::step(const privacy::Secret<Examples>& examples, Parameters& parameters,
                            const std::string& what, privacy::ReleaseLog& log, RandomStream& stream) {
  if (optimizer_.steps_done() >= training_.steps)
    throw std::logic_error("more private steps than the plan has paid for");
  privacy::SampledBatch batch = mechanism_.draw(stream);
  room_.modify(
      [](GradientRoom& room, const Examples& all, const std::vector<std::uint32_t>& members,
         const Network& network, const Parameters& now, const Clipping& clipping, const SumPlan& plan,
         std::uint64_t seed, std::uint64_t population) {
        const bool fits = all.count() == population;
        clipped_gradient_sum(network, now, all, fits ? std::span(members) : std::span<const std::uint32_t>(),
                             clipping, plan, seed, room);
      },
      examples, batch.members(), network_, parameters, training_.clipping, sum_plan_, stream.bits(),
      training_.population);
  optimizer_.next_step(1 / training_.expected_batch());
  mechanism_.release_sum(
      room_, [](const GradientRoom& room) { return std::span<const float>(room.sum); }, std::move(batch),
      what, log, stream,
      [&](std::size_t first, std::span<const float> noisy_sum) {
        optimizer_.step_piece(first, noisy_sum, parameters.learnt);
      });
  optimizer_.end_step(parameters.learnt);
}

}  // namespace privet::nn
