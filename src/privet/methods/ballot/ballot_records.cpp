#include "privet/methods/ballot/ballot_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "privet/accounting/accountant.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"
#include "privet/base/progress.hpp"
#include "privet/graph/split.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/nn/optimizer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

// Shares of the squared mu.
constexpr double kPilotVotes = 0.02;
constexpr double kPilotUsefulness = 0.01;
constexpr double kRegression = 0.42;
constexpr double kVotes = 0.50;
constexpr double kCombiner = 0.05;
constexpr double kAlone = 1 - kPilotVotes - kPilotUsefulness;
static_assert(kRegression + kVotes + kCombiner <= kAlone + 1e-12);

// Where the terms of the usefulness are clipped, in standard deviations of the first look, and what that
// leaves of a small shift of a Gaussian's mean: the probability of lying within. The tighter, the more signal
// for the noise that one term costs.
constexpr double kClippedAt = 0.5;
constexpr double kLeftByClipping = 0.3829;
constexpr double kFloor = 1e-4;       // of a probability before its logarithm
constexpr double kMatrixScale = 0.3;  // slows the full matrix against the single factor

const std::string kVotesName = "votes";
const std::string kCombinerName = "combiner";
const std::string kPriorName = "prior.";

// Who sends and who hears, from public roles and coins.
struct Voters {
  privacy::OwnLists lists;
  std::vector<graph::NodeId> combiner_rows;
};

std::uint64_t combiner_count(const RecordBallot& options, const privacy::PublicFacts& facts) {
  const auto training = static_cast<double>(facts.count(graph::Role::train));
  const auto drawn = static_cast<std::uint64_t>(std::ceil(options.combiner_share * training));
  return drawn + facts.count(graph::Role::validation);
}

Voters draw_voters(const RecordBallot& options, const privacy::PublicFacts& facts, RandomStream& stream) {
  Voters voters{.lists = {.sends = std::vector<std::uint8_t>(facts.nodes, 0),
                          .receives = std::vector<std::uint8_t>(facts.nodes, 1),
                          .list_bound = options.list_bound},
                .combiner_rows = facts.split.nodes(graph::Role::validation)};
  std::vector<graph::NodeId> training = facts.split.nodes(graph::Role::train);
  for (const graph::NodeId node : training) {
    voters.lists.sends[node] = 1;
    voters.lists.receives[node] = 0;
  }
  graph::shuffle(training, stream);
  training.resize(combiner_count(options, facts) - voters.combiner_rows.size());
  for (const graph::NodeId node : training) {
    voters.lists.receives[node] = 1;
    voters.combiner_rows.push_back(node);
  }
  std::ranges::sort(voters.combiner_rows);
  return voters;
}

privacy::Sensitivity sensitivity_of_votes(const RecordBallot& options, const privacy::Unit& unit,
                                          const privacy::PublicFacts& facts) {
  const privacy::NeighborSum sum{
      .row_bound = 1, .columns = facts.classes, .rows = privacy::RowsOf::their_owners, .non_negative = true};
  if (unit.keeps_to_own_list())
    return privacy::own_list_sum_sensitivity(unit, sum, options.list_bound, facts.nodes);
  return privacy::neighbor_sum_sensitivity(unit, sum);
}

// Under node:D every sender counts in full: a weight that depends on a list would change with the lists of
// neighbours.
privacy::FixedPointMatrix neighbor_votes(const graph::Graph& graph, const std::vector<std::int32_t>& labels,
                                         std::size_t classes, const privacy::OwnLists& lists, double grid) {
  tensor::Matrix rows(graph.nodes(), classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool sends = lists.sends[i] != 0 && labels[i] >= 0 && static_cast<std::size_t>(labels[i]) < classes;
    if (sends) rows(i, static_cast<std::size_t>(labels[i])) = 1;
  }
  return privacy::neighbor_sums(graph, rows, {.grid = grid, .row_bound = 1});
}

