#pragma once

#include "privet/methods/lists/rr.hpp"

namespace privet::methods {

/// L-DPGCN (Zhu et al. 2023, after DPGCN of Wu et al. 2022): every client adds Laplace noise to each bit of
/// its list, and the server keeps as many of the pairs with the largest sums as there seem to be edges.
///
/// Clients answer by randomised response, from which the server draws the noisy numbers themselves
/// (laplace_values.hpp): the graph has the published distribution, and messages and time go with the ones
/// that were told and the pairs that are kept. Where one end of each pair is asked the largest numbers are
/// those of pairs told as joined, in no order that says anything: as many as there seem to be are kept at
/// random.
class LDpgcn final : public Rr {
 public:
  [[nodiscard]] std::string name() const override { return "l-dpgcn"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;

 protected:
  [[nodiscard]] bool keeps_directions() const override { return false; }
  [[nodiscard]] Reconstruction reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                           const Reports& reports, RandomStream& stream) const override;
};

/// Of pairs told by both ends, those with the largest sums of bits with Laplace noise: as many as all of the
/// noisy bits, added up and halved, make, but none whose sum is below LaplaceValues::kLowest.
graph::Graph largest_sums(const Reports& reports, double flip, RandomStream& stream);
/// Of pairs told by one end as joined, as many at random as joined pairs are expected behind them.
graph::Graph expected_pairs(const Reports& reports, double flip, RandomStream& stream);

}  // namespace privet::methods
