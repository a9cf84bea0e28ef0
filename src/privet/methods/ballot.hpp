#pragma once

#include "privet/methods/ballot_edges.hpp"
#include "privet/methods/method.hpp"

namespace privet::methods {

/// Label votes: neighbours vote with their labels, the votes are released once with noise, and a combiner
/// weighs them against what the features say. The method Privet recommends.
///
/// edge, directed-edge  features and labels are public: docs/methods/ballot.md
class Ballot final : public Method {
 public:
  Ballot();
  [[nodiscard]] std::string name() const override { return "ballot"; }
  [[nodiscard]] std::string summary() const override;
  [[nodiscard]] std::string reference() const override;
  [[nodiscard]] std::vector<std::string> units() const override;
  [[nodiscard]] OptionTable options() override;
  [[nodiscard]] Plan plan(const Request& request, const privacy::PublicFacts& facts) const override;
  [[nodiscard]] Fit fit(const Request& request, const privacy::ProtectedDataset& data,
                        Run& run) const override;
  [[nodiscard]] privacy::Guarded<tensor::Matrix> scores(const Model& model,
                                                        const privacy::ProtectedDataset& data) const override;

 private:
  EdgeBallot edges_;
};

}  // namespace privet::methods
