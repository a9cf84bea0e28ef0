#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "privet/accounting/event.hpp"
#include "privet/base/random.hpp"
#include "privet/core/noise/sparse_coins.hpp"
#include "privet/core/secret.hpp"

namespace privet::privacy {

/// The examples of one step. Who is in a batch, and with Poisson sampling how many, must stay hidden for
/// subsampling to help, so the members are a Secret. A batch can't be copied and is used up by the release
/// made from it: the next step draws its own.
class SampledBatch {
 public:
  SampledBatch(SampledBatch&&) = default;
  SampledBatch& operator=(SampledBatch&&) = default;

  /// Example numbers, ascending, without repeats; possibly none.
  [[nodiscard]] const Secret<std::vector<std::uint32_t>>& members() const noexcept { return members_; }
  [[nodiscard]] const Sampling& sampling() const noexcept { return sampling_; }
  [[nodiscard]] std::uint64_t population() const noexcept { return population_; }

 private:
  friend class BatchSampler;
  SampledBatch(std::vector<std::uint32_t> members, Sampling sampling, std::uint64_t population)
      : members_(std::move(members)), sampling_(sampling), population_(population) {}
  Secret<std::vector<std::uint32_t>> members_;
  Sampling sampling_;
  std::uint64_t population_;
};

/// Draws batches exactly as the event of the same Sampling says.
class BatchSampler {
 public:
  /// `population` is public, from 1 to 2^31 - 1, and for fixed size that of the Sampling; an InvalidArgument
  /// otherwise.
  BatchSampler(Sampling sampling, std::uint64_t population);

  /// Poisson: every example joins with the rate, independently (probabilities right up to a factor 1 +-
  /// SparseCoins::kGapError). Fixed size: every subset of that size is equally likely (Floyd's method,
  /// exact). The draws do not depend on data, and are independent of all other draws.
  [[nodiscard]] SampledBatch draw(RandomStream& stream) const;

 private:
  Sampling sampling_;
  std::uint64_t population_;
  std::optional<SparseCoins> coins_;  // of Poisson sampling
};

/// A number of members that a batch exceeds with probability below 2^-100 (Poisson, by Chernoff's bound), or
/// never (fixed size): for bounds on rounding errors and for buffers.
std::uint64_t most_members(const Sampling& sampling, std::uint64_t population);

}  // namespace privet::privacy
