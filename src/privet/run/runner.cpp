#include "privet/run/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "privet/base/error.hpp"
#include "privet/base/version.hpp"
#include "privet/graph/split.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

std::unique_ptr<RandomStream> stream_of(const std::optional<std::uint64_t>& seed) {
  if (seed) return std::make_unique<SeededStream>(*seed);
  return std::make_unique<SecureStream>();
}

double accuracy_of(const tensor::Matrix& scores, const std::vector<std::int32_t>& labels,
                   const std::vector<graph::Role>& roles, graph::Role role) {
  std::vector<std::int32_t> counted(labels);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (roles[i] != role) counted[i] = graph::kUnlabeled;
  }
  return nn::accuracy(scores, counted);
}

// Of test nodes, by class.
struct Confusion {
  std::vector<double> right;
  std::vector<double> there;  // of the class
  std::vector<double> told;   // to be in it

  [[nodiscard]] double rare_f1() const {
    std::size_t rare = there.size();
    for (std::size_t c = there.size(); c-- > 0;) {
      if (there[c] > 0 && (rare == there.size() || there[c] <= there[rare])) rare = c;
    }
    return rare == there.size() ? std::nan("") : 2 * right[rare] / (there[rare] + told[rare]);
  }
};

// What is measured of scores and labels on the test nodes.
using Measure = std::vector<double> (*)(const tensor::Matrix& scores, const std::vector<std::int32_t>& labels,
                                        const std::vector<graph::Role>& roles, std::size_t classes);

std::vector<double> test_accuracy(const tensor::Matrix& scores, const std::vector<std::int32_t>& labels,
                                  const std::vector<graph::Role>& roles, std::size_t /*classes*/) {
  return {accuracy_of(scores, labels, roles, graph::Role::test)};
}

// F1 of the rarest class, then the accuracy on each class.
std::vector<double> class_figures(const tensor::Matrix& scores, const std::vector<std::int32_t>& labels,
                                  const std::vector<graph::Role>& roles, std::size_t classes) {
  std::vector<std::int32_t> found(scores.rows());
  tensor::largest_column(scores, found);
  Confusion seen{.right = std::vector<double>(classes),
                 .there = std::vector<double>(classes),
                 .told = std::vector<double>(classes)};
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (roles[i] != graph::Role::test || labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= classes)
      continue;
    const auto of = static_cast<std::size_t>(labels[i]);
    ++seen.there[of];
    ++seen.told[static_cast<std::size_t>(found[i])];
    seen.right[of] += found[i] == labels[i] ? 1 : 0;
  }
  std::vector<double> figures = {seen.rare_f1()};
  for (std::size_t c = 0; c < classes; ++c) figures.push_back(seen.right[c] / seen.there[c]);
  return figures;
}

template <Measure measure>
std::vector<double> measured(const privacy::Guarded<tensor::Matrix>& scores,
                             const privacy::ProtectedDataset& data, const privacy::UnaccountedUse& use,
                             privacy::ReleaseLog& log) {
  const std::vector<graph::Role>& roles = data.facts.split.roles;
  const std::size_t classes = data.facts.classes;
  if (!scores.is_secret() && !data.labels.is_secret())
    return measure(scores.visible(), data.labels.visible(), roles, classes);
  // Methods whose scores are public under a unit that hides labels release only what is private already.
  auto secret =
      scores.is_secret()
          ? (data.labels.is_secret() ? scores.secret().map(measure, data.labels.secret(), roles, classes)
                                     : scores.secret().map(measure, data.labels.visible(), roles, classes))
          : data.labels.secret().map([](const std::vector<std::int32_t>& labels, const tensor::Matrix& shown,
                                        const std::vector<graph::Role>& of,
                                        std::size_t kinds) { return measure(shown, labels, of, kinds); },
                                     scores.visible(), roles, classes);
  return privacy::declassify(std::move(secret), use.what, use.reason, log);
}

