#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "privet/base/sha256.hpp"
#include "privet/core/mechanisms/randomized_response.hpp"
#include "privet/reports/query.hpp"

namespace privet::methods {

/// What the server knows when all have answered: nothing in it is private any more.
struct Reports {
  privacy::BitRows ones;  ///< as told by each client
  std::size_t clusters = 0;
  std::vector<double> degrees;  ///< noisy, nodes x clusters, in neighbours

  [[nodiscard]] std::size_t nodes() const noexcept { return ones.rows(); }
  [[nodiscard]] std::span<const double> degrees_of(std::size_t node) const {
    return std::span(degrees).subspan(node * clusters, clusters);
  }
};

/// The server's end of the messages: takes reports in any order.
class Collector {
 public:
  /// The query is looked at until the reports are taken out.
  Collector(const privacy::LocalQuery& query, const Digest& query_digest);

  /// DataError for bytes that are no answer to the query (report.hpp), or a second and different one of a
  /// client. The same one again changes nothing.
  void add(std::span<const std::byte> message);

  [[nodiscard]] std::size_t received() const noexcept { return received_; }

  /// A client that never answered counts as one whose noisy list is empty and whose degrees are 0.
  [[nodiscard]] Reports take() &&;

 private:
  const privacy::LocalQuery& query_;
  Digest digest_;
  std::size_t received_ = 0;
  std::vector<bool> answered_;
  std::vector<std::vector<graph::NodeId>> ones_;
  std::vector<double> degrees_;
};

/// All messages of a collection.
Reports reports_of(const privacy::LocalQuery& query, const Digest& query_digest,
                   std::span<const std::vector<std::byte>> messages);

}  // namespace privet::methods
