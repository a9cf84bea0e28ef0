#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace privet::methods {

/// The beta model: nodes i and j are joined with odds x_i x_j, and the expected degrees are those given.
/// Blink (Zhu et al. 2023) takes it as what is known of a graph from its noisy degrees.
///
/// Returns x, by the fixed-point map x_i <- d_i / sum over j != i of 1 / (1 / x_j + x_i) from x = 1, applied
/// `iterations` times or until nothing moves by more than 1e-6 of itself. Degrees are first brought to
/// [1, n - 2]. Memory goes with the nodes; nothing n x n is stored.
std::vector<double> beta_model(std::span<const double> degrees, std::uint64_t iterations = 200);

}  // namespace privet::methods
