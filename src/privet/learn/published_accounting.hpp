#pragma once

#include <cstdint>
#include <vector>

namespace privet::methods {

/// The accountants of the published code of GAP and DPDGC (and of the baselines in them), number for number:
/// what `paper` rigor calibrates with and claims. Nothing here is a guarantee; no strict plan reads it.
///
/// All parts of a method share one noise multiplier sigma. Parts that are Gaussian noise alone are accounted
/// for exactly; as soon as private SGD is among them Renyi divergences are added up, converted by the tight
/// conversion over real orders. Between integer orders log moments are interpolated in a line.

/// How a step of private SGD draws its batch, and what the code believes that one person changes.
enum class PublishedBatches {
  poisson,     ///< GAP: one example there or not; noise sigma clip norms
  fixed_size,  ///< DPDGC: one example another; noise 2 sigma clip norms (Wang, Balle, Kasiviswanathan 2019)
  subgraphs,   ///< SAGE-NDP: max_degree + 1 subgraphs are others; noise 2 (max_degree + 1) sigma clip norms
};

/// One private training: floor(epochs x population / batch) steps. A batch larger than the population is an
/// InvalidArgument: the published code then finds a cost that is not a number, and trains without noise.
struct PublishedTraining {
  PublishedBatches batches = PublishedBatches::poisson;
  std::uint64_t population = 0;  ///< training nodes
  std::uint64_t batch = 0;
  std::uint64_t epochs = 0;
  std::uint64_t max_degree = 0;  ///< of subgraphs

  [[nodiscard]] std::uint64_t steps() const;
};

/// All that a published method does with its data.
struct PublishedPlan {
  std::vector<PublishedTraining> trainings = {};
  std::uint64_t gaussians = 0;  ///< releases with noise of sigma times what is taken for their sensitivity
};

/// The epsilon that the published code claims at a multiplier.
double published_epsilon(const PublishedPlan& plan, double sigma, double delta);

/// The multiplier that it trains with, to one part in 10^7. Unsound where there is none: never 0, as the
/// published calibration answers when its search fails.
double published_sigma(const PublishedPlan& plan, double epsilon, double delta);

}  // namespace privet::methods
