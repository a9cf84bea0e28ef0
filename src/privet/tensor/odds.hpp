#pragma once

#include <cstddef>
#include <span>

namespace privet::tensor {

/// How the evidence for a link turns what was known before into what is known after. With v the number known
/// before and `ratio` the likelihood of the evidence with the link over that without,
///
///     after = v ratio / (1 + v (ratio - subtract)),
///
/// where v is a probability (subtract = 1) or odds (subtract = 0). v is first brought into [least, most],
/// the result into [0, 1].
struct EvidenceRule {
  float ratio = 1;
  float subtract = 1;
  float least = 0;
  float most = 1;

  [[nodiscard]] float apply(float before) const {
    const float v = before < least ? least : (before > most ? most : before);
    const float after = v * ratio / (1 + v * (ratio - subtract));
    return after < 0 ? 0 : (after > 1 ? 1 : after);
  }
};

/// Kernels for rows of numbers about links, compiled for every instruction set and picked at run time; each
/// works on one thread, for callers that divide tiles among threads.

/// out[j] = sum over a of factors[a] * columns[a * stride + j].
void combine_row(std::span<const float> factors, const float* columns, std::size_t stride,
                 std::span<float> out);

/// Every number of the row by the rule; `ratios`, one for each number, take the place of the rule's own
/// unless there are none.
void apply_evidence(const EvidenceRule& rule, std::span<const float> ratios, std::span<float> row);

/// Both: what the rule makes of the sums.
void combine_and_apply(std::span<const float> factors, const float* columns, std::size_t stride,
                       const EvidenceRule& rule, std::span<const float> ratios, std::span<float> out);

/// How many numbers of the row are above `bound`.
std::size_t count_above(std::span<const float> row, float bound);

/// Sum over j of 1 / (values[j] + shift), to about 1e-6 of itself.
double sum_of_reciprocals(float shift, std::span<const float> values);

}  // namespace privet::tensor
