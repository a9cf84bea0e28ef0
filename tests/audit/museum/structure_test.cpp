#include <algorithm>
#include <cmath>
#include <set>

#include "audit/museum/exhibit.hpp"
#include "core/neighbor_search.hpp"
#include "privet/accounting/gaussian_dp.hpp"

/// What a graph does to a mechanism that was proven for rows.
namespace privet::audit::museum {
namespace {

using testing::gaussian_noise;
using testing::sampler_of;
using Table = std::vector<std::vector<double>>;

constexpr double kDelta = 1e-5;
constexpr std::size_t kNodes = 12;

// A ring with one chord more in the first world.
Table adjacency(bool second) {
  Table a(kNodes, std::vector<double>(kNodes));
  for (std::size_t i = 0; i < kNodes; ++i) a[i][(i + 1) % kNodes] = a[(i + 1) % kNodes][i] = 1;
  if (!second) a[0][5] = a[5][0] = 1;
  return a;
}

std::vector<double> times(const Table& a, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += a[i][j] * x[j];
  }
  return y;
}

double inner(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// The leading eigenvector, by powers of A + 3: the ring's spectrum is symmetric about 0.
std::vector<double> leading(const Table& a) {
  std::vector<double> x(kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) x[i] = 1 + 0.01 * static_cast<double>(i);
  for (int step = 0; step < 400; ++step) {
    std::vector<double> y = times(a, x);
    for (std::size_t i = 0; i < kNodes; ++i) y[i] += 3 * x[i];
    const double size = std::sqrt(inner(y, y));
    for (std::size_t i = 0; i < kNodes; ++i) x[i] = y[i] / size;
  }
  return x;
}

TEST(Museum, ClearSingularVectors) {
  const std::vector<double> known = leading(adjacency(false));
  // What of the released rank-one matrix s u u^T lies outside the first world's vector.
  const auto low_rank = [&](bool second, RandomStream& noise) {
    static const std::vector<double> vectors[] = {leading(adjacency(false)), leading(adjacency(true))};
    const std::vector<double>& u = vectors[second ? 1 : 0];
    const double value = inner(u, times(adjacency(second), u)) + 6.9 * gaussian_noise(noise);
    const double along = inner(u, known);
    return std::abs(value) * std::sqrt(std::max(0.0, 1 - along * along));
  };
  // One noisy hop on a basis that everybody knows: A q, whose rows 0 and 5 move by |q_5| and |q_0|.
  const std::vector<double> basis(kNodes, 1 / std::sqrt(static_cast<double>(kNodes)));
  const double noise_for_one = std::sqrt(2.0 / kNodes) / privacy::gaussian_mu(1, kDelta);
  const auto noisy_hop = [&](bool second, RandomStream& noise) {
    const std::vector<double> sums = times(adjacency(second), basis);
    return sums[0] + sums[5] + noise_for_one * (gaussian_noise(noise) + gaussian_noise(noise));
  };
  show({.name = "Eclipse's clear singular vectors",
        .defect =
            "Eclipse adds noise to singular values and publishes the singular vectors as they are; they "
            "depend on every edge",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(sampler_of(low_rank), {}, 4000); },
        .healthy_is_caught = [&] { return refutes(sampler_of(noisy_hop, true), {}); }});
}

TEST(Museum, LastProductWithoutNoise) {
  const double stddev = std::sqrt(2.0) / privacy::gaussian_mu(1, kDelta);
  // X is released with noise; then the classifier reads A X, and its rows are cached with the model. The
  // healthy one pays for the second product as for the first: half of mu^2 each.
  const auto two_products = [stddev](bool last_is_noisy) {
    return [=](bool second, RandomStream& noise) {
      const Table a = adjacency(second);
      const std::vector<double> ones(kNodes, 1.0);
      const double share = last_is_noisy ? std::sqrt(2.0) : 1;
      std::vector<double> x = times(a, ones);
      for (double& value : x) value = std::clamp(value + share * stddev * gaussian_noise(noise), -1.0, 1.0);
      std::vector<double> y = times(a, x);
      if (last_is_noisy) {
        for (double& value : y) value += share * stddev * gaussian_noise(noise);
      }
      const std::vector<double> known = times(adjacency(true), x);
      return Observation{{"row 0", (y[0] - known[0]) * x[5]}, {"row 5", (y[5] - known[5]) * x[0]}};
    };
  };
  show({.name = "CARIBOU's last product without noise",
        .defect = "CARIBOU's code applies the graph layer once more behind the noise of every hop, without "
                  "noise, and releases that",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(two_products(false), {}); },
        .healthy_is_caught = [&] { return refutes(two_products(true), {}); }});
}

// Node 1 hears of the edge at every hop; node j repeats what node j-1 said a hop before.
TEST(Museum, NormalisedInsteadOfProjected) {
  constexpr int kHops = 12;
  constexpr double kPull = 0.1;
  constexpr double kNoise = 0.01;
  constexpr double kShift = 0.01;
  const auto delay_line = [](bool to_the_sphere) {
    return sampler_of([to_the_sphere](bool second, RandomStream& noise) {
      std::vector<double> state(kHops, 0.0);
      std::vector<double> fresh(kHops * kHops);
      privacy::fill_gaussian(noise, fresh);
      for (int hop = 0; hop < kHops; ++hop) {
        for (int j = kHops - 1; j > 0; --j) {
          const auto at = static_cast<std::size_t>(j);
          state[at] = kPull * state[at - 1] + kNoise * fresh[static_cast<std::size_t>(hop * kHops + j)];
        }
        state[0] = (second ? 0 : kShift) + kNoise * fresh[static_cast<std::size_t>(hop * kHops)];
        for (double& value : state)
          value = to_the_sphere ? (value < 0 ? -1.0 : 1.0) : std::clamp(value, -1.0, 1.0);
      }
      double score = 0;
      double weight = 1;
      for (const double value : state) {
        score += weight * value;
        if (!to_the_sphere) weight *= kPull;
      }
      return score;
    });
  };
  const double mu = std::sqrt(privacy::contraction_factor(kPull, kHops)) * kShift / kNoise;
  const Claim claim{.epsilon = privacy::gaussian_epsilon(mu, kDelta), .delta = kDelta};
  show({.name = "normalisation instead of projection",
        .defect = "rows scaled to norm 1 (GAP's habit) between contractive hops: a sphere is not convex, and "
                  "CARIBOU's amplification holds for projections onto convex sets",
        .instrument = Instrument::two_world,
        .broken_is_caught = [&] { return refutes(delay_line(true), claim, 200000); },
        .healthy_is_caught = [&] { return refutes(delay_line(false), claim, 200000); }});
}