tensor::Matrix released_votes(const privacy::GaussianMechanism& mechanism, const std::string& what,
                              const Voters& voters, const privacy::ProtectedDataset& data,
                              RandomStream& noise, privacy::ReleaseLog& log) {
  auto* const count = data.unit.keeps_to_own_list() ? &privacy::own_list_votes : &neighbor_votes;
  return mechanism.release(data.graph.secret().map(count, data.labels.secret(), data.facts.classes,
                                                   voters.lists, mechanism.grid()),
                           data.facts.nodes, data.facts.classes, what, log, noise);
}

// Sum over the rows of how far the vote for the own class stands above the others, each within +-bound and
// rounded towards zero on the grid.
privacy::FixedPointMatrix usefulness_sum(const std::vector<std::int32_t>& labels, const tensor::Matrix& votes,
                                         const std::vector<graph::NodeId>& rows, double bound, double grid) {
  privacy::FixedPointMatrix sum{.rows = 1, .columns = 1, .grid = grid, .steps = {0}};
  for (const graph::NodeId node : rows) {
    const std::int32_t label = labels[node];
    if (label < 0 || static_cast<std::size_t>(label) >= votes.columns()) continue;
    double others = 0;
    for (const float vote : votes.row(node)) others += static_cast<double>(vote);
    const auto own = static_cast<double>(votes(node, static_cast<std::size_t>(label)));
    others = (others - own) / static_cast<double>(votes.columns() - 1);
    sum.steps[0] += static_cast<std::int64_t>(std::clamp(own - others, -bound, bound) / grid);
  }
  return sum;
}

// Rows of log-probabilities, centred, and of votes over their noise, centred: what the combiner weighs.
tensor::Matrix centred_log_probabilities(const tensor::Matrix& scores) {
  tensor::Matrix rows(scores.rows(), scores.columns());
  tensor::softmax_rows(scores, rows);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double mean = 0;
    for (float& value : rows.row(i)) {
      value = static_cast<float>(std::log(static_cast<double>(value) + kFloor));
      mean += static_cast<double>(value) / static_cast<double>(rows.columns());
    }
    for (float& value : rows.row(i)) value -= static_cast<float>(mean);
  }
  return rows;
}

tensor::Matrix weighable(tensor::Matrix votes, double stddev) {
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    double mean = 0;
    for (const float vote : votes.row(i))
      mean += static_cast<double>(vote) / static_cast<double>(votes.columns());
    for (float& vote : votes.row(i))
      vote = static_cast<float>((static_cast<double>(vote) - mean) / (stddev + 1));
  }
  return votes;
}

// a, k, M, b in one vector: scores = a prior + k votes + 0.3 votes M + b.
std::size_t combiner_size(std::size_t classes) { return 2 + classes * classes + classes; }

void combined_row(std::span<const float> weights, std::span<const float> prior, std::span<const float> votes,
                  std::span<double> scores) {
  const std::size_t classes = prior.size();
  for (std::size_t c = 0; c < classes; ++c) {
    double score = static_cast<double>(weights[0]) * static_cast<double>(prior[c]) +
                   static_cast<double>(weights[1]) * static_cast<double>(votes[c]) +
                   static_cast<double>(weights[2 + classes * classes + c]);
    for (std::size_t d = 0; d < classes; ++d) {
      score +=
          kMatrixScale * static_cast<double>(votes[d]) * static_cast<double>(weights[2 + d * classes + c]);
    }
    scores[c] = score;
  }
}

tensor::Matrix combined(const tensor::Matrix& prior, const tensor::Matrix& votes,
                        const tensor::Matrix& weights) {
  tensor::Matrix scores(prior.rows(), prior.columns());
  std::vector<double> row(prior.columns());
  for (std::size_t i = 0; i < prior.rows(); ++i) {
    combined_row(weights.values(), prior.row(i), votes.row(i), row);
    std::ranges::transform(row, scores.row(i).begin(),
                           [](double score) { return static_cast<float>(score); });
  }
  return scores;
}

