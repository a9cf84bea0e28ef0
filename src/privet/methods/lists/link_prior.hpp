#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "privet/methods/lists/block_model.hpp"
#include "privet/tensor/matrix.hpp"
#include "privet/tensor/odds.hpp"

namespace privet::methods {

/// basis core basis^T: a matrix of few columns and a small symmetric one.
struct PriorFactors {
  const tensor::Matrix& basis;  ///< nodes x rank
  const tensor::Matrix& core;   ///< rank x rank
};

/// What is believed of every pair of nodes i < j before its bits are looked at: the upper triangle of a
/// matrix that is never stored, asked for by pieces of rows.
class LinkPrior {
 public:
  virtual ~LinkPrior();
  [[nodiscard]] virtual std::size_t nodes() const = 0;
  /// Whether the numbers are odds, p / (1 - p), instead of probabilities p.
  [[nodiscard]] virtual bool odds() const { return false; }
  /// Columns [first, first + out.size()) of row i.
  virtual void row(std::size_t i, std::size_t first, std::span<float> out) const = 0;
  /// The same, with the rule applied to each number, by ratios of their own if there are any.
  virtual void row_by_rule(std::size_t i, std::size_t first, const tensor::EvidenceRule& rule,
                           std::span<const float> ratios, std::span<float> out) const;
  [[nodiscard]] virtual float at(std::size_t i, std::size_t j) const = 0;
  /// The matrix in factors, if it has any; valid while the prior lives.
  [[nodiscard]] virtual std::optional<PriorFactors> factors() const { return {}; }
};

/// For factors of few columns: the block model, and the beta model in odds.
class LowRankPrior final : public LinkPrior {
 public:
  explicit LowRankPrior(const BlockModel& model);
  /// x x^T as odds.
  explicit LowRankPrior(std::span<const double> odds_factors);

  [[nodiscard]] std::size_t nodes() const override { return left_.rows(); }
  [[nodiscard]] bool odds() const override { return odds_; }
  void row(std::size_t i, std::size_t first, std::span<float> out) const override;
  void row_by_rule(std::size_t i, std::size_t first, const tensor::EvidenceRule& rule,
                   std::span<const float> ratios, std::span<float> out) const override;
  [[nodiscard]] float at(std::size_t i, std::size_t j) const override;
  [[nodiscard]] std::optional<PriorFactors> factors() const override { return {{columns_, core_}}; }

 private:
  // left right
  bool odds_ = false;
  tensor::Matrix left_;     // nodes x rank
  tensor::Matrix right_;    // rank x nodes, for rows
  tensor::Matrix columns_;  // nodes x rank, the same for single pairs
  tensor::Matrix core_;     // left = columns core
};

/// The same number for every pair.
class ConstantPrior final : public LinkPrior {
 public:
  ConstantPrior(std::size_t nodes, float probability) : nodes_(nodes), probability_(probability) {}
  [[nodiscard]] std::size_t nodes() const override { return nodes_; }
  void row(std::size_t i, std::size_t first, std::span<float> out) const override;
  [[nodiscard]] float at(std::size_t, std::size_t) const override { return probability_; }

 private:
  std::size_t nodes_;
  float probability_;
};

}  // namespace privet::methods
