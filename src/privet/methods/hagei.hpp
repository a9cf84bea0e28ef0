#pragma once

#include "privet/methods/local/local_method.hpp"

namespace privet::methods {

/// HAGEI, as HPGR compares with it: reports as for HPGR with hard clusters; a pair is believed in by how much
/// each of the two favours the other's cluster, scaled so that a node has as many neighbours in a cluster as
/// it has counted. (From the compiled code that HPGR ships: the formula in HPGR's text has a product where
/// the code adds, and leaves out the scaling.)
class Hagei final : public LocalMethod {
 public:
  [[nodiscard]] std::string name() const override { return "hagei"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<Preset> presets() const override;

 protected:
  [[nodiscard]] Budget budget(double epsilon, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Groups groups() const override { return Groups::clusters; }
  void declare(OptionTable& table) override;
  [[nodiscard]] Reconstruction reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                           const Reports& reports, RandomStream& stream) const override;

 private:
  double ratio_ = 0.1;
};

/// What HAGEI believes of each pair before its bits; of the two directions, whose numbers differ, the mean.
class HageiPrior final : public LinkPrior {
 public:
  HageiPrior(const Reports& reports, const privacy::LocalQuery& query);
  [[nodiscard]] std::size_t nodes() const override { return clusters_.size(); }
  void row(std::size_t i, std::size_t first, std::span<float> out) const override;
  [[nodiscard]] float at(std::size_t i, std::size_t j) const override;

 private:
  std::vector<std::uint32_t> clusters_;
  tensor::Matrix favour_;  // of node i for cluster b
  tensor::Matrix scale_;
};

}  // namespace privet::methods
