#include "privet/methods/released/eclipse/eclipse_published.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "privet/base/parallel.hpp"
#include "privet/core/mechanisms/noisy_count.hpp"
#include "privet/core/sensitivity.hpp"
#include "privet/graph/normalize.hpp"
#include "privet/methods/released/low_rank_graph.hpp"
#include "privet/methods/released/released_graph.hpp"
#include "privet/tensor/eigenpairs.hpp"

namespace privet::methods {
namespace {

// Singular vectors (left) and eigenvalues, whose sizes are the singular values and whose signs tell the right
// vectors from the left.
using Spectrum = std::pair<tensor::Matrix, std::vector<double>>;

Spectrum spectrum(const graph::Graph& graph, std::uint64_t rank) {
  tensor::Eigenpairs pairs = tensor::leading_eigenpairs(graph::plain_adjacency(graph), rank);
  pairs.values.resize(rank);
  tensor::Matrix vectors(graph.nodes(), rank);
  for (std::size_t i = 0; i < vectors.rows(); ++i)
    std::ranges::copy(pairs.vectors.row(i), vectors.row(i).begin());
  return {std::move(vectors), std::move(pairs.values)};
}

std::vector<double> sizes(const Spectrum& spectrum) {
  std::vector<double> all;
  for (const double value : spectrum.second) all.push_back(std::abs(value));
  return all;
}

// U diag(singular values, cut off at 0), with the signs that make the other factor U.
tensor::Matrix scaled(const tensor::Matrix& vectors, const std::vector<double>& values,
                      const std::vector<double>& singular) {
  tensor::Matrix result = vectors;
  for (std::size_t i = 0; i < result.rows(); ++i) {
    for (std::size_t j = 0; j < result.columns(); ++j)
      result(i, j) *= static_cast<float>(std::copysign(std::max(0.0, singular[j]), values[j]));
  }
  return result;
}

double count_epsilon(const PublishedEclipse& published, const Request& request) {
  return published.count_share * request.epsilon->value();
}

// The entry in which the two graphs differ.
graph::Edge changed_edge(const graph::Graph& first, const graph::Graph& second) {
  for (graph::NodeId i = 0; i < first.nodes(); ++i) {
    for (const graph::NodeId j : first.neighbors(i))
      if (!second.has_entry(i, j)) return {i, j};
    for (const graph::NodeId j : second.neighbors(i))
      if (!first.has_entry(i, j)) return {i, j};
  }
  return {};
}

struct World {
  Spectrum spectrum;
  std::int64_t edges = 0;
};

}  // namespace

double published_eclipse_stddev(double epsilon, double delta) {
  return std::sqrt(2 * std::log(1.25 / delta)) * std::numbers::sqrt2 / epsilon;
}

privacy::GaussianMechanism published_eclipse_noise(const PublishedEclipse& published,
                                                   const Request& request) {
  const double epsilon = (1 - published.count_share) * request.epsilon->value();
  return privacy::GaussianMechanism::with_stddev(
      privacy::Sensitivity::stated(
          request.unit, {.l2 = std::numbers::sqrt2,
                         .each = 1,
                         .coordinates = published.rank,
                         .value = "singular values of the adjacency matrix",
                         .argument = "Hoffman, Wielandt 1953: at most the Frobenius norm of the difference"}),
      privacy::NoiseStddev(published_eclipse_stddev(epsilon, request.delta.value())));
}

graph::Graph published_eclipse_graph(const PublishedEclipse& published, const Request& request,
                                     const privacy::ProtectedDataset& data, Run& run) {
  if (!request.unit.protects_anything()) {
    const Spectrum known = spectrum(data.graph.visible(), published.rank);
    return graph_of_largest(scaled(known.first, known.second, sizes(known)), known.first,
                            data.graph.visible().edges());
  }
  const std::uint64_t count = released_edge_count(data, request.unit, count_epsilon(published, request), run);
  const privacy::Secret<Spectrum> secret = data.graph.secret().map(&spectrum, published.rank);
  const std::vector<double> singular =
      published_eclipse_noise(published, request)
          .release(secret.map(&sizes), published.rank, "largest singular values", run.log, run.noise);
  const Spectrum clear = privacy::declassify(
      secret, "singular vectors of the adjacency matrix",
      "the published algorithm takes them for public; they are functions of every edge", run.log);
  return graph_of_largest(scaled(clear.first, clear.second, singular), clear.first, count);
}

AuditSampler published_eclipse_sampler(const PublishedEclipse& published, const Request& request,
                                       const AuditPair& pair) {
  const auto world = [&](const graph::Graph& graph) {
    return World{spectrum(graph, published.rank), static_cast<std::int64_t>(graph.edges())};
  };
  const auto worlds = std::make_shared<const std::pair<World, World>>(world(pair.first), world(pair.second));
  const graph::Edge edge = changed_edge(pair.first, pair.second);
  const auto nodes = static_cast<double>(pair.first.nodes());
  // What a draw costs goes with the square of the nodes.
  const double affordable = 8e10 / std::max(1.0, nodes * nodes * static_cast<double>(published.rank) / 2);
  return {
      .what = "whether the changed edge is in the released graph",
      .most_draws = static_cast<std::uint64_t>(std::clamp(affordable, 100.0, 2000.0)),
      .draw = [published, request, worlds, edge](bool second, std::span<double> draws, RandomStream& noise) {
        const World& here = second ? worlds->second : worlds->first;
        const privacy::GaussianMechanism mechanism = published_eclipse_noise(published, request);
        const std::unique_ptr<RandomStream> base = noise.fork("draws", noise.bits());
        parallel_for(draws.size(), 1, [&](std::size_t begin, std::size_t end) {
          for (std::size_t k = begin; k < end; ++k) {
            const std::unique_ptr<RandomStream> own = base->fork("draw", k);
            privacy::ReleaseLog log;
            const std::int64_t count = privacy::noisy_count(
                privacy::Secret<std::int64_t>(here.edges),
                privacy::edge_count_sensitivity(request.unit, graph::Direction::undirected),
                privacy::Epsilon(count_epsilon(published, request)), "count", log, *own);
            const std::vector<double> singular =
                mechanism.release(privacy::Secret<std::vector<double>>(sizes(here.spectrum)), published.rank,
                                  "singular values", log, *own);
            const auto enough = static_cast<std::uint64_t>(std::max<std::int64_t>(0, count));
            const std::uint64_t before =
                rank_of_entry(scaled(here.spectrum.first, here.spectrum.second, singular),
                              here.spectrum.first, edge.from, edge.to, enough);
            draws[k] = before < enough ? 1 : 0;
          }
        });
      }};
}

}  // namespace privet::methods
