#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "privet/learn/collector.hpp"
#include "privet/reports/query.hpp"

namespace privet::methods {

/// What is estimated from noisy degree vectors.
struct LinkStatistics {
  std::size_t clusters = 0;
  std::vector<double> connections;  ///< C^T A C, clusters x clusters, symmetric; may be negative
  std::vector<double> degrees;      ///< of every node; may be negative

  [[nodiscard]] double connection(std::size_t a, std::size_t b) const {
    return connections[a * clusters + b];
  }
};

enum class Fusion {
  by_variance,  ///< weights by the variances of soft clusters, sum over i of C_ia^2
  by_size,      ///< by the sizes of the clusters, sum over i of C_ia, as published
};

/// Both ends of a pair count each other: the two estimates of an entry off the diagonal are fused, weighted
/// by the inverse of their variances (Xie et al. 2025, Theorem 2). One end counts the other: what the two
/// sides have counted is added up, and a degree is twice what the node itself has counted.
LinkStatistics link_statistics(const Reports& reports, const privacy::LocalQuery& query, Fusion fusion);

/// The variance of the estimate of an entry of the connection matrix, for degrees with noise of scale
/// 1 / degrees_epsilon and fusion by variance: with s_a the sum of squares of a cluster's memberships
/// 2 s_a s_b / ((s_a + s_b) epsilon^2) off the diagonal and 2 s_a / epsilon^2 on it where both ends report;
/// 2 (s_a + s_b) / epsilon^2 and 8 s_a / epsilon^2 where one does. (The paper has 4 in place of 2 off the
/// diagonal, and sizes in place of squares.)
double connection_variance(const privacy::LocalQuery& query, std::size_t a, std::size_t b);

/// Degrees from everything that was reported: the node's own degree vector, and the bits told by it and about
/// it, each with the weight of its variance, then drawn towards the mean by as much as noise has spread them
/// (an empirical Bayes estimate). All positive.
std::vector<double> smoothed_degrees(const Reports& reports, const privacy::LocalQuery& query, double flip);

/// The degree-corrected block model with mixed memberships (Xie et al. 2025, Algorithm 2): the probability of
/// a link is d_i d_j (C theta C^T)_ij with theta = R^-1 M R^-1, R = C^T diag(d) C. Where every node is in one
/// cluster that is the ordinary model, theta_ab = M_ab / (R_a R_b) (Proposition 1).
struct BlockModel {
  std::size_t clusters = 0;
  std::vector<double> theta;    ///< clusters x clusters
  std::vector<double> degrees;  ///< one per node
  std::vector<double> memberships;

  [[nodiscard]] double at(std::size_t i, std::size_t j) const;
  /// Sum over all pairs of nodes, in both orders and with the diagonal.
  [[nodiscard]] double total() const;
};

/// `most_condition` bounds the condition number of R by a ridge; infinite for none. Clusters without degrees
/// have no links. DataError where R can't be inverted.
BlockModel block_model(const LinkStatistics& statistics, const privacy::LocalQuery& query,
                       double most_condition);

}  // namespace privet::methods
