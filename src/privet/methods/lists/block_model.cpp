#include "privet/methods/lists/block_model.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"

namespace privet::methods {
namespace {

using privacy::PairReports;

double membership(const privacy::LocalQuery& query, std::size_t node, std::size_t cluster) {
  return query.memberships[node * query.clusters + cluster] / static_cast<double>(privacy::kMembershipSteps);
}

std::vector<double> sums_of_powers(const privacy::LocalQuery& query, int power) {
  std::vector<double> sums(query.clusters);
  for (std::size_t i = 0; i < query.nodes; ++i) {
    for (std::size_t a = 0; a < query.clusters; ++a) sums[a] += std::pow(membership(query, i, a), power);
  }
  return sums;
}

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

struct Estimate {
  double value = 0;
  double variance = 0;
};

Estimate fused(Estimate a, Estimate b) {
  const double weight = b.variance / (a.variance + b.variance);
  return {weight * a.value + (1 - weight) * b.value, weight * a.variance};
}

}  // namespace

LinkStatistics link_statistics(const Reports& reports, const privacy::LocalQuery& query, Fusion fusion) {
  const std::size_t c = query.clusters;
  LinkStatistics result{.clusters = c, .connections = std::vector<double>(c * c), .degrees = {}};
  std::vector<double> told(c * c);
  const bool both = query.asked == PairReports::both_ends;
  result.degrees.reserve(query.nodes);
  for (std::size_t i = 0; i < query.nodes; ++i) {
    const std::span<const double> degrees = reports.degrees_of(i);
    result.degrees.push_back(sum_of(degrees) * (both ? 1 : 2));
    for (std::size_t a = 0; a < c; ++a) {
      const double weight = membership(query, i, a);
      if (weight == 0) continue;
      for (std::size_t b = 0; b < c; ++b) told[a * c + b] += weight * degrees[b];
    }
  }
  const std::vector<double> spread = sums_of_powers(query, fusion == Fusion::by_variance ? 2 : 1);
  for (std::size_t a = 0; a < c; ++a) {
    for (std::size_t b = 0; b < c; ++b) {
      double& entry = result.connections[a * c + b];
      if (!both) {
        entry = told[a * c + b] + told[b * c + a];
      } else if (a == b || spread[a] + spread[b] == 0) {
        entry = told[a * c + b];
      } else {
        entry = (spread[b] * told[a * c + b] + spread[a] * told[b * c + a]) / (spread[a] + spread[b]);
      }
    }
  }
  return result;
}

double connection_variance(const privacy::LocalQuery& query, std::size_t a, std::size_t b) {
  const std::vector<double> squares = sums_of_powers(query, 2);
  const double noise = 2 / (query.degrees_epsilon * query.degrees_epsilon);
  if (query.asked == PairReports::both_ends) {
    return a == b ? noise * squares[a] : noise * squares[a] * squares[b] / (squares[a] + squares[b]);
  }
  return a == b ? 4 * noise * squares[a] : noise * (squares[a] + squares[b]);
}

std::vector<double> smoothed_degrees(const Reports& reports, const privacy::LocalQuery& query, double flip) {
  const std::size_t n = query.nodes;
  const auto size = static_cast<double>(n);
  const bool both = query.asked == PairReports::both_ends;
  const double counted = static_cast<double>(query.clusters) * 2 / std::pow(query.degrees_epsilon, 2);
  // How many bits each node was asked for, and how many others about it.
  std::vector<double> asked_of(n, size - 1);
  std::vector<double> asked_about(n, size - 1);
  if (!both) {
    std::ranges::fill(asked_of, 0);
    for (graph::NodeId i = 0; i < n; ++i) {
      for (graph::NodeId j = i + 1; j < n; ++j) asked_of[privacy::asks(query, i, j) ? i : j] += 1;
    }
    for (std::size_t i = 0; i < n; ++i) asked_about[i] = size - 1 - asked_of[i];
  }
  std::vector<double> told_about(n);
  for (const graph::NodeId j : reports.ones.columns) told_about[j] += 1;
  const double truth = 1 - 2 * flip;
  const auto from_bits = [&](double ones, double bits) {
    return Estimate{(ones - bits * flip) / truth, std::max(bits * flip * (1 - flip) / (truth * truth), 1e-9)};
  };
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += sum_of(reports.degrees_of(i)) * (both ? 1 : 2);
  const double mean = std::max(total / size, 0.1);
  std::vector<Estimate> degrees(n);
  for (std::size_t i = 0; i < n; ++i) {
    Estimate own{sum_of(reports.degrees_of(i)), counted};
    Estimate about{own};
    if (truth > 0) {
      own = fused(own, from_bits(static_cast<double>(reports.ones.row(i).size()), asked_of[i]));
      about = from_bits(told_about[i], asked_about[i]);
    }
    if (both) {
      degrees[i] = truth > 0 ? fused(own, about) : own;
      continue;
    }
    // The half that others tell is like the own half but for how the coins have dealt the neighbours.
    Estimate like_own{own.value, own.variance + mean};
    about = truth > 0 ? fused(like_own, about) : like_own;
    degrees[i] = {own.value + about.value, own.variance + about.variance};
  }
  double variance = 0;
  double noise = 0;
  double average = 0;
  for (const Estimate& one : degrees) average += one.value / size;
  for (const Estimate& one : degrees) {
    variance += std::pow(one.value - average, 2) / size;
    noise += one.variance / size;
  }
  const double spread = std::max(variance - noise, 0.01 * mean * mean);
  std::vector<double> result;
  result.reserve(n);
  for (const Estimate& one : degrees) {
    const double weight = spread / (spread + one.variance);
    result.push_back(std::max(mean + weight * (one.value - mean), 0.1 * mean));
  }
  return result;
}

double BlockModel::at(std::size_t i, std::size_t j) const {
  double sum = 0;
  for (std::size_t a = 0; a < clusters; ++a) {
    double row = 0;
    for (std::size_t b = 0; b < clusters; ++b) row += theta[a * clusters + b] * memberships[j * clusters + b];
    sum += memberships[i * clusters + a] * row;
  }
  return degrees[i] * degrees[j] * sum;
}

double BlockModel::total() const {
  std::vector<double> sums(clusters);
  for (std::size_t i = 0; i < degrees.size(); ++i) {
    for (std::size_t a = 0; a < clusters; ++a) sums[a] += degrees[i] * memberships[i * clusters + a];
  }
  double total = 0;
  for (std::size_t a = 0; a < clusters; ++a) {
    for (std::size_t b = 0; b < clusters; ++b) total += sums[a] * theta[a * clusters + b] * sums[b];
  }
  return total;
}

BlockModel block_model(const LinkStatistics& statistics, const privacy::LocalQuery& query,
                       double most_condition) {
  const std::size_t c = query.clusters;
  const auto size = static_cast<Eigen::Index>(c);
  BlockModel model{.clusters = c,
                   .theta = std::vector<double>(c * c),
                   .degrees = statistics.degrees,
                   .memberships = std::vector<double>(query.nodes * c)};
  Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t i = 0; i < query.nodes; ++i) {
    for (std::size_t a = 0; a < c; ++a) {
      const double own = membership(query, i, a);
      model.memberships[i * c + a] = own;
      if (own == 0) continue;
      for (std::size_t b = 0; b < c; ++b) {
        weights(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) +=
            own * statistics.degrees[i] * membership(query, i, b);
      }
    }
  }
  std::vector<Eigen::Index> used;
  for (Eigen::Index a = 0; a < size; ++a) {
    if (weights(a, a) != 0) used.push_back(a);
  }
  if (used.empty()) return model;
  Eigen::MatrixXd kept = weights(used, used);
  Eigen::MatrixXd connections(kept.rows(), kept.cols());
  for (Eigen::Index a = 0; a < kept.rows(); ++a) {
    for (Eigen::Index b = 0; b < kept.cols(); ++b) {
      connections(a, b) = statistics.connection(static_cast<std::size_t>(used[static_cast<std::size_t>(a)]),
                                                static_cast<std::size_t>(used[static_cast<std::size_t>(b)]));
    }
  }
  if (std::isfinite(most_condition)) {
    const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(kept).eigenvalues();
    const double least = values.minCoeff();
    const double most = values.maxCoeff();
    const double ridge = std::max(0.0, (most - most_condition * least) / (most_condition - 1));
    kept += ridge * Eigen::MatrixXd::Identity(kept.rows(), kept.cols());
  }
  const Eigen::FullPivLU<Eigen::MatrixXd> parts(kept);
  if (!parts.isInvertible()) {
    throw DataError({.what = "the matrix of noisy degrees by clusters can't be inverted",
                     .where = "block model",
                     .remedy = "use strict rigor, or hard clusters"});
  }
  const Eigen::MatrixXd inverse = parts.inverse();
  const Eigen::MatrixXd theta = inverse * connections * inverse;
  for (Eigen::Index a = 0; a < kept.rows(); ++a) {
    for (Eigen::Index b = 0; b < kept.cols(); ++b) {
      model.theta[static_cast<std::size_t>(used[static_cast<std::size_t>(a)]) * c +
                  static_cast<std::size_t>(used[static_cast<std::size_t>(b)])] = theta(a, b);
    }
  }
  return model;
}

}  // namespace privet::methods
