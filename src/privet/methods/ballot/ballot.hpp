#pragma once

#include "privet/learn/method.hpp"
#include "privet/methods/ballot/ballot_edges.hpp"
#include "privet/methods/ballot/ballot_records.hpp"

namespace privet::methods {

/// Label votes: neighbours vote with their labels, the votes are released once with noise, and a combiner
/// weighs them against what the features say. The method Privet recommends.
///
/// none, edge, directed-edge  features and labels are public: a prior from several networks, one release of
///                            votes, a combiner chosen on validation labels
/// local-edge                 the same, of votes that everybody counts in its own list and tells with noise
/// record, node               everything is protected: a private regression, votes along own lists (record)
///                            or among neighbours (node), a private combiner
///
/// docs/methods/ballot.md has the idea, the proofs and when not to use it.
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
  /// Refused: what was learnt is how to read this graph's votes, and another graph's labels and roles are not
  /// in a model.
  [[nodiscard]] Plan inference_plan(const Request& request, const Model& model,
                                    const privacy::PublicFacts& facts) const override;
  [[nodiscard]] std::optional<AuditSampler> audit_sampler(const Request& request,
                                                          const privacy::PublicFacts& facts,
                                                          const AuditPair& pair) const override;

 private:
  EdgeBallot edges_;
  RecordBallot records_;
};

}  // namespace privet::methods
