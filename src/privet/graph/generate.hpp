#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "privet/base/options.hpp"
#include "privet/graph/dataset.hpp"

namespace privet::graph {

/// Graphs with known truth. Every generator takes its options and a seed; the same seed gives the same bytes
/// on any number of threads. Time is linear in the nodes, the edges made and the features made.

/// Stochastic block model: `classes` classes of equal size (to one node); pairs inside a class are joined
/// with one probability, other pairs with another, chosen so that the expected degree is `mean_degree` and
/// the expected share of edges inside classes is `homophily`. No features.
struct SbmOptions {
  std::uint64_t nodes = 1000;
  std::uint64_t classes = 2;
  double mean_degree = 10;
  double homophily = 0.8;
};
/// The two probabilities that these options stand for.
struct SbmProbabilities {
  double inside = 0;
  double across = 0;
};
SbmProbabilities sbm_probabilities(const SbmOptions& options);
Dataset make_sbm(const SbmOptions& options, std::uint64_t seed);

/// Contextual stochastic block model on an arc (DPDGC, appendix K): two classes of n/2, edges with
/// probability (d +- lambda sqrt(d)) / n, features sqrt(mu/n) v u + Z/sqrt(f), with lambda = sqrt(1+e)
/// sin(phi pi/2) and mu = sqrt((1+e) n/f) cos(phi pi/2). phi = 0 puts all information in the features, 1 and
/// -1 in the graph.
struct CsbmOptions {
  std::uint64_t nodes = 10000;
  std::uint64_t features = 200;
  double mean_degree = 10;
  double phi = 0.5;
  double arc = 3.25;
};
Dataset make_csbm(const CsbmOptions& options, std::uint64_t seed);

/// Degree-corrected stochastic block model that looks like a social network. Node i has a weight w_i from a
/// Pareto law with tail `exponent`, cut at `max_weight` times the smallest; the number of meetings of i and j
/// is Poisson with mean w_i w_j B[class i][class j], and they are joined if it is not zero. B is scaled so
/// that the expected number of meetings is nodes x mean_degree / 2, a share `homophily` of them inside
/// classes. Features are bags of words: each node draws words, a share `signal` of them from its class's own
/// `topic_words`, the rest from all; or, with `dense`, Gaussian numbers of variance 1 around `signal` times
/// the centre of their class. Where `train` is not 0 there is a split "public" that takes nodes at random.
struct DcsbmOptions {
  std::string like = "none";  ///< what the other numbers are set to at first: dcsbm_like
  std::uint64_t nodes = 4000;
  std::uint64_t classes = 5;
  double imbalance = 2;  ///< largest class over smallest
  double mean_degree = 15;
  double homophily = 0.8;
  double exponent = 2.5;
  double max_weight = 100;
  std::uint64_t features = 500;
  double mean_words = 20;
  double signal = 0.2;
  std::uint64_t topic_words = 60;
  bool dense = false;
  std::uint64_t train = 0;
  std::uint64_t validation = 0;
};
/// Numbers of nodes, edges, features and classes, sizes of the split and share of edges inside classes of a
/// public graph that is too large to be kept at hand: "ogbn-arxiv", "ogbn-products", "ogbn-mag" (Hu et al.
/// 2020, papers that cite papers alone); "none" is the default. Its degrees and features are not those of the
/// graph.
DcsbmOptions dcsbm_like(const std::string& like);
Dataset make_dcsbm(const DcsbmOptions& options, std::uint64_t seed);

/// Chains (IGNN; CARIBOU section 6): `chains` directed paths per class; only the first node of a chain
/// carries its class, one-hot in the first features. The data set has the undirected paths in `graph`, the
/// raw ones in `directed_graph`, and a split "public"; those of CARIBOU's four sizes also its own split,
/// "published".
struct ChainsOptions {
  std::uint64_t classes = 2;
  std::uint64_t chains = 20;
  std::uint64_t length = 10;
  std::uint64_t features = 100;
  std::uint64_t train = 20;
  std::uint64_t validation = 100;
  std::uint64_t test = 200;
};
Dataset make_chains(const ChainsOptions& options, std::uint64_t seed);

/// A generator as the command line knows it.
struct Generator {
  std::string name;
  std::string description;
  /// What can be set, with the defaults.
  std::function<std::vector<OptionTable::Option>()> options;
  /// Makes the data set from "name=value" assignments.
  std::function<Dataset(std::span<const std::string> assignments, std::uint64_t seed)> make;
};

const std::vector<Generator>& generators();
/// By name; an unknown one gets the nearest.
const Generator& find_generator(std::string_view name);

}  // namespace privet::graph
