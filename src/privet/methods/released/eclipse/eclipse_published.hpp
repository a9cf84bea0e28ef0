#pragma once

#include <cstdint>
#include <optional>

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/learn/audit_sampler.hpp"
#include "privet/learn/method.hpp"

namespace privet::methods {

/// Eclipse as published (Algorithm 1), for paper rigor: the adjacency matrix is cut down to its `rank`
/// largest singular values, these get Gaussian noise, and the largest entries of what they make with the
/// *exact* singular vectors are the graph, as many as a noisy count says.
///
/// Noisy singular values protect an edge: ||s(A) - s(A')||_2 <= ||A - A'||_F = sqrt 2 (Hoffman, Wielandt
/// 1953). Singular vectors without noise do not: they are functions of every edge, and the released graph
/// tells them.
struct PublishedEclipse {
  std::uint64_t rank = 20;
  double count_share = 0.01;  ///< of epsilon, for the count of the edges
};

/// sqrt(2 ln(1.25 / delta)) sqrt(2) / epsilon: the classic calibration, proven for epsilon below 1.
double published_eclipse_stddev(double epsilon, double delta);

/// What its singular values are released with; the rest of the release goes through declassify.
privacy::GaussianMechanism published_eclipse_noise(const PublishedEclipse& published, const Request& request);

/// The graph. Without noise under the unit none: the rank alone is cut.
graph::Graph published_eclipse_graph(const PublishedEclipse& published, const Request& request,
                                     const privacy::ProtectedDataset& data, Run& run);

/// Whether the changed edge is in the released graph, by the mechanism's own steps: the singular vectors of
/// both worlds are worked out once, then every draw has fresh singular values and a fresh count.
AuditSampler published_eclipse_sampler(const PublishedEclipse& published, const Request& request,
                                       const AuditPair& pair);

}  // namespace privet::methods
