#include "privet/methods/caribou/caribou_published.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace privet::methods {
namespace {

double published_c(double m) {
  return m > 3 ? m / std::sqrt(m + 1) - m / std::sqrt(m + 2) : 1.5 - 3 / std::sqrt(5.0);
}

}  // namespace

PublishedDegrees degrees_of(const graph::Graph& graph) {
  PublishedDegrees degrees{.least = std::numeric_limits<std::uint64_t>::max(), .most = 0};
  for (std::size_t i = 0; i < graph.nodes(); ++i) {
    const std::uint64_t degree = graph.degree(static_cast<graph::NodeId>(i));
    degrees.least = std::min(degrees.least, degree);
    degrees.most = std::max(degrees.most, degree);
  }
  return graph.nodes() == 0 ? PublishedDegrees{} : degrees;
}

double theorem_4(const privacy::ContractiveLayer& layer, const PublishedDegrees& degrees) {
  const auto m = static_cast<double>(degrees.least);
  return std::sqrt(2.0) * layer.contraction * layer.graph_share *
         (1 / ((m + 1) * (m + 2)) + published_c(m) / std::sqrt(m + 1) + 1 / std::sqrt((m + 1) * (m + 2)));
}

double theorem_5(const privacy::ContractiveLayer& layer, const PublishedDegrees& degrees,
                 std::uint64_t nodes) {
  const auto m = static_cast<double>(degrees.least);
  const auto root = std::sqrt(static_cast<double>(degrees.most));
  const auto n = static_cast<double>(nodes);
  return 1 + (1 - layer.graph_share) * layer.contraction * 2 * n / (n + 1) +
         layer.graph_share * layer.contraction *
             (root / ((m + 1) * (m + 2)) + published_c(m) * root / std::sqrt(m + 1) + 1 / std::sqrt(m + 2));
}

privacy::ContractiveHops published_iteration(const CaribouPlan& plan, const privacy::Unit& unit,
                                             const privacy::PublicFacts& facts,
                                             const PublishedDegrees& degrees) {
  const double moved =
      unit.bounds_degree() ? theorem_5(plan.layer, degrees, facts.nodes) : theorem_4(plan.layer, degrees);
  return privacy::ContractiveHops::with_stddev(
      {.unit = unit, .layer = plan.layer, .hops = plan.hops, .nodes = facts.nodes, .columns = plan.columns},
      privacy::NoiseStddev(std::max(*plan.published_sigma * moved, 1e-12)));
}

std::vector<std::string> caribou_failed_claims(const privacy::Unit& unit) {
  std::vector<std::string> claims = {
      "the noise is sized by the smallest degree of the protected graph: it differs between neighbours, and "
      "its scale alone tells them apart"};
  if (unit.bounds_degree()) {
    claims.emplace_back(
        "Theorem 5 bounds the node's own row by 1 through a projection that comes after the noise; before it "
        "the row moves by up to the residual plus the root of its degree");
    claims.emplace_back(
        "Theorem 5 leaves out the rows of neighbours' neighbours, and neighbours that are joined to each "
        "other");
    claims.emplace_back(
        "the two iterations start from different rows, which Theorem 2 does not allow; it holds for the rows "
        "of others alone, with another sensitivity");
  } else {
    claims.emplace_back(
        "Theorem 4 holds for a smallest degree of both graphs: where the edge goes away from a node of that "
        "degree a hop moves by up to 1.46 times as much (claimed 1 is 1.5, claimed 8 is 12.7)");
  }
  return claims;
}

}  // namespace privet::methods