// One row per person: the gradient of its cross-entropy with respect to the combiner's weights; zeros where
// there is no label.
tensor::Matrix combiner_gradients(const tensor::Matrix& prior, const std::vector<std::int32_t>& labels,
                                  const tensor::Matrix& votes, const std::vector<graph::NodeId>& rows,
                                  const tensor::AlignedVector<float>& weights) {
  const std::size_t classes = prior.columns();
  tensor::Matrix gradients(rows.size(), weights.size());
  std::vector<double> error(classes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t label = labels[rows[i]];
    if (label < 0 || static_cast<std::size_t>(label) >= classes) continue;
    const std::span<const float> vote = votes.row(rows[i]);
    combined_row(weights, prior.row(i), vote, error);
    const double largest = *std::ranges::max_element(error);
    double sum = 0;
    for (double& value : error) sum += value = std::exp(value - largest);
    for (double& value : error) value /= sum;
    error[static_cast<std::size_t>(label)] -= 1;
    const std::span<float> row = gradients.row(i);
    double of_prior = 0;
    double of_votes = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      of_prior += error[c] * static_cast<double>(prior(i, c));
      of_votes += error[c] * static_cast<double>(vote[c]);
      row[2 + classes * classes + c] = static_cast<float>(error[c]);
      for (std::size_t d = 0; d < classes; ++d)
        row[2 + d * classes + c] = static_cast<float>(kMatrixScale * static_cast<double>(vote[d]) * error[c]);
    }
    row[0] = static_cast<float>(of_prior);
    row[1] = static_cast<float>(of_votes);
  }
  return gradients;
}

tensor::Matrix fit_combiner(const RecordBallot& options, const RecordBallotPlan& plan,
                            const privacy::ProtectedDataset& data,
                            const privacy::Guarded<tensor::Matrix>& prior_scores, const tensor::Matrix& votes,
                            double first_factor, const std::vector<graph::NodeId>& rows, Run& run) {
  const privacy::Secret<tensor::Matrix> prior = prior_scores.secret().map(
      [](const tensor::Matrix& scores, const std::vector<graph::NodeId>& members) {
        tensor::Matrix picked(members.size(), scores.columns());
        for (std::size_t i = 0; i < members.size(); ++i)
          std::ranges::copy(scores.row(members[i]), picked.row(i).begin());
        return centred_log_probabilities(picked);
      },
      rows);
  const privacy::ClippedSum mechanism(plan.combiner);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("combiner", 0);
  nn::OptimizerOptions descent;
  descent.learning_rate = options.combiner_rate;
  nn::Optimizer optimizer(descent, plan.combiner.columns, plan.combiner_steps);
  nn::Parameters weights{tensor::AlignedVector<float>(plan.combiner.columns), {}};
  weights.learnt[0] = 1;
  weights.learnt[1] = static_cast<float>(first_factor);
  IterateAverage average(plan.combiner_steps, 0.5);
  Progress progress("combiner", plan.combiner_steps);
  for (std::uint64_t step = 0; step < plan.combiner_steps; ++step) {
    privacy::SampledBatch everybody = mechanism.draw(*noise);
    const std::vector<double> sum =
        mechanism.release(prior.map(&combiner_gradients, data.labels.secret(), votes, rows, weights.learnt),
                          std::move(everybody), "clipped gradients of the combiner", run.log, *noise);
    const std::vector<float> slopes(sum.begin(), sum.end());
    optimizer.step(slopes, 1 / static_cast<double>(rows.size()), weights.learnt);
    average.see(step, weights);
    progress.advance();
  }
  average.write(weights);
  tensor::Matrix kept(1, weights.learnt.size());
  std::ranges::copy(weights.learnt, kept.values().begin());
  return kept;
}

}  // namespace

privacy::Event RecordBallotPlan::event_with_votes() const {
  return privacy::composed({pilot_votes.event(), pilot_usefulness.event(), regression.event(), votes.event(),
                            privacy::repeated(privacy::ClippedSum(combiner).event(), combiner_steps)});
}

privacy::Event RecordBallotPlan::event_without_votes() const {
  return privacy::composed({pilot_votes.event(), pilot_usefulness.event(), regression_alone.event()});
}

privacy::Event RecordBallotPlan::event() const {
  const privacy::Event with = event_with_votes();
  const privacy::Event without = event_without_votes();
  return privacy::gaussian_dp_mu(with) >= privacy::gaussian_dp_mu(without) ? with : without;
}

