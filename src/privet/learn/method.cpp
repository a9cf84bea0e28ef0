#include "privet/learn/method.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "privet/base/error.hpp"
#include "privet/base/suggest.hpp"

namespace privet::methods {

Method::~Method() = default;

Plan Method::inference_plan(const Request& request, const Model&, const privacy::PublicFacts&) const {
  require_unit(request.unit);
  return {};
}

privacy::Guarded<tensor::Matrix> Method::infer(const Request&, const Model& model,
                                               const privacy::ProtectedDataset& data, Run&) const {
  return scores(model, data);
}

void require_budget(const Request& request, const std::string& method, const std::string& without) {
  if (request.wants_privacy()) return;
  throw InvalidArgument({.what = "no budget",
                         .where = method,
                         .expected = "a finite epsilon",
                         .remedy = fmt::format("give --epsilon; {} trains without privacy", without)});
}

std::optional<AuditSampler> Method::audit_sampler(const Request&, const privacy::PublicFacts&,
                                                  const AuditPair&) const {
  return {};
}

std::optional<MessagePassing> Method::message_passing(const Model&, const graph::Graph&) const { return {}; }

std::optional<graph::Graph> Method::released_graph(const Request&, const privacy::ProtectedDataset&,
                                                   Run&) const {
  return {};
}

void Method::use_preset(const std::string& preset) {
  std::vector<std::string> names;
  for (const Preset& known : presets()) {
    names.push_back(known.name);
    if (known.name != preset) continue;
    OptionTable table = options();
    for (const std::string& assignment : known.assignments) table.set_assignment(assignment);
    return;
  }
  throw InvalidArgument({.what = fmt::format("no preset '{}'", preset),
                         .where = name(),
                         .expected = names.empty() ? "no preset: it has none"
                                                   : fmt::format("one of {}", fmt::join(names, ", ")),
                         .remedy = names.empty() ? std::string() : suggestion(preset, names)});
}

std::vector<std::pair<std::string, std::string>> Method::current_options() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const OptionTable::Option& option : options().options())
    all.emplace_back(option.name, option.current());
  return all;
}

void Method::require_unit(const privacy::Unit& unit) const {
  const std::string text = unit.text();
  const std::string kind = text.substr(0, text.find(':'));
  const std::vector<std::string> known = units();
  if (std::ranges::find(known, kind) != known.end()) return;
  throw InvalidArgument({.what = fmt::format("no protection of the unit '{}'", text),
                         .where = name(),
                         .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

void Method::require_own_answers(const privacy::Unit& unit) const {
  if (!unit.protects_anything() || !answers_read_others()) return;
  throw Unsound({.what = "this model answers from what other people hold, without noise",
                 .where = fmt::format("{} on another graph, unit {}", name(), unit.text()),
                 .remedy = "train it with inference=noisy, or use the unit none if these data are public"});
}

}  // namespace privet::methods
