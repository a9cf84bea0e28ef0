#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "privet/accounting/accountant.hpp"
#include "privet/accounting/quantities.hpp"
#include "privet/base/options.hpp"
#include "privet/base/random.hpp"
#include "privet/core/protected_dataset.hpp"
#include "privet/core/release.hpp"
#include "privet/core/rigor.hpp"
#include "privet/learn/audit_sampler.hpp"
#include "privet/learn/model.hpp"
#include "privet/nn/network.hpp"

namespace privet::methods {

/// What the user asks of a method.
struct Request {
  privacy::Unit unit;
  privacy::Rigor rigor = privacy::Rigor::kStrict;
  std::optional<privacy::Epsilon> epsilon = {};  ///< empty: no privacy is asked for
  privacy::Delta delta;
  /// To replay what a paper's published code does instead of what the paper says: paper rigor only, refused
  /// by every method that has nothing to replay (see Method::replays_published_defects). No epsilon is ever
  /// printed for it, not even a claimed one, and no model of it can be saved.
  bool published_defects = false;

  [[nodiscard]] bool wants_privacy() const { return epsilon.has_value() && unit.protects_anything(); }
};

/// InvalidArgument unless there is a finite epsilon; `without` is what trains without privacy, for the
/// message.
void require_budget(const Request& request, const std::string& method,
                    const std::string& without = "the unit none");

/// What a method will do with the privacy of its data, worked out before any data is opened.
struct Plan {
  privacy::Event event = {};                    ///< what everything it releases costs together
  std::vector<std::string> assumptions = {};    ///< on which the guarantee rests, for the certificate
  std::vector<std::string> failed_claims = {};  ///< of the paper, in `paper` rigor; empty in a sound plan
  std::optional<double> claimed_epsilon = {};   ///< of a plan that is not sound
  /// The same releases under another unit that readers ask about, for the certificate: the relationship
  /// beside the local bit. The cost of `event` counts under the unit of the request.
  std::optional<std::pair<std::string, privacy::Event>> other_unit = {};
  std::string claimed_by = "none";                                ///< the accountant of that claim
  std::vector<std::pair<std::string, std::string>> numbers = {};  ///< for the reader: noise, steps, rates
  /// Numbers that are bounds: the runner puts them before the others if no claim fails, else nowhere.
  std::vector<std::pair<std::string, std::string>> bounds = {};
};

/// What one run may draw from and writes to.
struct Run {
  RandomStream& stream;  ///< initial weights, order of batches: may be the same in runs that are compared
  RandomStream& noise;   ///< what protects: belongs to this very run, request and data
  privacy::ReleaseLog& log;
};

struct Fit {
  Model model = {};                                ///< its tensors; the runner fills in the rest
  std::uint64_t epochs = 0;                        ///< run, or the equivalent of the private steps
  std::optional<double> validation_accuracy = {};  ///< where the method looked at it
  /// For the reader: what was found out on the way, from public or released numbers alone.
  std::vector<std::pair<std::string, std::string>> findings = {};
};

/// A network that answers for a node from the features of others, at the time of asking, along a graph.
struct MessagePassing {
  nn::Network network;
  nn::Parameters parameters;
  tensor::SparseMatrix adjacency;  ///< weighted, as the network sends along it
};

/// A named set of options: a paper's own settings.
struct Preset {
  std::string name;
  std::string description;
  std::vector<std::string> assignments;  ///< "width=64"
};

/// A way to learn: options, a privacy plan and a fit. One file per method; the registry names them.
///
/// A Method object holds the options of one use. `plan` is pure: it sees the request and public facts and is
/// the one place that decides noise, steps and rates; `fit` runs exactly that plan.
class Method {
 public:
  virtual ~Method();
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string summary() const = 0;
  [[nodiscard]] virtual std::string reference() const = 0;
  /// Units of protection, as --unit spells their kinds: "none", "edge", "node".
  [[nodiscard]] virtual std::vector<std::string> units() const = 0;
  /// "strict", "paper": where both are listed they differ.
  [[nodiscard]] virtual std::vector<std::string> rigors() const { return {"strict"}; }
  [[nodiscard]] virtual std::vector<Preset> presets() const { return {}; }
  /// Whether comparisons run it under the unit `none` where it does not serve theirs: as what could be
  /// reached, or is reached without the graph, if nobody were protected.
  [[nodiscard]] virtual bool is_yardstick() const { return false; }
  /// False where nothing of what its units protect is ever opened: whatever the budget, the outcome is the
  /// same and costs 0. Comparisons run it once for all budgets.
  [[nodiscard]] virtual bool spends_budget() const { return true; }
  /// False where every release is pure epsilon: the bound then holds at any delta, 0 included, and in paper
  /// rigor none is read off the edges.
  [[nodiscard]] virtual bool needs_delta() const { return true; }
  /// Whether it serves Request::published_defects.
  [[nodiscard]] virtual bool replays_published_defects() const { return false; }
  /// Bound to this object: setting an option changes it.
  [[nodiscard]] virtual OptionTable options() = 0;
  /// Options that such a request does not read, and why not: "in paper rigor". Who sets one is told.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> unread_options(
      const Request&) const {
    return {};
  }

