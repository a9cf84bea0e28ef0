#include "privet/run/cell.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/version.hpp"
#include "privet/graph/prepare.hpp"
#include "privet/graph/split.hpp"
#include "privet/methods/registry.hpp"
#include "privet/run/runner.hpp"

namespace privet::methods {
namespace {

// What no node can have costs accuracy and promises nothing: a slip.
void require_possible(const privacy::Unit& unit, std::size_t nodes) {
  if (!unit.bound() || *unit.bound() < nodes) return;
  throw InvalidArgument(
      {.what = fmt::format("'{}' for a graph of {} nodes", unit.text(), nodes),
       .where = "--unit",
       .expected = fmt::format("at most {}:{}: no node has more neighbours than there are other nodes",
                               unit.name(), nodes - 1)});
}

}  // namespace

std::string Cell::key() const {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string("-");
  };
  return fmt::format(
      "privet {}; {}:{} [{}]; data {}; prepare {}; split {}; unit {}; {} {}; delta {}; {}; "
      "seed {}; {}{}{}",
      version(), method, preset, fmt::join(assignments, " "), data, prepare, split, unit,
      published_defects ? "asked for" : "epsilon", number(epsilon), number(delta), name(rigor),
      seed ? fmt::format("{}", *seed) : "-", evaluate ? "evaluated" : "not evaluated",
      class_accuracy ? "; class accuracy" : "", published_defects ? "; published defects" : "");
}

std::unique_ptr<Method> method_of(const Cell& cell) {
  std::unique_ptr<Method> method = make_method(cell.method);
  if (!cell.preset.empty()) method->use_preset(cell.preset);
  OptionTable table = method->options();
  for (const std::string& assignment : cell.assignments) table.set_assignment(assignment);
  return method;
}

Request request_of(const Cell& cell, const graph::Dataset& dataset) {
  const privacy::Unit unit = privacy::Unit::parse(cell.unit);
  require_possible(unit, dataset.nodes());
  const bool strict = cell.rigor == privacy::Rigor::kStrict;
  privacy::Delta delta = strict_delta(dataset.nodes());
  if (cell.delta) {
    delta = privacy::Delta(*cell.delta);
    if (cell.epsilon && unit.protects_anything() &&
        delta.value() * static_cast<double>(dataset.nodes()) > 1) {
      throw Unsound({.what = fmt::format("delta {}", delta.value()),
                     .where = "--delta",
                     .expected = fmt::format("at most one over the number of nodes, {:.3g}",
                                             1 / static_cast<double>(dataset.nodes())),
                     .remedy = "a larger one would allow to publish whole people"});
    }
  } else if (!strict && make_method(cell.method)->needs_delta()) {
    const std::size_t training =
        draw_split(dataset, unit, cell.rigor, cell.split, cell.seed.value_or(0)).count(graph::Role::train);
    delta = paper_delta(unit, dataset.graph.stored_entries(), training);
  }
  Request request{
      .unit = unit, .rigor = cell.rigor, .delta = delta, .published_defects = cell.published_defects};
  if (cell.epsilon) request.epsilon = privacy::Epsilon(*cell.epsilon);
  return request;
}

std::vector<privacy::UnaccountedUse> looks_before(const Cell& cell) {
  return cell.epsilon ? looks_at_protected(cell) : std::vector<privacy::UnaccountedUse>();
}

std::vector<privacy::UnaccountedUse> looks_at_protected(const Cell& cell) {
  const privacy::Unit unit = privacy::Unit::parse(cell.unit);
  std::vector<privacy::UnaccountedUse> looks;
  if (!unit.protects_anything()) return looks;
  const bool strict = cell.rigor == privacy::Rigor::kStrict;
  const auto look = [&](const std::string& what, const char* option, const char* remedy) {
    if (strict) {
      throw Unsound({.what = fmt::format("{} reads what the unit '{}' protects", what, unit.text()),
                     .where = option,
                     .remedy = remedy});
    }
    looks.push_back({what + " before the run", "the papers prepare their data so"});
  };
  for (const graph::PrepareStep& step : graph::parse_prepare(cell.prepare)) {
    // One entry becomes two, or moves to the list of somebody else: what the units of single entries and
    // lists count is no longer what is there.
    const bool relists = (step.kind == graph::PrepareStep::Kind::symmetrize && unit.counts_entries()) ||
                         (step.kind == graph::PrepareStep::Kind::reverse && unit.counts_lists());
    if (relists && strict) {
      throw Unsound({.what = fmt::format("{} moves entries to lists of others, and the unit '{}' protects "
                                         "what is in one list as it was recorded",
                                         step.text(), unit.text()),
                     .where = "--prepare",
                     .remedy = "leave it out, or take the unit edge or node:D"});
    }
    if ((step.reads_edges() && unit.protects_edges()) || (step.reads_labels() && unit.protects_labels()) ||
        (step.mixes_features() && unit.protects_features()) || relists) {
      look(step.text(), "--prepare",
           step.reads_labels() ? "name the classes with classes=A+B+C instead, which moves nobody"
           : step.mixes_features()
               ? "scale the features beforehand by numbers that are public, such as known ranges"
               : "leave it out, or prepare the data beforehand with 'privet data convert' if what "
                 "remains is public");
    }
  }
  if (graph::reads_labels(cell.split) && unit.protects_labels())
    look("split " + cell.split, "--split", "use shares such as 75/10/15, or a stored split that is public");
  if (!strict && !graph::reads_labels(cell.split) && unit.protects_labels())
    looks.push_back(
        {"who has a label, for the roles before the run", "the papers draw roles among labeled nodes"});
  if (!strict && !cell.delta && unit.protects_edges() && !unit.protects_features() &&
      make_method(cell.method)->needs_delta())
    looks.push_back({"the number of stored edges, for delta", "the papers choose delta by it"});
  return looks;
}

std::vector<std::string> unread_options(const Cell& cell) {
  Request request{.unit = privacy::Unit::parse(cell.unit), .rigor = cell.rigor, .delta = privacy::Delta(0)};
  if (cell.epsilon) request.epsilon = privacy::Epsilon(*cell.epsilon);
  const std::unique_ptr<Method> method = method_of(cell);
  std::vector<std::string> sentences;
  for (const auto& [option, why] : method->unread_options(request)) {
    const std::string assigned = option + "=";
    const bool given = std::ranges::any_of(cell.assignments,
                                           [&](const std::string& one) { return one.starts_with(assigned); });
    if (given)
      sentences.push_back(fmt::format("the option {} of {} does nothing {}", option, cell.method, why));
  }
  return sentences;
}

Plan plan_of(const Cell& cell, const graph::Dataset& dataset) {
  const std::vector<privacy::UnaccountedUse> looks = looks_before(cell);
  const Request request = request_of(cell, dataset);
  const std::unique_ptr<Method> method = method_of(cell);
  method->require_unit(request.unit);  // before a promise about the data is checked for nothing
  graph::Split split = draw_split(dataset, request.unit, request.rigor, cell.split, cell.seed.value_or(0));
  return plan_run(*method, request, privacy::protect(dataset, std::move(split), request.unit).facts, looks);
}

}  // namespace privet::methods
