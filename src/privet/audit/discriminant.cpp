#include "privet/audit/discriminant.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

#include "privet/base/error.hpp"

namespace privet::audit {
namespace {

double value_of(const Observation& seen, const std::string& name) {
  const auto found = seen.find(name);
  return found == seen.end() || !std::isfinite(found->second) ? 0 : found->second;
}

}  // namespace

Discriminant::Discriminant(const std::vector<Observation>& first, const std::vector<Observation>& second) {
  if (first.size() < 2 || second.size() < 2) {
    throw InvalidArgument(
        {.what = "too few pilot runs", .where = "audit", .expected = "at least two in each world"});
  }
  std::set<std::string> names;
  for (const auto* world : {&first, &second}) {
    for (const Observation& seen : *world) {
      for (const auto& [name, value] : seen) names.insert(name);
    }
  }
  const auto count = static_cast<Eigen::Index>(names.size());
  const auto fill = [&](const std::vector<Observation>& world) {
    Eigen::MatrixXd rows(static_cast<Eigen::Index>(world.size()), count);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      Eigen::Index j = 0;
      for (const std::string& name : names) rows(i, j++) = value_of(world[static_cast<std::size_t>(i)], name);
    }
    return rows;
  };
  Eigen::MatrixXd one = fill(first);
  Eigen::MatrixXd two = fill(second);
  const Eigen::RowVectorXd mean_one = one.colwise().mean();
  const Eigen::RowVectorXd mean_two = two.colwise().mean();
  one.rowwise() -= mean_one;
  two.rowwise() -= mean_two;
  const double freedom = static_cast<double>(first.size() + second.size() - 2);
  Eigen::MatrixXd covariance = (one.transpose() * one + two.transpose() * two) / freedom;
  // A number that never varies may still differ between the worlds: then it says everything.
  Eigen::VectorXd spread(count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const double size = std::abs(mean_one(j)) + std::abs(mean_two(j));
    spread(j) = std::sqrt(covariance(j, j)) + 1e-9 * size + 1e-300;
  }
  const Eigen::MatrixXd scaled =
      spread.cwiseInverse().asDiagonal() * covariance * spread.cwiseInverse().asDiagonal();
  const double shrink = static_cast<double>(count) / (static_cast<double>(count) + freedom);
  Eigen::MatrixXd correlation = (1 - shrink) * scaled;
  correlation.diagonal().setOnes();
  const Eigen::VectorXd gap = (mean_one - mean_two).transpose().cwiseQuotient(spread);
  const Eigen::VectorXd direction = correlation.ldlt().solve(gap);
  Eigen::Index j = 0;
  for (const std::string& name : names) {
    terms_.push_back({name, direction(j) / spread(j), (mean_one(j) + mean_two(j)) / 2});
    ++j;
  }
  const double variance = direction.dot(correlation * direction);
  separation_ = variance > 0 ? std::abs(direction.dot(gap)) / std::sqrt(variance) : 0;
}

double Discriminant::operator()(const Observation& seen) const {
  double sum = 0;
  for (const Term& term : terms_) sum += term.weight * (value_of(seen, term.name) - term.center);
  return sum;
}

}  // namespace privet::audit