RecordBallotPlan plan_records(const RecordBallot& options, const Request& request,
                              const privacy::PublicFacts& facts) {
  require_budget(request, "ballot");
  const std::uint64_t rows = combiner_count(options, facts);
  if (rows == 0) throw DataError({.what = "nobody to teach the combiner", .where = "split"});
  const privacy::Unit& unit = request.unit;
  // A hair less than the budget, above the roundings of the shares.
  const double mu = privacy::gaussian_mu(request.epsilon->value(), request.delta.value()) * (1 - 1e-9);
  const auto multiplier = [&](double share) { return 1 / (mu * std::sqrt(share)); };
  const privacy::Sensitivity votes = sensitivity_of_votes(options, unit, facts);
  const privacy::GaussianMechanism pilot =
      privacy::GaussianMechanism::with_multiplier(votes, multiplier(kPilotVotes));
  const double bound = kClippedAt * pilot.stddev().value();
  const privacy::AffectedExamples affected = privacy::examples_of_one_record(unit);
  const std::uint64_t training = facts.count(graph::Role::train);
  return {.votes_sensitivity = votes,
          .pilot_votes = pilot,
          .pilot_usefulness = privacy::GaussianMechanism::with_multiplier(
              privacy::record_sum_sensitivity(unit, bound, 1), multiplier(kPilotUsefulness)),
          .pilot_bound = bound,
          .regression_alone = regression_training(options.regression, unit, training, mu * std::sqrt(kAlone)),
          .regression = regression_training(options.regression, unit, training, mu * std::sqrt(kRegression)),
          .votes = privacy::GaussianMechanism::with_multiplier(votes, multiplier(kVotes)),
          .combiner = {.unit = unit,
                       .affected = affected,
                       .clip_norm = privacy::ClipNorm(1),
                       .noise_multiplier = affected.clip_norms() * multiplier(kCombiner) *
                                           std::sqrt(static_cast<double>(options.combiner_steps)),
                       .sampling = privacy::PoissonSampling{1},
                       .population = rows,
                       .columns = combiner_size(facts.classes)},
          .combiner_steps = options.combiner_steps,
          .mu = mu};
}

void require_drawable(const RecordBallotPlan& plan, const privacy::PublicFacts& facts) {
  require_regression(plan.regression_alone, facts.features, facts.classes);
  require_regression(plan.regression, facts.features, facts.classes);
  privacy::ClippedSum(plan.combiner).require_drawable();
}

Plan describe_records(const RecordBallotPlan& plan, const privacy::Unit& unit) {
  Plan result{.event = plan.event()};
  const auto number = [](double value) { return fmt::format("{:.4f}", value); };
  result.numbers = {{"noise stddev of a first look", number(plan.pilot_votes.stddev().value())},
                    {"noise stddev of a vote", number(plan.votes.stddev().value())},
                    {"sensitivity of the votes", number(plan.votes_sensitivity.l2().value())},
                    {"noise multiplier of the regression", number(plan.regression.noise_multiplier)},
                    {"the same if the votes promise little", number(plan.regression_alone.noise_multiplier)},
                    {"noise multiplier of the combiner", number(plan.combiner.noise_multiplier)},
                    {"combiner rows", fmt::format("{}", plan.combiner.population)}};
  result.assumptions = {
      "ids, roles, classes, the feature dictionary and the number of training nodes are public",
      "a node's scores are made from its own features and are for its own eyes"};
  if (unit.keeps_to_own_list()) {
    result.assumptions.emplace_back(
        "whom others list is theirs: a row of the votes tells about those who list that node, each of whom "
        "is "
        "protected, and not about the node's own record; that somebody lists it is not hidden");
  } else {
    result.assumptions.emplace_back(
        "every node has at most as many edges as the unit says; the saved model holds every node's row of "
        "the "
        "votes, which the guarantee leaves out for the node itself: the file is not for publication");
  }
  return result;
}

