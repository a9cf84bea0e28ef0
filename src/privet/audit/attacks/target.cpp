#include "privet/audit/attacks/target.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "privet/core/protected_dataset.hpp"

namespace privet::audit {
namespace {

privacy::ProtectedDataset nobody_has_a_role(const graph::Dataset& dataset, const privacy::Unit& unit) {
  return privacy::protect(dataset, {"attack", std::vector<graph::Role>(dataset.nodes(), graph::Role::none)},
                          unit);
}

tensor::Matrix opened(const privacy::Guarded<tensor::Matrix>& scores) {
  if (!scores.is_secret()) return scores.visible();
  privacy::ReleaseLog log;
  return privacy::declassify(scores.secret(), "scores of everybody",
                             "an attack in the hands of the owner of the data", log);
}

}  // namespace

methods::Model train_model(const methods::Method& method, const methods::Request& request,
                           const graph::Dataset& dataset, const graph::Split& split,
                           const RandomStream& root) {
  const privacy::ProtectedDataset data = privacy::protect(dataset, split, request.unit);
  const std::unique_ptr<RandomStream> stream = root.fork("training", 0);
  const std::unique_ptr<RandomStream> noise = root.fork("noise", 0);
  privacy::ReleaseLog log;
  methods::Run run{*stream, *noise, log};
  methods::Model model = method.fit(request, data, run).model;
  model.method = method.name();
  model.unit = request.unit.text();
  model.features = data.facts.features;
  model.classes = data.facts.classes;
  return model;
}

Target train_target(const methods::Method& method, const methods::Request& request,
                    const graph::Dataset& dataset, const graph::Split& split, const RandomStream& root) {
  Target target{method, train_model(method, request, dataset, split, root), request.unit, dataset};
  if (!root.replayable()) return target;
  const privacy::ProtectedDataset data = privacy::protect(dataset, split, request.unit);
  const std::unique_ptr<RandomStream> stream = root.fork("training", 0);
  const std::unique_ptr<RandomStream> noise = root.fork("noise", 0);
  privacy::ReleaseLog log;
  methods::Run run{*stream, *noise, log};
  target.released = method.released_graph(request, data, run);
  return target;
}

Target infer_target(const methods::Method& method, methods::Model model, const methods::Request& request,
                    const graph::Dataset& dataset, const RandomStream& root) {
  Target target{method, std::move(model), request.unit, dataset};
  const privacy::ProtectedDataset data = nobody_has_a_role(dataset, request.unit);
  method.require_own_answers(request.unit);
  const privacy::Event cost = method.inference_plan(request, target.model, data.facts).event;
  const std::unique_ptr<RandomStream> stream = root.fork("inference", 0);
  const auto with_run = [&](const auto& ask) {
    const std::unique_ptr<RandomStream> noise = root.fork("noise of inference", 0);
    privacy::ReleaseLog log;
    methods::Run run{*stream, *noise, log};
    return ask(run);
  };
  target.released = with_run([&](methods::Run& run) { return method.released_graph(request, data, run); });
  if (target.released || cost != privacy::Event()) {
    target.given =
        with_run([&](methods::Run& run) { return opened(method.infer(request, target.model, data, run)); });
  }
  return target;
}

tensor::Matrix answers(const methods::Method& method, const methods::Model& model,
                       const graph::Dataset& dataset, const privacy::Unit& unit) {
  return opened(method.scores(model, nobody_has_a_role(dataset, unit)));
}

tensor::Matrix answers(const Target& target) {
  return target.given ? *target.given : answers(target.method, target.model, target.dataset, target.unit);
}

std::vector<double> posteriors(const tensor::Matrix& scores) {
  std::vector<double> all;
  all.reserve(scores.size());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const std::span<const float> row = scores.row(i);
    const auto largest = static_cast<double>(*std::ranges::max_element(row));
    double sum = 0;
    for (const float score : row) sum += std::exp(static_cast<double>(score) - largest);
    for (const float score : row) all.push_back(std::exp(static_cast<double>(score) - largest) / sum);
  }
  return all;
}

double label_logit(std::span<const float> scores, std::int32_t label) {
  const auto own = static_cast<std::size_t>(label);
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (j != own) largest = std::max(largest, static_cast<double>(scores[j]));
  }
  double others = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (j != own) others += std::exp(static_cast<double>(scores[j]) - largest);
  }
  return static_cast<double>(scores[own]) - largest - std::log(others);
}

}  // namespace privet::audit
