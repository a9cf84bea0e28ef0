#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "privet/accounting/conversion.hpp"
#include "privet/learn/collector.hpp"

namespace privet::methods {

/// The bits told about each pair of nodes: of pairs i < j those with at least one 1, by the row of i. The
/// rest were told as 0 as often as they were asked about.
class Evidence {
 public:
  /// `flip` is the probability with which every bit was flipped; 1/2 where none were asked for.
  Evidence(const Reports& reports, privacy::PairReports asked, double flip);

  struct Told {
    std::uint32_t other_and_mark;
    [[nodiscard]] std::uint32_t other() const { return other_and_mark & ~kTwice; }
    [[nodiscard]] unsigned ones() const { return 1 + other_and_mark / kTwice; }
  };

  [[nodiscard]] std::size_t nodes() const noexcept { return offsets_.size() - 1; }
  /// Of the pairs (i, j) with j > i, ascending.
  [[nodiscard]] std::span<const Told> row(std::size_t i) const {
    return std::span(told_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  /// Likelihood of `ones` ones where the nodes are joined over that where they are not.
  [[nodiscard]] double ratio(unsigned ones) const;
  [[nodiscard]] double flip() const noexcept { return flip_; }

 private:
  static constexpr std::uint32_t kTwice = 0x80000000U;
  unsigned reports_;  // of a pair
  double flip_;
  std::vector<std::uint64_t> offsets_;
  std::vector<Told> told_;
};

}  // namespace privet::methods
