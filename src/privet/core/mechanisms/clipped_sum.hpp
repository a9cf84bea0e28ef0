#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/core/mechanisms/batch_sampler.hpp"
#include "privet/core/noise/gaussian.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/tensor/matrix.hpp"

namespace privet::privacy {

/// Everything a step of private SGD needs to agree on, said once: the sampler, the clipping, the noise and
/// the event are all made from it.
struct ClippedSumPlan {
  Unit unit;
  AffectedExamples affected;  ///< of the unit: examples_with_one_hop, examples_of_one_record, or a method's
  ClipNorm clip_norm;
  double noise_multiplier;  ///< standard deviation of the noise over clip norm, as the event has it
  Sampling sampling;
  std::uint64_t population;  ///< public number of examples
  std::uint64_t columns;     ///< numbers per example
  /// How far a sum formed elsewhere (release_sum) may be from the exact one, in clip norms: what floating
  /// point costs. Charged for both data sets.
  double sum_error = 0;
};

/// The step of private SGD: draws a batch, scales its rows to norm at most the clip norm, sums, adds noise.
///
///   unit         the plan's
///   sensitivity  (added + 2 replaced) clip norms, of which only the affected examples in the batch count
///   loss         SubsampledGaussianEvent of the plan (docs/privacy/mechanisms.md#clipped-sum)
///
/// Rows are summed in fixed point: each clipped row is rounded towards zero on a public grid, so its norm is
/// at most the clip norm exactly and the sum does not depend on the order. Rows with a number that is not
/// finite count as zero, as if they were not in the batch. An empty batch releases noise. The result is the
/// *sum*: divide by a public number only, never by the size of the batch.
class ClippedSum {
 public:
  /// Who gets a noisy sum, in pieces: `use(first, numbers)` those from `first` on, several pieces at once on
  /// different threads. `near` is what it will want beside them.
  struct Receiver {
    std::function<void(std::size_t first, std::span<const float> numbers)> use;
    NearNumbers near = {};
  };

  /// InvalidArgument where a number of the plan is out of range, Unsound for the unit `none`.
  explicit ClippedSum(const ClippedSumPlan& plan);

  [[nodiscard]] const ClippedSumPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] NoiseStddev stddev() const noexcept { return stddev_; }
  [[nodiscard]] double grid() const noexcept { return grid_; }
  /// What one step costs.
  [[nodiscard]] Event event() const;
  /// InvalidArgument where release_sum could not draw its noise: what rounding so many coordinates under so
  /// much noise costs makes the noise outgrow its grid. For plans: so that nothing is paid for first.
  void require_drawable() const;

  [[nodiscard]] SampledBatch draw(RandomStream& stream) const { return sampler_.draw(stream); }

  /// Row i of `rows` is the example of the i-th member of `batch`; rows beyond the members are not read, and
  /// a matrix of another width counts as empty. The batch must have been drawn under the same sampling
  /// (std::logic_error), and is used up.
  [[nodiscard]] std::vector<double> release(const Secret<tensor::Matrix>& rows, SampledBatch batch,
                                            std::string what, ReleaseLog& log, RandomStream& stream) const;

  /// The same for a sum that has been formed already, from one term of norm at most the clip norm per member
  /// of the batch: for engines that never form the rows. `sum_in` (without captures) finds the sum, of as
  /// many numbers as the plan has columns, within the secret; another length counts as zeros. The caller
  /// answers for the norms, for the plan's sum_error, and that members without an example (those that the
  /// unit adds or removes) leave the sum of the others as it is to the last bit: the accountant counts a
  /// batch of which only such are affected as the batch without them. Rounding to the grid is paid for here.
  /// The noise is larger by 2 sum_error + grid x sqrt(columns) / clip norm, as a share, which full batches
  /// divide by the clip norms that all affected examples move the sum by together.
  template <typename T, typename F>
  void release_sum(const Secret<T>& secret, F sum_in, SampledBatch batch, const std::string& what,
                   ReleaseLog& log, RandomStream& stream, const Receiver& receiver) const {
    static_assert(Captureless<F>, "what finds the sum has no captures");
    require_own(batch);
    const double stddev = logged_stddev(what, log, stream);
    const T* opened = secret.read(opening());
    add_noise(opened == nullptr ? std::span<const float>() : std::span<const float>(sum_in(*opened)), stddev,
              stream, receiver);
  }

  /// The same for a sum that is formed part by part, so that it never lies in memory as a whole:
  /// `write_part(secret, first, part, arguments...)`, without captures, writes the numbers from `first` on to
  /// `part`, which comes as zeros and whose end is within the plan's columns, and nothing else; several parts
  /// at once on different threads. It answers for a sum of another length itself; a part that it fails at
  /// counts as zeros. The arguments are public values that do not change meanwhile: every part is one of the
  /// same sum.
  template <typename T, typename F, typename... Arguments>
  requires(is_plain_value<Arguments>&&...) void release_parts(const Secret<T>& secret, F write_part,
                                                              SampledBatch batch, const std::string& what,
                                                              ReleaseLog& log, RandomStream& stream,
                                                              const Receiver& receiver,
                                                              const Arguments&... arguments) const {
    static_assert(Captureless<F>, "what writes the parts has no captures");
    require_own(batch);
    const double stddev = logged_stddev(what, log, stream);
    const T* opened = secret.read(opening());
    add_noise_to_parts(
        [&](std::size_t first, std::span<float> part) {
          if (opened == nullptr) return;
          try {
            write_part(*opened, first, part, arguments...);
          } catch (...) {  // what it says might be private
            std::ranges::fill(part, 0.0F);
          }
        },
        stddev, stream, receiver);
  }

 private:
  static const Opening& opening();
  void require_own(const SampledBatch& batch) const;
  [[nodiscard]] double charged() const;
  double logged_stddev(const std::string& what, ReleaseLog& log, const RandomStream& stream) const;
  void add_noise(std::span<const float> sum, double stddev, RandomStream& stream,
                 const Receiver& receiver) const;
  // `write` gets zeros.
  void add_noise_to_parts(const std::function<void(std::size_t first, std::span<float> part)>& write,
                          double stddev, RandomStream& stream, const Receiver& receiver) const;
  void write(std::string what, double sensitivity, double stddev, ReleaseLog& log,
             const RandomStream& stream) const;

  ClippedSumPlan plan_;
  NoiseStddev stddev_;
  double grid_;
  BatchSampler sampler_;
};

}  // namespace privet::privacy
