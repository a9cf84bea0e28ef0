#include "privet/methods/caribou/caribou_people.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/learn/noisy_hops.hpp"
#include "privet/learn/private_fit.hpp"
#include "privet/learn/row_scores.hpp"
#include "privet/learn/vote_rows.hpp"
#include "privet/methods/caribou/caribou_published.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

const std::string kEncoder = "encoder.";
const std::string kClassifier = "classifier.";
const std::string kState = "state";

// A linear layer on the scores of the regression and the state beside them.
nn::Network classifier_network(std::size_t classes) { return regression_network(2 * classes, classes); }

// Where it starts: the regression as it is, the state unread. Weights are stored input by input.
nn::Parameters unread_state(const nn::Network& network, std::size_t classes, RandomStream& stream) {
  nn::Parameters parameters = network.initial_parameters(stream);
  std::ranges::fill(parameters.learnt, 0.0F);
  for (std::size_t c = 0; c < classes; ++c) parameters.learnt[c * classes + c] = 1;
  return parameters;
}

// Of equal size as scores are, so that noise finds neither too small: a state, whose noise is public, divided
// by the size of that noise where it is above 1.
tensor::Matrix leveled(tensor::Matrix state, double stddev) {
  const double scale = 1 / std::max(1.0, stddev);
  for (float& value : state.values()) value = static_cast<float>(static_cast<double>(value) * scale);
  return state;
}

tensor::Matrix start_rows(const tensor::Matrix& scores) {
  return vote_rows(scores, {}, std::vector<bool>(scores.rows(), false));
}

privacy::ContractiveHops iteration_of(const CaribouPlan& plan, const Request& request,
                                      const privacy::ProtectedDataset& data, Run& run) {
  if (plan.iteration) return *plan.iteration;
  const auto degrees = privacy::declassify(data.graph.secret().map([](const graph::Graph& graph) {
    const PublishedDegrees found = degrees_of(graph);
    return std::pair(found.least, found.most);
  }),
                                           "smallest and largest degree of the graph",
                                           "Theorem 5 sizes the noise by them", run.log);
  return published_iteration(plan, request.unit, data.facts, {degrees.first, degrees.second});
}

}  // namespace

Fit fit_caribou_people(const CaribouOptions& options, const Request& request,
                       const privacy::ProtectedDataset& data, Run& run) {
  const CaribouPlan plan = caribou_plan(options, request, data.facts);
  const std::size_t classes = data.facts.classes;
  const std::vector<graph::NodeId> training = data.facts.split.nodes(graph::Role::train);
  const RowTuning tuned = options.regression.tuned(
      static_cast<double>(training.size()), privacy::gaussian_dp_mu(plan.encoder->event()),
      regression_network(data.facts.features, classes).parameters());
  const Regression regression = fit_regression(options.regression, tuned, *plan.encoder, data, training,
                                               "clipped gradients of everybody, encoder", run);
  const privacy::Guarded<tensor::Matrix> scores = regression.scores(data.features);
  const privacy::ContractiveHops iteration = iteration_of(plan, request, data, run);
  const std::unique_ptr<RandomStream> hop_noise = run.noise.fork("hops", 0);
  const tensor::Matrix state =
      leveled(iteration.release(data.graph.secret(), scores.secret().map(&start_rows), plan.released(),
                                run.log, *hop_noise),
              iteration.stddev().value());
  const nn::Network network = classifier_network(classes);
  const std::unique_ptr<RandomStream> weights = run.stream.fork("classifier", 0);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("classifier", 0);
  PrivateFitOptions fitting;
  fitting.average = options.classifier.average;
  fitting.label = "classifier";
  fitting.what = "clipped gradients of everybody, classifier";
  fitting.optimizer.learning_rate = options.classifier.learning_rate;
  const auto examples = examples_in_role(side_by_side(scores, {state}), data, graph::Role::train);
  const PrivateFit learnt = private_fit(network, *plan.classifier, fitting, examples.secret(),
                                        unread_state(network, classes, *weights), *noise, run.log);
  Fit fit{.epochs = plan.encoder->steps + plan.classifier->steps};
  store(regression, kEncoder, fit.model);
  store(network, learnt.parameters, kClassifier, fit.model);
  fit.model.tensors.push_back({kState, state});
  return fit;
}

privacy::Guarded<tensor::Matrix> caribou_people_scores(const Model& model,
                                                       const privacy::ProtectedDataset& data) {
  const privacy::Guarded<tensor::Matrix> scores = restore_regression(kEncoder, model).scores(data.features);
  const nn::Network network = classifier_network(model.classes);
  return row_scores(network, restore(network, kClassifier, model),
                    side_by_side(scores, {model.tensor(kState, data.facts.nodes, model.classes)}));
}

}  // namespace privet::methods
