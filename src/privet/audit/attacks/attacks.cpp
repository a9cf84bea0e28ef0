#include "privet/audit/attacks/attacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "privet/audit/attacks/link_stealing.hpp"
#include "privet/audit/attacks/linkteller.hpp"
#include "privet/audit/attacks/lira.hpp"
#include "privet/audit/attacks/membership.hpp"
#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"
#include "privet/core/protected_dataset.hpp"
#include "privet/methods/features/mlp.hpp"
#include "privet/methods/plain/gcn.hpp"
#include "privet/run/runner.hpp"

namespace privet::audit {
namespace {

constexpr std::array<std::pair<const char*, AttackKind>, 4> kKinds = {{{"linkteller", AttackKind::linkteller},
                                                                       {"lpa", AttackKind::lpa},
                                                                       {"gmia", AttackKind::gmia},
                                                                       {"lira", AttackKind::lira}}};

std::uint64_t seed_of(const AttackOptions& options) {
  return options.seed ? *options.seed : SecureStream().bits();
}

bool wants(const AttackOptions& options, AttackKind kind) {
  return std::ranges::find(options.attacks, kind) != options.attacks.end();
}

void add_timed(AttackReport& report, const std::string& target, const std::string& about,
               const std::function<std::vector<AttackResult>()>& attack) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<AttackResult> results = attack();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (AttackResult& result : results) {
    result.target = target;
    result.about = about;
    result.seconds = seconds;
    report.attacks.push_back(std::move(result));
  }
}

void attack_edges(const Target& target, const std::string& label, const std::vector<CandidatePair>& pairs,
                  const AttackOptions& options, AttackReport& report) {
  const std::string about = name(options.pairs) + " pairs";
  if (wants(options, AttackKind::linkteller))
    add_timed(report, label, about, [&] { return linkteller(target, pairs); });
  if (wants(options, AttackKind::lpa))
    add_timed(report, label, about, [&] { return link_stealing(target, pairs); });
}

Target target_of(const methods::Method& method, const methods::Request& request,
                 const graph::Dataset& dataset, const graph::Split& split, const AttackOptions& options,
                 const RandomStream& root) {
  if (options.learnt_from == nullptr) return train_target(method, request, dataset, split, root);
  return infer_target(method, train_model(method, request, *options.learnt_from, split, root), request,
                      dataset, root);
}

// The lower and the upper line: a model that never saw an edge, and one that hides none.
void attack_references(const methods::Method& audited, const graph::Dataset& dataset,
                       const graph::Split& split, const std::vector<CandidatePair>& pairs,
                       const AttackOptions& options, const RandomStream& root, AttackReport& report) {
  std::vector<std::unique_ptr<methods::Method>> references;
  references.push_back(std::make_unique<methods::Mlp>());
  references.push_back(std::make_unique<methods::Gcn>());
  for (const std::unique_ptr<methods::Method>& reference : references) {
    if (reference->name() == audited.name()) continue;
    const methods::Request open{.unit = privacy::Unit::none(),
                                .delta = methods::strict_delta(dataset.nodes())};
    const Target target = target_of(*reference, open, dataset, split, options, *root.fork("reference", 0));
    attack_edges(target, reference->name(), pairs, options, report);
  }
}

}  // namespace

std::vector<AttackKind> parse_attacks(const std::string& list) {
  std::vector<std::string> names(kKinds.size());
  std::ranges::transform(kKinds, names.begin(), [](const auto& kind) { return kind.first; });
  std::vector<AttackKind> attacks;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string wanted = list.substr(begin, end - begin);
    const auto* found =
        std::ranges::find(kKinds, wanted, [](const auto& kind) { return std::string(kind.first); });
    if (found == kKinds.end()) {
      throw InvalidArgument({.what = fmt::format("'{}'", wanted),
                             .where = "--attack",
                             .expected = "some of linkteller, lpa, gmia, lira",
                             .remedy = suggestion(wanted, names)});
    }
    if (std::ranges::find(attacks, found->second) == attacks.end()) attacks.push_back(found->second);
    begin = end + 1;
  }
  return attacks;
}

std::string name(AttackKind kind) { return kKinds[static_cast<std::size_t>(kind)].first; }

AttackReport run_attacks(const methods::Method& method, const methods::Request& request,
                         const graph::Dataset& dataset, const std::optional<methods::Model>& model,
                         const AttackOptions& options) {
  const std::uint64_t seed = seed_of(options);
  const SeededStream root(seed);
  AttackReport report{.method = method.name(), .data = dataset.name, .unit = request.unit.text()};
  const graph::Dataset& learnt_from = options.learnt_from == nullptr ? dataset : *options.learnt_from;
  const graph::Split split =
      methods::draw_split(learnt_from, request.unit, request.rigor, options.split, seed);
  const bool members = wants(options, AttackKind::gmia) || wants(options, AttackKind::lira);
  if (options.learnt_from != nullptr && (members || model)) {
    throw InvalidArgument({.what = "data to learn from",
                           .where = "attack",
                           .expected = "linkteller or lpa, on a model that is trained for it"});
  }
  // What the method can't serve is refused before anything is trained.
  if (!model || members)
    (void)methods::plan_run(method, request, privacy::protect(learnt_from, split, request.unit).facts, {});
  if (wants(options, AttackKind::linkteller) || wants(options, AttackKind::lpa)) {
    const std::vector<CandidatePair> pairs =
        draw_pairs(dataset, options.pairs, options.nodes, *root.fork("pairs", 0));
    const Target target = model
                              ? Target{method, *model, request.unit, dataset}
                              : target_of(method, request, dataset, split, options, *root.fork("target", 0));
    attack_edges(target, method.name(), pairs, options, report);
    if (options.references) attack_references(method, dataset, split, pairs, options, root, report);
    if (wants(options, AttackKind::lpa)) {
      add_timed(report, "no model", name(options.pairs) + " pairs",
                [&] { return link_stealing_baseline(dataset, pairs); });
    }
  }
  if (wants(options, AttackKind::gmia)) {
    add_timed(report, method.name(), "nodes",
              [&] { return gmia(method, request, dataset, options.shadows, *root.fork("gmia", 0)); });
  }
  if (wants(options, AttackKind::lira)) {
    add_timed(report, method.name(), "nodes",
              [&] { return lira(method, request, dataset, split, options.shadows, *root.fork("lira", 0)); });
  }
  return report;
}

}  // namespace privet::audit
