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
  return SumPlan::for_batches_of(privacy::most_members(training.sampling, training.population), training.sums,
                                 training.rows);
}

// Float32 above the norm, so that no clipped layer is longer than 1 in it.
std::vector<float> own_norms(const Clipping& clipping, const Network& network) {
  std::vector<float> norms;
  if (!clipping.in_own_norms) return norms;
  std::size_t group = 0;
  for (std::size_t i = 0; i < network.layers(); ++i) {
    std::size_t size = 0;
    for (const Layer::Array& array : network.layer(i).arrays()) size += array.rows * array.columns;
    if (size == 0) continue;
    norms.insert(norms.end(), size, static_cast<float>(clipping.norms.at(group++)));
  }
  return norms;
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

void require_trainable(const Network& network, const PrivateTraining& training) {
  privacy::ClippedSum(sum_plan_of(training, network, sums_of(training))).require_drawable();
}

PrivateOptimizer::PrivateOptimizer(Network network, PrivateTraining training, const OptimizerOptions& options)
    : network_(std::move(network)),
      training_(std::move(training)),
      sum_plan_(sums_of(training_)),
      mechanism_(sum_plan_of(training_, network_, sum_plan_)),
      optimizer_(options, network_.parameters(), training_.steps),
      own_norms_(own_norms(training_.clipping, network_)),
      room_(GradientRoom{}) {}

void PrivateOptimizer::step(const privacy::Secret<Examples>& examples, Parameters& parameters,
                            const std::string& what, privacy::ReleaseLog& log, RandomStream& stream) {
  if (training_.sums == SumIn::stars) throw std::logic_error("a plan for stars, and rows to learn from");
  step_on(examples, parameters, what, log, stream);
}

void PrivateOptimizer::step(const privacy::Secret<StarExamples>& examples, Parameters& parameters,
                            const std::string& what, privacy::ReleaseLog& log, RandomStream& stream) {
  if (training_.sums != SumIn::stars) throw std::logic_error("stars need a plan for stars");
  step_on(examples, parameters, what, log, stream);
}

template <typename SomeExamples>
void PrivateOptimizer::step_on(const privacy::Secret<SomeExamples>& examples, Parameters& parameters,
                               const std::string& what, privacy::ReleaseLog& log, RandomStream& stream) {
  if (optimizer_.steps_done() >= training_.steps)
    throw std::logic_error("more private steps than the plan has paid for");
  privacy::SampledBatch batch = mechanism_.draw(stream);
  room_.modify(
      [](GradientRoom& room, const SomeExamples& all, const std::vector<std::uint32_t>& members,
         const Network& network, const Parameters& now, const Clipping& clipping, const SumPlan& plan,
         std::uint64_t seed, std::uint64_t population) {
        const bool fits = all.count() == population;
        clipped_gradient(network, now, all, fits ? std::span(members) : std::span<const std::uint32_t>(),
                         clipping, plan, seed, room);
      },
      examples, batch.members(), network_, parameters, training_.clipping, sum_plan_, stream.bits(),
      training_.population);
  optimizer_.next_step(1 / training_.expected_batch());
  const auto step_piece = [&](std::size_t first, std::span<const float> noisy_sum) {
    if (own_norms_.empty()) {
      optimizer_.step_piece(first, noisy_sum, parameters.learnt);
      return;
    }
    std::vector<float> scaled(noisy_sum.begin(), noisy_sum.end());
    for (std::size_t j = 0; j < scaled.size(); ++j) scaled[j] *= own_norms_[first + j];
    optimizer_.step_piece(first, scaled, parameters.learnt);
  };
  mechanism_.release_parts(room_, &gradient_part, std::move(batch), what, log, stream,
                           {.use = step_piece, .near = optimizer_.touched(parameters.learnt)}, network_);
  optimizer_.end_step(parameters.learnt);
}

}  // namespace privet::nn
