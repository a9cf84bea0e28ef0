#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/mechanisms/geometric.hpp"
#include "privet/core/mechanisms/votes.hpp"
#include "privet/learn/fold_prior.hpp"
#include "privet/learn/method.hpp"
#include "privet/methods/ballot/ballot_local.hpp"

namespace privet::methods {

/// Ballot where edges are protected and features and labels are public: docs/methods/ballot.md.
struct EdgeBallot {
  FoldOptions prior;
  std::string tuning = "auto";   ///< of the prior's dropout
  std::string sharing = "auto";  ///< who hears an edge
  std::string noise = "auto";    ///< of the votes: Laplace, but for 2 hops
  double heard = 0.98;           ///< weight with which an unlabeled end hears a labeled one, where shared
  std::uint64_t hops = 1;
  std::uint64_t rounds = 0;    ///< 0: by the labeled share
  double expected_degree = 0;  ///< guesses of the user, 0 where there are none
  double expected_homophily = 0;
};

/// What is released, decided before any edge is opened: the rule for the votes and one mechanism per release
/// (a hop or a round). The event, the noise and the sums are all made from this.
struct EdgeBallotPlan {
  privacy::VoteRule rule;  ///< without its key, which is drawn later and may be any
  privacy::Term term;
  std::vector<graph::NodeId> combiner_rows = {};
  std::uint64_t rounds = 1;  ///< each carries what nodes answer after those before it; they are averaged
  std::uint64_t hops = 1;    ///< each carries what nodes heard in the one before
  /// One of these three, or none where nothing is protected. With Gaussian noise ballots are centred rows of
  /// norm 1; with Laplace noise shares of the classes, which add up to 1.
  std::optional<privacy::GaussianMechanism> gaussian = {};
  std::optional<privacy::GeometricMechanism> laplace = {};
  std::optional<LocalVotes> local = {};  ///< lists stay with their owners

  [[nodiscard]] privacy::Event event() const;
  [[nodiscard]] std::uint64_t looks() const { return rounds * hops; }
  /// Of the noise on what is heard of one class, after all rounds; 0 where nothing is protected.
  [[nodiscard]] double stddev() const;
};

EdgeBallotPlan plan_edges(const EdgeBallot& options, const Request& request,
                          const privacy::PublicFacts& facts, RandomStream& stream);

Plan describe_edges(const EdgeBallot& options, const EdgeBallotPlan& plan, const privacy::PublicFacts& facts);
Fit fit_edges(const EdgeBallot& options, const Request& request, const privacy::ProtectedDataset& data,
              Run& run);
/// The votes' own sums on both graphs, for rows of votes that are all alike.
AuditSampler edge_votes_sampler(const EdgeBallotPlan& plan, const AuditPair& pair);
tensor::Matrix edge_scores(const EdgeBallot& options, const Model& model,
                           const privacy::ProtectedDataset& data);

}  // namespace privet::methods
