#include "privet/methods/lists/rr.hpp"

#include <fmt/format.h>

#include <cmath>

#include "privet/base/error.hpp"
#include "privet/methods/lists/hpgr.hpp"

namespace privet::methods {

graph::Graph told_graph(const privacy::BitRows& ones, privacy::PairReports asked) {
  if (asked == privacy::PairReports::both_ends) {
    return graph::Graph::from_rows(ones.offsets, ones.columns, graph::Direction::directed, "local reports");
  }
  graph::EdgeList edges;
  for (std::size_t i = 0; i < ones.rows(); ++i) {
    for (const graph::NodeId j : ones.row(i)) edges.add(static_cast<graph::NodeId>(i), j);
  }
  return {ones.rows(), std::move(edges), graph::Direction::undirected, "local reports"};
}

void require_sparse(double epsilon, std::size_t nodes) {
  constexpr double kMost = 1e8;
  const auto n = static_cast<double>(nodes);
  const double expected = n * (n - 1) / 2 / (1 + std::exp(epsilon));
  if (expected <= kMost) return;
  throw InvalidArgument({.what = fmt::format("a response with about {:.2g} pairs told as joined", expected),
                         .where = "local reports",
                         .expected = fmt::format("at most {:.2g}", kMost),
                         .remedy = "use a larger epsilon, or blink or hpgr, which rebuild a sparse graph"});
}

std::string Rr::summary() const { return "locally private lists as they were told, then a network"; }
std::string SymRr::summary() const {
  return "locally private lists, one end of each pair, as they were told, then a network";
}
std::string Rr::reference() const { return "Warner 1965; baseline of Zhu et al. 2023 (Blink)"; }

std::vector<Preset> Rr::presets() const {
  return {{"published",
           "as HPGR runs it: 2 layers of 16, dropout 0.4, Adam 0.001, 500 epochs, validation every 20",
           published_local_settings()}};
}

void Rr::declare(OptionTable&) {}

LocalMethod::Budget Rr::budget(double epsilon, const Shape& shape) const {
  require_sparse(epsilon, shape.nodes);
  return {.bits = epsilon, .degrees = 0};
}

Reconstruction Rr::reconstruct(const Request&, const privacy::LocalQuestion& question, const Reports& reports,
                               RandomStream&) const {
  return {.graph = told_graph(reports.ones, question.query().asked)};
}

}  // namespace privet::methods
