#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "privet/accounting/quantities.hpp"
#include "privet/base/random.hpp"
#include "privet/core/mechanisms/geometric.hpp"
#include "privet/core/mechanisms/randomized_response.hpp"
#include "privet/core/release.hpp"
#include "privet/core/secret.hpp"
#include "privet/reports/query.hpp"

namespace privet::privacy {

/// A query that has been checked, with the mechanisms that answer it: made once, used by any number of
/// clients.
class LocalQuestion {
 public:
  /// InvalidArgument where the query is not sound (query.hpp).
  explicit LocalQuestion(LocalQuery query);

  [[nodiscard]] const LocalQuery& query() const noexcept { return query_; }
  [[nodiscard]] const Digest& query_digest() const noexcept { return digest_; }
  [[nodiscard]] const Digest& pairing() const noexcept { return pairing_; }
  /// None where bits, or degrees, are not asked for.
  [[nodiscard]] const std::optional<RandomizedResponse>& bits() const noexcept { return bits_; }
  [[nodiscard]] const std::optional<GeometricMechanism>& degrees() const noexcept { return degrees_; }
  /// 1/2 where no bits are asked for: they would tell nothing.
  [[nodiscard]] double flip_probability() const { return bits_ ? bits_->flip_probability() : 0.5; }

 private:
  LocalQuery query_;
  Digest digest_;
  Digest pairing_;
  std::optional<RandomizedResponse> bits_;
  std::optional<GeometricMechanism> degrees_;
};

/// One user: its list of neighbours, and what it has told of it. The trusted core of the local protocol; it
/// needs nothing but a query and a random stream.
///
///   unit         local-edge: one bit of the list
///   sensitivity  one bit; the degrees by one membership in L1
///   loss         bits_epsilon + degrees_epsilon for every different query (Xie et al. 2025, Theorem 1)
///
/// A query is answered once. Asked again the client repeats the same bytes: fresh noise would average out. A
/// different query, in whatever it differs, is a new charge; one that the allowance does not cover is
/// refused (BudgetExceeded), and nothing is told. The first pairing it hears (pair key and ranks) is its only
/// one: under another the two ends of a relationship might both be asked, each within its allowance.
class LocalClient {
 public:
  /// `neighbors` is a set: order, repeats and the user's own id leave no trace. `allowance` is what one bit
  /// of the list may cost over the client's life.
  LocalClient(graph::NodeId own, Secret<std::vector<graph::NodeId>> neighbors, Epsilon allowance,
              std::unique_ptr<RandomStream> stream);

  /// The encoded report (report.hpp). InvalidArgument where the query knows of no such user.
  const std::vector<std::byte>& answer(const LocalQuestion& question);

  [[nodiscard]] double spent() const noexcept { return spent_; }
  [[nodiscard]] const ReleaseLog& log() const noexcept { return log_; }

 private:
  graph::NodeId own_;
  Secret<std::vector<graph::NodeId>> neighbors_;
  double allowance_;
  double spent_ = 0;
  std::unique_ptr<RandomStream> stream_;
  ReleaseLog log_;
  std::optional<Digest> pairing_;
  std::map<Digest, std::vector<std::byte>> answers_;
};

}  // namespace privet::privacy
