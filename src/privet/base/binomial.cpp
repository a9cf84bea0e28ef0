#include "privet/base/binomial.hpp"

#include <fmt/format.h>

#include <boost/math/special_functions/beta.hpp>

#include "privet/base/error.hpp"

namespace privet {
namespace {

void require_counts(std::uint64_t hits, std::uint64_t draws, double doubt) {
  if (hits > draws) {
    throw InvalidArgument(
        {.what = fmt::format("{} hits of {} draws", hits, draws), .where = "binomial bound"});
  }
  if (!(doubt > 0 && doubt < 1)) {
    throw InvalidArgument({.what = fmt::format("doubt {}", doubt),
                           .where = "binomial bound",
                           .expected = "a probability between 0 and 1"});
  }
}

}  // namespace

double probability_at_least(std::uint64_t hits, std::uint64_t draws, double doubt) {
  require_counts(hits, draws, doubt);
  if (hits == 0) return 0;
  return boost::math::ibeta_inv(static_cast<double>(hits), static_cast<double>(draws - hits) + 1, doubt);
}

double probability_at_most(std::uint64_t hits, std::uint64_t draws, double doubt) {
  require_counts(hits, draws, doubt);
  if (hits == draws) return 1;
  // The upper tail by its own inverse: 1 - doubt would lose the digits of a small doubt.
  return boost::math::ibetac_inv(static_cast<double>(hits) + 1, static_cast<double>(draws - hits), doubt);
}

double binomial_tail(std::uint64_t hits, std::uint64_t draws, double probability) {
  if (hits == 0) return 1;
  if (hits > draws) return 0;
  return boost::math::ibeta(static_cast<double>(hits), static_cast<double>(draws - hits) + 1, probability);
}

double binomial_mass(std::uint64_t hits, std::uint64_t draws, double probability) {
  if (hits > draws) return 0;
  // ibeta_derivative(a, b, x) is the density of the beta distribution: mass(k) = density(k+1, n-k+1) / (n+1).
  return boost::math::ibeta_derivative(static_cast<double>(hits) + 1, static_cast<double>(draws - hits) + 1,
                                       probability) /
         (static_cast<double>(draws) + 1);
}

}  // namespace privet
