#pragma once

#include "privet/methods/lists/local_method.hpp"

namespace privet::methods {

/// DPRR (Hidano and Murakami 2022; as Blink has it): of the ones that a client has told only so many are
/// kept, at random, that about its noisy degree remains. A degree below 0 counts as 0 (in the published code
/// a very negative one keeps everything).
class Dprr final : public LocalMethod {
 public:
  [[nodiscard]] std::string name() const override { return "dprr"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<Preset> presets() const override;

 protected:
  [[nodiscard]] Budget budget(double epsilon, const Shape& shape) const override;
  [[nodiscard]] Groups groups() const override { return Groups::everybody; }
  [[nodiscard]] bool keeps_directions() const override { return true; }
  void declare(OptionTable& table) override;
  [[nodiscard]] std::vector<std::string> options_of_query() const override { return {"ratio"}; }
  [[nodiscard]] Reconstruction reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                           const Reports& reports, RandomStream& stream) const override;

 private:
  double ratio_ = 0.1;
};

}  // namespace privet::methods
