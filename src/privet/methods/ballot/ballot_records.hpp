#pragma once

#include <cstdint>
#include <vector>

#include "privet/core/mechanisms/clipped_sum.hpp"
#include "privet/core/mechanisms/gaussian.hpp"
#include "privet/core/mechanisms/votes.hpp"
#include "privet/learn/method.hpp"
#include "privet/learn/private_regression.hpp"

namespace privet::methods {

/// Ballot where whole people are protected, features and labels included: docs/methods/ballot.md.
///
/// A small part of the budget buys a first, noisy look at the votes. If it promises little, all the rest goes
/// to a regression on the features; if much, the rest is shared by regression, votes, and a combiner. Either
/// way the same total is spent.
struct RecordBallot {
  RegressionOptions regression;
  double list_bound = 1;          ///< squared weights of one person's list, at most (unit record)
  double combiner_share = 0.1;    ///< of the training nodes, that hear votes and teach the combiner
  double least_usefulness = 1.0;  ///< of the votes, for them to be used
  std::uint64_t combiner_steps = 60;
  double combiner_rate = 0.03;
};

/// Everything that is released, decided before any data is opened: sums, noise and events are made from this.
struct RecordBallotPlan {
  privacy::Sensitivity votes_sensitivity;
  privacy::GaussianMechanism pilot_votes;
  privacy::GaussianMechanism pilot_usefulness;  ///< of one number, whose terms are within +-pilot_bound
  double pilot_bound;
  nn::PrivateTraining regression_alone;  ///< where the votes are not used
  nn::PrivateTraining regression;        ///< where they are
  privacy::GaussianMechanism votes;
  privacy::ClippedSumPlan combiner;  ///< of one step
  std::uint64_t combiner_steps;
  double mu;  ///< of everything together

  /// Both ways cost the same; this is the costlier in the last digit.
  [[nodiscard]] privacy::Event event() const;
  [[nodiscard]] privacy::Event event_with_votes() const;
  [[nodiscard]] privacy::Event event_without_votes() const;
};

/// Refuses, before anything is paid for, noise that could not be drawn.
void require_drawable(const RecordBallotPlan& plan, const privacy::PublicFacts& facts);

RecordBallotPlan plan_records(const RecordBallot& options, const Request& request,
                              const privacy::PublicFacts& facts);
Plan describe_records(const RecordBallotPlan& plan, const privacy::Unit& unit);
Fit fit_records(const RecordBallot& options, const Request& request, const privacy::ProtectedDataset& data,
                Run& run);
privacy::Guarded<tensor::Matrix> record_scores(const Model& model, const privacy::ProtectedDataset& data);

}  // namespace privet::methods