// From exact figures of each class the number of its test nodes can be read: where labels are protected they
// are measured for users who ask for them only, and are a use of their own.
void evaluate(const RunRequest& run, const privacy::Guarded<tensor::Matrix>& scores,
              const privacy::ProtectedDataset& data, privacy::ReleaseLog& log, RunResult& result) {
  if (data.facts.count(graph::Role::test) == 0) return;
  const privacy::UnaccountedUse accuracy{"accuracy on the test nodes", "measured for the reader of this run"};
  result.test_accuracy = measured<&test_accuracy>(scores, data, accuracy, log).front();
  if (data.labels.is_secret() && !run.class_accuracy) return;
  const privacy::UnaccountedUse by_class{
      "accuracy on the test nodes of each class, and F1 of the rarest class",
      "asked for (metrics class-accuracy); how many test nodes each class has can be read from it"};
  const std::vector<double> figures =
      measured<&class_figures>(scores, data, data.labels.is_secret() ? by_class : accuracy, log);
  if (!std::isnan(figures.front())) result.rare_f1 = figures.front();
  result.class_accuracy.assign(figures.begin() + 1, figures.end());
}

privacy::Certificate certificate_of(const RunRequest& run, const Plan& plan, const privacy::ReleaseLog& log,
                                    const RandomStream& stream) {
  const Request& request = run.request;
  privacy::Certificate certificate;
  certificate.unit = request.unit.text();
  certificate.protects = request.unit.protects();
  certificate.leaves_public = request.unit.leaves_public();
  certificate.rigor = request.rigor;
  certificate.delta = request.delta.value();
  certificate.releases = log.releases();
  certificate.assumptions = plan.assumptions;
  certificate.failed_claims = plan.failed_claims;
  certificate.unaccounted = run.unaccounted;
  for (const privacy::UnaccountedUse& use : log.unaccounted()) {
    // The same look again and again is one line.
    const auto same = [&](const privacy::UnaccountedUse& known) { return known.what == use.what; };
    if (std::none_of(certificate.unaccounted.begin(), certificate.unaccounted.end(), same))
      certificate.unaccounted.push_back(use);
  }
  certificate.noise = stream.replayable() ? privacy::NoiseSource::kSeeded : privacy::NoiseSource::kSecure;
  certificate.data_fingerprint = run.fingerprint;
  certificate.privet_version = version();
  certificate.created = run.created;
  certificate.accountant = "none";
  const privacy::Event spent = log.total();
  if (!request.wants_privacy()) {
    // Whatever unit was named, nothing is claimed for it.
    const privacy::Unit nothing = privacy::Unit::none();
    certificate.unit = nothing.text();
    certificate.protects = nothing.protects();
    certificate.leaves_public = nothing.leaves_public();
    return certificate;
  }
  if (!plan.failed_claims.empty()) {
    certificate.claimed_epsilon = plan.claimed_epsilon;
    certificate.accountant = plan.claimed_by;
    return certificate;
  }
  // What releases nothing never fails.
  if (spent == privacy::Event()) certificate.delta = 0;
  const privacy::EpsilonBound bound = privacy::epsilon(spent, privacy::Delta(certificate.delta));
  certificate.accountant = privacy::accountant_name(bound.by);
  const double planned = privacy::epsilon(plan.event, request.delta).upper;
  if (!(bound.upper <= planned * (1 + 1e-9)) || !(bound.upper <= request.epsilon->value()))
    throw std::logic_error("what was released costs more than was planned");
  certificate.sound = true;
  // A plan may have several ways through, chosen by what was released: the guarantee is that of the
  // costliest.
  certificate.epsilon =
      std::min(privacy::printed_epsilon(std::max(bound.upper, spent == privacy::Event() ? 0 : planned)),
               request.epsilon->value());
  certificate.epsilon_lower = std::min(bound.lower, *certificate.epsilon);
  if (plan.other_unit && spent != privacy::Event()) {
    const auto& [unit, event] = *plan.other_unit;
    const privacy::Delta delta(certificate.delta);
    certificate.readings = {
        {.unit = unit,
         .epsilon = privacy::printed_epsilon(privacy::epsilon(event, delta, bound.by).upper),
         .delta = certificate.delta,
         .event = event}};
  }
  return certificate;
}

void require_rigor(const Method& method, privacy::Rigor rigor) {
  const std::vector<std::string> rigors = method.rigors();
  if (std::ranges::find(rigors, privacy::name(rigor)) != rigors.end()) return;
  throw InvalidArgument({.what = fmt::format("rigor {}", privacy::name(rigor)),
                         .where = method.name(),
                         .expected = fmt::format("{}", fmt::join(rigors, " or ")),
                         .remedy = "leave --rigor out"});
}

