#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "privet/graph/dataset.hpp"
#include "privet/learn/method.hpp"
#include "privet/proof/certificate.hpp"
#include "privet/proof/fingerprint.hpp"

namespace privet::methods {

/// One use of a method on one data set: split, protect, plan, fit, measure, certify.
struct RunRequest {
  Request request;
  std::string split = "75/10/15";     ///< see graph/split.hpp
  std::optional<std::uint64_t> seed;  ///< empty: noise from the operating system, not to be drawn again
  bool evaluate = true;               ///< look at the labels of test nodes; listed on the certificate
  bool class_accuracy = false;        ///< figures of each class also where labels are protected; listed too
  bool classes_declared = false;      ///< the list of classes was given, not taken from the data set
  std::string fingerprint;            ///< of the data, blinded
  std::string data_secret = {};       ///< of the data, plain: noise is named by it and it goes nowhere else
  std::string created;                ///< see base/timestamp.hpp
  /// Looks at protected parts that were taken before the run: `prepare` steps in paper rigor.
  std::vector<privacy::UnaccountedUse> unaccounted = {};
  /// Called with the plan before anything is released: where a ledger grants or refuses it (by throwing).
  /// Returns the entry to put on the certificate, if there is one.
  std::function<std::optional<privacy::LedgerAnchor>(const Plan& plan)> reserve = {};
};

struct RunResult {
  std::optional<std::uint64_t> seed;
  std::optional<double> test_accuracy = {};
  /// F1 of the class with the fewest test nodes, the first of several; 0 where nobody is told to be in it.
  /// This and the next are empty where labels are protected and RunRequest::class_accuracy is false.
  std::optional<double> rare_f1 = {};
  /// Of the test nodes of each class; not a number where there are none.
  std::vector<double> class_accuracy = {};
  std::optional<double> validation_accuracy = {};
  std::uint64_t epochs = 0;
  double train_seconds = 0;
  Model model = {};
  privacy::Certificate certificate = {};
  Plan plan = {};
  std::vector<std::pair<std::string, std::string>> findings = {};
};

/// The method's plan for these facts, made before anything is opened. What was looked at `before` without
/// noise fails the guarantee: all that follows depends on it. Nothing to learn from, or nothing to tell
/// apart, is a DataError.
Plan plan_run(const Method& method, const Request& request, const privacy::PublicFacts& facts,
              const std::vector<privacy::UnaccountedUse>& before);

/// Runs it. What was released must cost no more than the plan said and the request allows: anything else is a
/// std::logic_error and no result is returned.
RunResult run_once(Method& method, const graph::Dataset& dataset, const RunRequest& run);

struct InferenceResult {
  privacy::Guarded<tensor::Matrix> scores;
  privacy::Certificate certificate;  ///< says something only where something was asked to be protected
  Plan plan;
};

/// Applies a model to a graph that it was not trained on: plan, reserve, release, certify, as run_once does.
/// Split and evaluation of the request are not read: nobody has a role.
InferenceResult infer_once(Method& method, const Model& model, graph::Dataset dataset, const RunRequest& run);

/// delta = 10^-(decimal digits of n + 2): public, for strict rigor.
privacy::Delta strict_delta(std::size_t nodes);
/// The papers' rule: 10^-(digits of the stored edge entries) for edge units, of the training nodes otherwise.
privacy::Delta paper_delta(const privacy::Unit& unit, std::size_t stored_entries, std::size_t training_nodes);

/// The split of a run. Where the unit protects labels roles are drawn among everybody in strict rigor:
/// whether somebody has a label must not matter.
graph::Split draw_split(const graph::Dataset& dataset, const privacy::Unit& unit, privacy::Rigor rigor,
                        const std::string& text, const std::optional<std::uint64_t>& seed);

}  // namespace privet::methods
