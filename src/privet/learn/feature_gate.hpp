#pragma once

#include <optional>

#include "privet/base/options.hpp"
#include "privet/learn/method.hpp"

namespace privet::methods {

/// The finding of a run in which a gate was asked, and how it begins where the graph answers.
inline constexpr const char* kWhoAnswers = "classifier reads";
inline constexpr const char* kGraphAnswers = "features and graph";

/// Tells it first of all findings: either that, or the features alone, because of `why_not`.
void tell_who_answers(bool graph, const std::string& why_not, Fit& fit);
/// Of gates that compare on validation labels.
inline constexpr const char* kNoBetter = "the graph was no better by a standard error on validation labels";

/// Is what was bought from the graph better than the features alone, which cost nothing? Where edges are
/// protected, features and labels are public, and perceptrons on the features may be asked without noise. Of
/// two that the validation labels can't tell apart the plainer one is kept: a standard error is what a lucky
/// draw is worth. What the graph's release cost stays paid.
class FeatureGate {
 public:
  void declare(OptionTable& table);

  /// Whether there is anything to choose: the rigor is strict, there is a budget and labels are public.
  [[nodiscard]] bool asks(const Request& request) const;

  /// Who answers.
  enum class Reads {
    graph,     ///< the fit
    alike,     ///< the method's own network without the graph: the caller puts it in the fit's place
    features,  ///< the best of three perceptrons, which is in the fit's model (scores_behind_gate)
  };

  /// Learns the perceptrons and compares: the fit has to be better by a standard error. Does nothing unless
  /// it asks, nor without validation nodes.
  ///
  /// `alike`, where it is known, is the validation accuracy of the method's own network without the graph,
  /// trained and chosen as the method does it, which the fit has to beat likewise: otherwise what training
  /// does better than the perceptrons' would count for the graph. Of the two the better one answers.
  Reads ask(const Request& request, const privacy::ProtectedDataset& data, Run& run, Fit& fit,
            std::optional<double> alike = {}) const;

 private:
  bool on_ = true;
};

/// Whether the model reads nothing of the graph: asking it about another one costs nothing.
bool gate_is_closed(const Model& model);

/// Of the perceptron that answers; nothing where something else does.
std::optional<privacy::Guarded<tensor::Matrix>> scores_behind_gate(const Model& model,
                                                                   const privacy::ProtectedDataset& data);

}  // namespace privet::methods