// The plan of a run whose data or delta had been looked at: what it claims no longer holds.
Plan with_looks_before(Plan plan, const Request& request,
                       const std::vector<privacy::UnaccountedUse>& before) {
  for (const privacy::UnaccountedUse& use : before) {
    plan.failed_claims.push_back(fmt::format(
        "{} looks at what the unit protects, and everything behind it depends on that", use.what));
  }
  if (request.published_defects) plan.claimed_epsilon.reset();
  if (!plan.failed_claims.empty() && !plan.claimed_epsilon && request.wants_privacy() &&
      !request.published_defects)
    plan.claimed_epsilon = privacy::printed_epsilon(privacy::epsilon(plan.event, request.delta).upper);
  if (plan.failed_claims.empty())
    plan.numbers.insert(plan.numbers.begin(), plan.bounds.begin(), plan.bounds.end());
  plan.bounds.clear();
  return plan;
}

// A data set does not know where its list of classes came from.
void assume_classes(const RunRequest& run, Plan& plan) {
  if (!run.request.wants_privacy() || !run.request.unit.protects_labels()) return;
  plan.assumptions.emplace_back(
      run.classes_declared
          ? "the list of classes is public: it was declared with --prepare classes="
          : "the list of classes is public, though it came with the data set and may have been read from the "
            "labels of its nodes; then a class that one node alone has shows that node. --prepare "
            "classes=A+B+C declares the list instead");
}

int decimal_digits(std::size_t number) {
  int digits = 1;
  while (number >= 10) {
    number /= 10;
    ++digits;
  }
  return digits;
}

// Two runs of one seed that differ in anything must not share noise: their difference would be free of it.
std::string noise_name(const RunRequest& run, Method& method) {
  std::string name = fmt::format("{} {} {} {} {} {} {}", method.name(), run.request.unit.text(),
                                 privacy::name(run.request.rigor),
                                 run.request.epsilon ? fmt::format("{}", run.request.epsilon->value()) : "-",
                                 run.request.delta.value(), run.split, run.data_secret);
  if (run.request.published_defects) name += " published defects";
  for (const auto& [option, value] : method.current_options()) name += fmt::format(" {}={}", option, value);
  return name;
}

void require_replay(const Method& method, const Request& request) {
  if (!method.replays_published_defects()) {
    throw InvalidArgument({.what = fmt::format("{} has no published defects to replay", method.name()),
                           .where = "--reproduce-published-defects",
                           .expected = "dpdgc"});
  }
  if (request.rigor == privacy::Rigor::kPaper && request.wants_privacy()) return;
  throw InvalidArgument({.what = "published defects are no part of a sound run",
                         .where = "--reproduce-published-defects",
                         .expected = "a unit to protect, a budget, and --rigor paper"});
}

}  // namespace

Plan plan_run(const Method& method, const Request& request, const privacy::PublicFacts& facts,
              const std::vector<privacy::UnaccountedUse>& before) {
  if (facts.count(graph::Role::train) == 0) {
    throw DataError({.what = "no training nodes",
                     .where = fmt::format("{}, split {}", facts.data, facts.split.name),
                     .expected = "at least one"});
  }
  if (facts.classes < 2) {
    throw DataError(
        {.what = "one class only", .where = facts.data, .expected = "at least two to tell apart"});
  }
  if (request.published_defects) require_replay(method, request);
  if (facts.features == 0) {
    throw DataError({.what = "the data set has no features",
                     .where = facts.data,
                     .expected = "at least one column",
                     .remedy =
                         "add features with 'privet data convert --features', or go without with --prepare "
                         "constant-feature: ballot then learns from the neighbours' labels alone"});
  }
  require_rigor(method, request.rigor);
  return with_looks_before(method.plan(request, facts), request, before);
}