using Edges = std::set<std::pair<std::size_t, std::size_t>>;  // listener, source

// One edge after the other, kept while both ends have room: DP-GNN's Algorithm 2.
Edges kept_in_turn(const Edges& edges, std::size_t most) {
  std::vector<std::size_t> ends(64, 0);
  Edges kept;
  for (const auto& [i, j] : edges) {
    if (i > j || ends[i] >= most || ends[j] >= most) continue;
    ++ends[i];
    ++ends[j];
    kept.insert({i, j});
    kept.insert({j, i});
  }
  return kept;
}

// Everybody cuts its own list, then every source the listeners it has left, both by a public order.
Edges kept_in_two_stages(const Edges& edges, std::size_t most) {
  const auto cut = [most](const Edges& all, bool by_listener) {
    Edges kept;
    for (std::size_t node = 0; node < 64; ++node) {
      std::vector<std::pair<std::size_t, std::pair<std::size_t, std::size_t>>> own;
      for (const auto& edge : all) {
        if ((by_listener ? edge.first : edge.second) != node) continue;
        const std::size_t other = by_listener ? edge.second : edge.first;
        own.push_back({(other * 37 + node * 11) % 61, edge});
      }
      std::ranges::sort(own);
      for (std::size_t k = 0; k < std::min(most, own.size()); ++k) kept.insert(own[k].second);
    }
    return kept;
  };
  return cut(cut(edges, true), false);
}

// How many nodes' kept lists change when one person's record goes, at most, over paths and random graphs.
template <typename Keep>
std::size_t most_changed(Keep keep, std::size_t most, bool own_list_only) {
  SeededStream stream(6);
  std::size_t worst = 0;
  for (int graph = 0; graph < 60; ++graph) {
    const std::size_t nodes = 20;
    Edges all;
    for (std::size_t i = 0; i + 1 < nodes; ++i) {
      for (std::size_t j = i + 1; j < nodes; ++j) {
        const bool joined = graph == 0 ? j == i + 1 : stream.below(5) == 0;
        if (!joined) continue;
        all.insert({i, j});
        all.insert({j, i});
      }
    }
    const std::size_t person = graph == 0 ? 0 : stream.below(nodes);
    Edges without;
    for (const auto& edge : all) {
      const bool goes = edge.first == person || (!own_list_only && edge.second == person);
      if (!goes) without.insert(edge);
    }
    const Edges before = keep(all, most);
    const Edges after = keep(without, most);
    std::set<std::size_t> changed;
    for (const auto& edge : before) {
      if (!after.contains(edge)) changed.insert(edge.first);
    }
    for (const auto& edge : after) {
      if (!before.contains(edge)) changed.insert(edge.first);
    }
    worst = std::max(worst, changed.size());
  }
  return worst;
}

TEST(Museum, UnstableDegreeBounding) {
  constexpr std::size_t kMost = 1;
  show({.name = "unstable degree bounding",
        .defect =
            "DP-GNN's Algorithm 2 keeps edges while there is room: who goes frees a place, which blocks "
            "another, along the whole path (claimed: K + 1 subgraphs change)",
        .instrument = Instrument::sensitivity_search,
        .broken_is_caught = [] { return most_changed(kept_in_turn, kMost, false) > kMost + 1; },
        // One record of one's own changes at most 1 + K_out + K_in lists.
        .healthy_is_caught = [] { return most_changed(kept_in_two_stages, kMost, true) > 1 + 2 * kMost; }});
}

TEST(Museum, LapGraphOnANormalisedMatrix) {
  using namespace privacy::testing;  // NOLINT(google-build-using-namespace)
  const auto moved = [](bool normalised) {
    const Query query = [normalised](const World& world, std::size_t) {
      std::vector<double> upper;
      for (std::size_t i = 0; i < world.nodes; ++i) {
        for (std::size_t j = i + 1; j < world.nodes; ++j) {
          const double degrees = static_cast<double>(world.row_sum(i) * world.row_sum(j));
          upper.push_back(!world.has(i, j) ? 0 : (normalised ? 1 / std::sqrt(degrees) : 1));
        }
      }
      return upper;
    };
    return search_all(5, privacy::Unit::edge(), {.rows = {{1.0}}}, query, Norm::l1).largest;
  };
  show({.name = "LapGraph on a normalised matrix",
        .defect =
            "LinkTeller's loader hands Cora over normalised: noise for entries that change by 1 is added "
            "to D^-1/2 A D^-1/2, where one edge changes its neighbours' entries too",
        .instrument = Instrument::sensitivity_search,
        .broken_is_caught = [&] { return moved(true) > 1 + 1e-9; },
        .healthy_is_caught = [&] { return moved(false) > 1 + 1e-9; }});
}

}  // namespace
}  // namespace privet::audit::museum
