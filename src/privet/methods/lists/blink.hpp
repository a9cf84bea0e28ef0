#pragma once

#include "privet/methods/lists/local_method.hpp"

namespace privet::methods {

/// Blink (Zhu et al. 2023): every client reports its list by randomised response and its degree with Laplace
/// noise; the server takes the beta model of the degrees as what is known of each pair before its bits. Hard,
/// soft and, as `top`, hybrid.
class Blink final : public LocalMethod {
 public:
  [[nodiscard]] std::string name() const override { return "blink"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<Preset> presets() const override;

 protected:
  [[nodiscard]] Budget budget(double epsilon, const Shape& shape) const override;
  [[nodiscard]] Groups groups() const override { return Groups::everybody; }
  void declare(OptionTable& table) override;
  [[nodiscard]] std::vector<std::string> options_of_query() const override { return {"ratio"}; }
  [[nodiscard]] Reconstruction reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                           const Reports& reports, RandomStream& stream) const override;

 private:
  double ratio_ = 0.1;
};

/// The posterior of Blink.
LinkPosterior blink_links(const privacy::LocalQuestion& question, const Reports& reports);

}  // namespace privet::methods