RunResult run_once(Method& method, const graph::Dataset& dataset, const RunRequest& run) {
  method.require_unit(run.request.unit);  // before a promise about the data is checked for nothing
  const privacy::ProtectedDataset data =
      privacy::protect(dataset, draw_split(dataset, run.request.unit, run.request.rigor, run.split, run.seed),
                       run.request.unit);
  Plan plan = plan_run(method, run.request, data.facts, run.unaccounted);
  assume_classes(run, plan);
  std::optional<privacy::LedgerAnchor> reserved;
  if (run.reserve) reserved = run.reserve(plan);
  const std::unique_ptr<RandomStream> stream = stream_of(run.seed);
  const std::unique_ptr<RandomStream> noise = stream->fork(noise_name(run, method), 0);
  privacy::ReleaseLog log;
  Run context{*stream, *noise, log};
  const auto start = std::chrono::steady_clock::now();
  Fit fit = method.fit(run.request, data, context);
  RunResult result{.seed = run.seed};
  result.train_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.epochs = fit.epochs;
  result.validation_accuracy = fit.validation_accuracy;
  result.findings = std::move(fit.findings);
  result.model = std::move(fit.model);
  result.model.method = method.name();
  result.model.options = method.current_options();
  result.model.unit = run.request.unit.text();
  result.model.features = data.facts.features;
  result.model.classes = data.facts.classes;
  result.model.class_names = dataset.class_names;
  if (!plan.failed_claims.empty()) result.model.released.reset();
  if (result.model.released) {
    result.model.released->node_names = dataset.node_names;
    // Labels of training nodes may have made the graph: whoever measures on it needs the same roles.
    result.model.released->splits = {data.facts.split};
    result.model.released->splits.front().name = kSplitOfModel;
  }
  if (run.evaluate) {
    evaluate(run, method.scores(result.model, data), data, log, result);
    if (run.request.wants_privacy())
      log.add(privacy::UnaccountedUse{"running time and memory", "measured for the reader of this run"});
  }
  if (run.request.wants_privacy() && method.answers_read_others()) {
    log.add(privacy::UnaccountedUse{"the features of those whom a node hears, in its scores",
                                    "the option inference: who is shown scores sees something of others"});
  }
  if (run.request.published_defects) result.model = {};  // nobody may come by what it has leaked
  result.certificate = certificate_of(run, plan, log, *stream);
  result.certificate.ledger = reserved;
  result.plan = plan;
  return result;
}

InferenceResult infer_once(Method& method, const Model& model, graph::Dataset dataset,
                           const RunRequest& run) {
  const std::size_t nodes = dataset.nodes();
  const privacy::ProtectedDataset data =
      privacy::protect(std::move(dataset), {"prediction", std::vector<graph::Role>(nodes, graph::Role::none)},
                       run.request.unit);
  method.require_own_answers(run.request.unit);
  require_rigor(method, run.request.rigor);
  if (run.request.rigor == privacy::Rigor::kPaper && !method.infers_as_published()) {
    throw InvalidArgument({.what = "nothing published says how to read another graph",
                           .where = method.name(),
                           .expected = "rigor strict",
                           .remedy = "leave --rigor out"});
  }
  Plan plan =
      with_looks_before(method.inference_plan(run.request, model, data.facts), run.request, run.unaccounted);
  std::optional<privacy::LedgerAnchor> reserved;
  if (run.reserve) reserved = run.reserve(plan);
  const std::unique_ptr<RandomStream> stream = stream_of(run.seed);
  const std::unique_ptr<RandomStream> noise =
      stream->fork(fmt::format("inference {} {}", digest_of(model), noise_name(run, method)), 0);
  privacy::ReleaseLog log;
  Run context{*stream, *noise, log};
  privacy::Guarded<tensor::Matrix> scores = method.infer(run.request, model, data, context);
  if (run.request.wants_privacy()) {
    plan.assumptions.emplace_back(
        "nobody and no edge of these data was in the data that the model was trained on; otherwise what "
        "training "
        "cost adds up with this");
    plan.assumptions.emplace_back("applying a model to these data again draws new noise and costs again");
    if (scores.is_secret())
      plan.assumptions.emplace_back("a node's scores are made from what is its own and are for its own eyes");
  }
  privacy::Certificate certificate = certificate_of(run, plan, log, *stream);
  certificate.ledger = reserved;
  return {std::move(scores), std::move(certificate), std::move(plan)};
}

graph::Split draw_split(const graph::Dataset& dataset, const privacy::Unit& unit, privacy::Rigor rigor,
                        const std::string& text, const std::optional<std::uint64_t>& seed) {
  const std::unique_ptr<RandomStream> stream = stream_of(seed)->fork("split", 0);
  const bool everybody = unit.protects_labels() && rigor == privacy::Rigor::kStrict;
  const std::string chosen = seed ? graph::stored_split_of_run(dataset, text, *seed) : text;
  return graph::make_split(dataset, chosen, *stream,
                           everybody ? graph::Among::everybody : graph::Among::labeled);
}

privacy::Delta strict_delta(std::size_t nodes) {
  return privacy::Delta(std::pow(10.0, -(decimal_digits(nodes) + 2)));
}

privacy::Delta paper_delta(const privacy::Unit& unit, std::size_t stored_entries,
                           std::size_t training_nodes) {
  return privacy::Delta(
      std::pow(10.0, -decimal_digits(unit.protects_features() ? training_nodes : stored_entries)));
}

}  // namespace privet::methods