  /// InvalidArgument or Unsound, with a way out, for a request that the method can't serve.
  [[nodiscard]] virtual Plan plan(const Request& request, const privacy::PublicFacts& facts) const = 0;
  [[nodiscard]] virtual Fit fit(const Request& request, const privacy::ProtectedDataset& data,
                                Run& run) const = 0;
  /// Scores of every class for every node, one row per node: secret where they are made from what the unit
  /// protects.
  [[nodiscard]] virtual privacy::Guarded<tensor::Matrix> scores(
      const Model& model, const privacy::ProtectedDataset& data) const = 0;

  /// Whether a node's scores are made from what other people hold, without noise: who sees them sees
  /// something of those others, and no guarantee covers that. Certificates and `predict` say so, and under a
  /// unit of protection such a model is not applied to another graph.
  [[nodiscard]] virtual bool answers_read_others() const { return false; }

  /// What `infer` will release: the cost of applying a model to a graph that it was not trained on, worked
  /// out before that graph is opened. Nothing by default, as for every model that needs a row's own features
  /// alone or protects nothing. A method that must look at protected edges again says so here, and throws
  /// InvalidArgument where the request has no budget for it.
  [[nodiscard]] virtual Plan inference_plan(const Request& request, const Model& model,
                                            const privacy::PublicFacts& facts) const;
  /// Whether inference_plan and infer have a published way, with claims of its own; else another graph is
  /// read in strict rigor only.
  [[nodiscard]] virtual bool infers_as_published() const { return false; }
  /// Scores for a graph that the model was not trained on, with releases of its own: exactly those of
  /// inference_plan. By default `scores`.
  ///
  /// The two are apart because a model may hold what was released of its own graph: `scores` reads that,
  /// draws no noise, costs nothing and opens nobody's edges.
  [[nodiscard]] virtual privacy::Guarded<tensor::Matrix> infer(const Request& request, const Model& model,
                                                               const privacy::ProtectedDataset& data,
                                                               Run& run) const;

  /// For audits: the mechanism that shows most of the difference between two worlds, by itself, with the
  /// noise of the plan for this request. None by default: whole runs are then all that can be audited.
  [[nodiscard]] virtual std::optional<AuditSampler> audit_sampler(const Request& request,
                                                                  const privacy::PublicFacts& facts,
                                                                  const AuditPair& pair) const;

  /// For attacks that ask a network with changed features: the network of the model, asked on `graph`. None
  /// by default: such attacks then have `scores` alone.
  [[nodiscard]] virtual std::optional<MessagePassing> message_passing(const Model& model,
                                                                      const graph::Graph& graph) const;
  /// For attacks: the noisy graph that `fit` releases before anything else and learns from, with the same
  /// noise as a fit whose stream `run.noise` is equal. None where a method releases no graph.
  [[nodiscard]] virtual std::optional<graph::Graph> released_graph(const Request& request,
                                                                   const privacy::ProtectedDataset& data,
                                                                   Run& run) const;

  /// Sets the options of the preset; an unknown name is an InvalidArgument with the nearest.
  void use_preset(const std::string& preset);
  /// The options as they stand, name and value.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> current_options();
  /// InvalidArgument unless units() has the kind of the unit.
  void require_unit(const privacy::Unit& unit) const;
  /// Unsound where a model would answer for a protected graph from what other people hold there.
  void require_own_answers(const privacy::Unit& unit) const;
};

}  // namespace privet::methods
