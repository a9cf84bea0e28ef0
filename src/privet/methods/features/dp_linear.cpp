#include "privet/methods/features/dp_linear.hpp"

#include <fmt/format.h>

#include "privet/accounting/calibration.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"

namespace privet::methods {

std::string DpLinear::summary() const {
  return "softmax regression by private full-batch descent; protects whole people";
}
std::string DpLinear::reference() const { return "docs/methods/dp-linear.md; Dong, Roth, Su 2022"; }
std::vector<std::string> DpLinear::units() const { return {"node", "record", "k-neighbor"}; }

OptionTable DpLinear::options() {
  OptionTable table(name());
  options_.declare(table);
  return table;
}

nn::PrivateTraining DpLinear::training(const Request& request, const privacy::PublicFacts& facts) const {
  require_unit(request.unit);
  require_budget(request, "dp-linear", "the method mlp with the unit none");
  const nn::PrivateTraining plan =
      regression_training(options_, request.unit, facts.count(graph::Role::train), 1);
  return plan.with_noise(privacy::calibrate([&](double noise) { return plan.with_noise(noise).event(); },
                                            *request.epsilon, request.delta));
}

RowTuning DpLinear::tuning(const Request& request, const privacy::PublicFacts& facts) const {
  return options_.tuned(static_cast<double>(facts.count(graph::Role::train)),
                        privacy::gaussian_mu(request.epsilon->value(), request.delta.value()),
                        regression_network(facts.features, facts.classes).parameters());
}

Plan DpLinear::plan(const Request& request, const privacy::PublicFacts& facts) const {
  const nn::PrivateTraining steps = training(request, facts);
  require_regression(steps, facts.features, facts.classes);
  const RowTuning tuned = tuning(request, facts);
  Plan plan{.event = steps.event()};
  plan.numbers = {{"noise multiplier", fmt::format("{:.4f}", steps.noise_multiplier)},
                  {"steps", fmt::format("{}", steps.steps)},
                  {"training nodes", fmt::format("{}", steps.population)},
                  {"learning rate", fmt::format("{}", tuned.rate)},
                  {"feature norm", fmt::format("{}", tuned.norm)}};
  plan.assumptions = {"ids, roles, classes and the number of training nodes are public",
                      "a node's scores are made from its own features and are for its own eyes"};
  return plan;
}

Fit DpLinear::fit(const Request& request, const privacy::ProtectedDataset& data, Run& run) const {
  const nn::PrivateTraining steps = training(request, data.facts);
  const Regression learnt =
      fit_regression(options_, tuning(request, data.facts), steps, data,
                     data.facts.split.nodes(graph::Role::train), "clipped gradients of everybody", run);
  Fit fit{.epochs = steps.steps};
  store(learnt, "", fit.model);
  return fit;
}

privacy::Guarded<tensor::Matrix> DpLinear::scores(const Model& model,
                                                  const privacy::ProtectedDataset& data) const {
  return restore_regression("", model).scores(data.features);
}

}  // namespace privet::methods
