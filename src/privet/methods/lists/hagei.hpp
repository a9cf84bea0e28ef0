#pragma once

#include "privet/methods/lists/local_method.hpp"

namespace privet::methods {

/// HAGEI, as HPGR compares with it: reports as for HPGR with hard clusters; a pair is believed in by how much
/// each of the two favours the other's cluster, scaled so that a node has as many neighbours in a cluster as
/// it has counted. (From the compiled code that HPGR ships: the formula in HPGR's text has a product where
/// the code adds, and leaves out the scaling.) As scaled, a pair's two directions differ: in paper rigor they
/// are two numbers, as there, in strict rigor their mean.
class Hagei final : public LocalMethod {
 public:
  [[nodiscard]] std::string name() const override { return "hagei"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<Preset> presets() const override;

 protected:
  [[nodiscard]] Budget budget(double epsilon, const Shape& shape) const override;
  [[nodiscard]] Groups groups() const override { return Groups::clusters; }
  void declare(OptionTable& table) override;
  [[nodiscard]] std::vector<std::string> options_of_query() const override { return {"ratio"}; }
  [[nodiscard]] Reconstruction reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                           const Reports& reports, RandomStream& stream) const override;

 private:
  double ratio_ = 0.1;
};

/// Whose scaling the number of a pair has: that of its first node, of its second, or the mean of both.
enum class ScaledBy { first, second, mean };

/// What HAGEI believes of each pair before its bits: the sum of the two favours, scaled.
class HageiPrior final : public LinkPrior {
 public:
  HageiPrior(const Reports& reports, const privacy::LocalQuery& query, ScaledBy scaled_by);
  [[nodiscard]] std::size_t nodes() const override { return clusters_.size(); }
  void row(std::size_t i, std::size_t first, std::span<float> out) const override;
  [[nodiscard]] float at(std::size_t i, std::size_t j) const override;

 private:
  ScaledBy scaled_by_;
  std::vector<std::uint32_t> clusters_;
  tensor::Matrix favour_;  // clusters x nodes
  tensor::Matrix scale_;
};

}  // namespace privet::methods