Fit fit_records(const RecordBallot& options, const Request& request, const privacy::ProtectedDataset& data,
                Run& run) {
  const RecordBallotPlan plan = plan_records(options, request, data.facts);
  const std::unique_ptr<RandomStream> coins = run.stream.fork("voters", 0);
  const Voters voters = draw_voters(options, data.facts, *coins);
  const auto count = static_cast<double>(voters.combiner_rows.size());
  const std::unique_ptr<RandomStream> pilot_noise = run.noise.fork("pilot votes", 0);
  const tensor::Matrix pilot =
      released_votes(plan.pilot_votes, "a first look at the votes", voters, data, *pilot_noise, run.log);
  const std::unique_ptr<RandomStream> usefulness_noise = run.noise.fork("pilot usefulness", 0);
  const double lead = static_cast<double>(plan.pilot_usefulness.release(
                          data.labels.secret().map(&usefulness_sum, pilot, voters.combiner_rows,
                                                   plan.pilot_bound, plan.pilot_usefulness.grid()),
                          1, 1, "usefulness of the first look", run.log, *usefulness_noise)(0, 0)) /
                      (kLeftByClipping * count);
  const double usefulness = lead / plan.votes.stddev().value();
  const bool uses_votes = usefulness >= options.least_usefulness;

  const nn::PrivateTraining& training = uses_votes ? plan.regression : plan.regression_alone;
  const std::uint64_t parameters = regression_network(data.facts.features, data.facts.classes).parameters();
  const RowTuning tuned = options.regression.tuned(static_cast<double>(training.population),
                                                   privacy::gaussian_dp_mu(training.event()), parameters);
  const Regression regression =
      fit_regression(options.regression, tuned, training, data, data.facts.split.nodes(graph::Role::train),
                     "clipped gradients of the regression", run);
  Fit fit{.epochs = training.steps};
  fit.findings = {{"usefulness of the votes", fmt::format("{:.2f}", usefulness)},
                  {"noise multiplier used", fmt::format("{:.4f}", training.noise_multiplier)}};
  tell_who_answers(uses_votes, "the first look at the votes was not useful enough", fit);
  store(regression, kPriorName, fit.model);
  if (!uses_votes) return fit;

  const std::unique_ptr<RandomStream> votes_noise = run.noise.fork("votes", 0);
  tensor::Matrix votes = released_votes(plan.votes, "votes along lists", voters, data, *votes_noise, run.log);
  // Both looks together: weights by their shares, noise as if the shares had been spent at once.
  const double weight = kVotes / (kVotes + kPilotVotes);
  for (std::size_t i = 0; i < votes.size(); ++i) {
    votes.values()[i] = static_cast<float>(weight * static_cast<double>(votes.values()[i]) +
                                           (1 - weight) * static_cast<double>(pilot.values()[i]));
  }
  const double stddev = plan.votes.stddev().value() * std::sqrt(weight);
  votes = weighable(std::move(votes), stddev);
  // Where the weight of the votes starts: the log-likelihood ratio of a lead of that size in Gaussian noise
  // of this variance and about half as much from the votes themselves. The combiner then mends little.
  const double seen = std::max(lead, 0.0);
  const double first_factor = seen * (stddev + 1) / (stddev * stddev + seen / 2);
  tensor::Matrix weights = fit_combiner(options, plan, data, regression.scores(data.features), votes,
                                        first_factor, voters.combiner_rows, run);
  fit.model.tensors.push_back({kVotesName, std::move(votes)});
  fit.model.tensors.push_back({kCombinerName, std::move(weights)});
  return fit;
}

privacy::Guarded<tensor::Matrix> record_scores(const Model& model, const privacy::ProtectedDataset& data) {
  privacy::Guarded<tensor::Matrix> prior = restore_regression(kPriorName, model).scores(data.features);
  const auto voted = [](const tensor::NamedMatrix& one) { return one.name == kVotesName; };
  if (std::ranges::none_of(model.tensors, voted)) return prior;
  const tensor::Matrix& votes = model.tensor(kVotesName, data.facts.nodes, model.classes);
  const tensor::Matrix& weights = model.tensor(kCombinerName, 1, combiner_size(model.classes));
  return privacy::Guarded<tensor::Matrix>::hidden(prior.secret().map(
      [](const tensor::Matrix& scores, const tensor::Matrix& heard, const tensor::Matrix& learnt) {
        return combined(centred_log_probabilities(scores), heard, learnt);
      },
      votes, weights));
}

}  // namespace privet::methods
