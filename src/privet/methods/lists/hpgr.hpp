#pragma once

#include "privet/methods/lists/local_method.hpp"

namespace privet::methods {

/// HPGR (Xie et al. 2025): every client reports its list by randomised response and how many neighbours it
/// has in each cluster, where clusters are labels and what a perceptron on the features makes of nodes
/// without; the server fits a block model with mixed memberships to the counts and takes it as what is known
/// of each pair before its bits.
///
/// strict  right variances for soft clusters, degrees from everything that was reported, a ridge where
/// clusters
///         can hardly be told apart, probabilities within bounds
/// paper   the published arithmetic: weights by sizes, degrees brought to [1, n], no ridge, no bounds but on
/// the
///         result
class Hpgr final : public LocalMethod {
 public:
  [[nodiscard]] std::string name() const override { return "hpgr"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<Preset> presets() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> unread_options(
      const Request& request) const override;

 protected:
  [[nodiscard]] Budget budget(double epsilon, const Shape& shape) const override;
  [[nodiscard]] Groups groups() const override { return Groups::clusters; }
  [[nodiscard]] double temperature() const override { return temperature_; }
  void declare(OptionTable& table) override;
  [[nodiscard]] std::vector<std::string> options_of_query() const override {
    return {"ratio", "expected_degree", "temperature", "floor"};
  }
  [[nodiscard]] Reconstruction reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                           const Reports& reports, RandomStream& stream) const override;

 private:
  double ratio_ = 0;
  double expected_degree_ = 10;
  double temperature_ = 1;
  double floor_ = 0.05;
};

/// What share of epsilon the degrees should have, by the errors that are predicted for a graph of that mean
/// degree: of the connections of clusters (Theorem 5's bound over the number of entries), and of a pair whose
/// bits are judged by the density alone (the expected posterior mass on the wrong side, over the density). No
/// data are looked at.
double predicted_ratio(double epsilon, std::size_t nodes, std::size_t clusters, double mean_degree);

/// The settings of the published code of HPGR, which its baselines share.
std::vector<std::string> published_local_settings();

}  // namespace privet::methods
