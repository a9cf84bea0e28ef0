#pragma once

#include <cstdint>
#include <vector>

#include "privet/learn/method.hpp"
#include "privet/reports/client.hpp"
#include "privet/tensor/matrix.hpp"

namespace privet::methods {

/// Ballot's votes from lists that never leave their owners (unit `local-edge`): everybody counts how much of
/// each class its own neighbours are and tells the counts with noise, once. A row of votes depends on its
/// owner's list alone, so nobody has to be trusted to add them up, and all of epsilon goes to the counts.
///
///   unit         local-edge: one bit of one list; where one end of a pair is asked, an undirected edge too
///   sensitivity  one membership in L1 (docs/privacy/local.md)
///   loss         epsilon, pure
struct LocalVotes {
  double epsilon = 0;
  privacy::PairReports asked = privacy::PairReports::one_end;
  std::vector<std::uint8_t> ranks = {};  ///< the lower is asked; none: by a hash of the pair
  std::uint64_t pair_key = 0;

  /// What it costs, before any data are there.
  [[nodiscard]] privacy::LocalQuery bare() const;
  /// Of the noise on one count.
  [[nodiscard]] double stddev() const;
};

/// The votes of everybody's neighbours, centred as ballots are, from the shares of the classes in each
/// node's ballot.
tensor::Matrix local_votes(const LocalVotes& votes, const tensor::Matrix& class_shares,
                           const privacy::ProtectedDataset& data, Run& run);

}  // namespace privet::methods
