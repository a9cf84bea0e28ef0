#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/base/random.hpp"
#include "privet/graph/graph.hpp"
#include "privet/learn/model.hpp"
#include "privet/tensor/matrix.hpp"

namespace privet::methods {

/// From what features say (a prior) and what released votes say to scores of the classes. Everything here is
/// post-processing of public or released numbers: any number of ways may be tried on the validation labels,
/// where those are public, and the best taken.

/// One way: scores = prior B + phi(votes) M + b, phi = [v, tanh v, softmax 2v] of each block of the votes,
/// plus a small network on all of these where it has one. Without votes M is empty.
struct Combiner {
  std::string name;
  bool uses_votes = false;
  double vote_scale = 1;               ///< votes are multiplied by this first
  std::size_t blocks = 1;              ///< the votes are so many matrices side by side
  tensor::Matrix prior_weights = {};   ///< B
  tensor::Matrix vote_weights = {};    ///< M
  tensor::Matrix offsets = {};         ///< b, one row
  tensor::Matrix hidden_weights = {};  ///< of the network: [prior, phi] x hidden; empty where there is none
  tensor::Matrix hidden_offsets = {};  ///< one row
  tensor::Matrix output_weights = {};  ///< hidden x classes

  [[nodiscard]] tensor::Matrix scores(const tensor::Matrix& prior, const tensor::Matrix& votes) const;
};

void store(const Combiner& combiner, const std::string& prefix, Model& model);
Combiner restore_combiner(const std::string& prefix, const Model& model, std::size_t vote_columns);

/// What a combiner is fitted to.
struct CombinerData {
  const tensor::Matrix& prior;        ///< log-probabilities, honest on `rows`
  const tensor::Matrix& whole_prior;  ///< of one network; not honest on training rows, for comparison
  const tensor::Matrix& votes;        ///< released
  std::size_t blocks;
  const std::vector<std::int32_t>& labels;
  const std::vector<graph::NodeId>& rows;        ///< to fit on
  const std::vector<graph::NodeId>& validation;  ///< to choose on
  /// Column c of every block speaks for class c: a candidate with one number per block is tried too
  /// (tied_votes.hpp).
  bool tied = false;
  /// Whether one that reads the votes without the prior is tried too: a prior that a handful of nodes have
  /// taught may be worse than none.
  bool alone = false;
  /// What the best candidate with votes has to be for the best one without not to be taken.
  enum class Votes {
    clearly_better,  ///< by a standard error of the paired difference
    better,          ///< by anything
    taken,           ///< nothing: as published methods do
  } when = Votes::clearly_better;
};

struct Choice {
  Combiner combiner;
  bool whole = false;         ///< the combiner reads the whole prior instead of the honest one
  std::string without_votes;  ///< name of the best candidate that has none
  double gain = 0;            ///< of the best candidate with votes over the best without, per node
  double standard_error = 0;  ///< of that gain
};

/// Fits every candidate and takes the one with the least validation loss. Candidates with votes are taken
/// only if they beat the best one without (`when`); every kind of candidate with votes but for `alone` has a
/// twin without, so that the votes and nothing else make the difference.
Choice choose_combiner(const CombinerData& data, RandomStream& stream);

}  // namespace privet::methods
