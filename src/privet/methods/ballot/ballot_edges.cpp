#include "privet/methods/ballot/ballot_edges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "privet/accounting/calibration.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/split.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/learn/local_plan.hpp"
#include "privet/learn/report_sampler.hpp"
#include "privet/learn/vote_combiner.hpp"
#include "privet/learn/vote_rows.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {
namespace {

constexpr double kFloor = 1e-3;  // of a probability before its logarithm
constexpr double kRowBound = 1;
// Of votes, where few nodes are labeled. Rounds share epsilon under Laplace noise, its square under Gaussian.
constexpr std::uint64_t kLaplaceRounds = 2;
constexpr std::uint64_t kGaussianRounds = 6;
constexpr double kCombinerShare = 0.6;  // of the training nodes, where each edge is heard at one end only
const std::string kVotes = "votes";
const std::string kWhole = "combiner.whole_prior";
const std::string kCombiner = "combiner.";

bool is_labeled(graph::Role role) { return role == graph::Role::train; }

bool few_labels(const privacy::PublicFacts& facts) {
  return 2 * facts.count(graph::Role::train) < facts.nodes;
}

// Where few nodes are labeled, their rows must hear enough of the others for the combiner to learn from.
std::string sharing_of(const EdgeBallot& options, const privacy::PublicFacts& facts) {
  if (options.sharing != "auto") return options.sharing;
  return few_labels(facts) ? "both-ends" : "shared";
}

// An edge moves one vote, or two that add up to one: Laplace noise is a third of the Gaussian then. Rows of a
// second hop are long in L1.
bool uses_laplace(const EdgeBallot& options) {
  if (options.noise == "laplace" && options.hops > 1) {
    throw InvalidArgument({.what = fmt::format("{} hops with Laplace noise", options.hops),
                           .where = "ballot",
                           .expected = "one",
                           .remedy = "use noise=gaussian"});
  }
  return options.noise == "laplace" || (options.noise == "auto" && options.hops == 1);
}

// Where few nodes are labeled, most votes are guesses, and better ones after a first round.
std::uint64_t rounds_of(const EdgeBallot& options, const privacy::PublicFacts& facts) {
  if (options.rounds == 0) {
    if (options.hops > 1 || !few_labels(facts)) return 1;
    return uses_laplace(options) ? kLaplaceRounds : kGaussianRounds;
  }
  if (options.rounds > 1 && options.hops > 1) {
    throw InvalidArgument({.what = fmt::format("{} rounds and {} hops", options.rounds, options.hops),
                           .where = "ballot",
                           .expected = "several of one of them",
                           .remedy = "leave the other at 1"});
  }
  return options.rounds;
}

// Many columns for few nodes: the network would learn the training nodes by heart.
FoldOptions tuned_prior(const EdgeBallot& options, std::size_t features, std::size_t training_nodes) {
  FoldOptions tuned = options.prior;
  if (options.tuning == "auto") tuned.shape.dropout = 4 * features > training_nodes ? 0.8 : 0.5;
  return tuned;
}

// The weights of a pair cost what the norm of their squares does under Gaussian noise, and under Laplace
// noise their sum: either is 1.
void set_rule(const std::string& sharing, double heard, bool laplace, const std::vector<graph::Role>& roles,
              RandomStream& stream, EdgeBallotPlan& plan) {
  constexpr std::uint8_t kUnlabeled = 0;
  constexpr std::uint8_t kCombines = 1;
  constexpr std::uint8_t kLabeled = 2;
  std::vector<graph::NodeId> training;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    plan.rule.groups.push_back(is_labeled(roles[i]) ? kCombines : kUnlabeled);
    if (is_labeled(roles[i])) training.push_back(static_cast<graph::NodeId>(i));
  }
  const double half = laplace ? 0.5 : std::sqrt(0.5);
  const double rest = laplace ? 1 - heard : std::sqrt(1 - heard * heard);
  if (sharing == "one-end") {
    plan.rule.weights = {{1, 1, 1}, {0, 1, 1}, {0, 0, 1}};
    plan.rule.ties_by_key = true;
    graph::shuffle(training, stream);
    const auto kept =
        static_cast<std::size_t>(std::ceil(kCombinerShare * static_cast<double>(training.size())));
    for (std::size_t i = kept; i < training.size(); ++i) plan.rule.groups[training[i]] = kLabeled;
    training.resize(kept);
    std::ranges::sort(training);
  } else if (sharing == "both-ends") {
    plan.rule.weights = {{half, half}, {half, half}};
  } else {
    plan.rule.weights = {{half, heard}, {rest, half}};
  }
  plan.combiner_rows = std::move(training);
}

// Nothing protected: the sums themselves.
tensor::Matrix plain_sums(const graph::Graph& graph, const tensor::Matrix& rows, const EdgeBallotPlan& plan) {
  const privacy::FixedPointMatrix sums =
      privacy::vote_sums(graph, rows, plan.rule, plan.term, {.grid = 0x1p-20, .row_bound = kRowBound});
  tensor::Matrix votes(sums.rows, sums.columns);
  for (std::size_t i = 0; i < sums.steps.size(); ++i)
    votes.values()[i] = static_cast<float>(static_cast<double>(sums.steps[i]) * sums.grid);
  return votes;
}

// Laplace noise adds up faster than the Gaussian, so one release has it all; and an edge that is heard at
// both ends costs twice, so one end hears it: that without a label, unless those with one would hear next to
// nobody.
void set_local(const EdgeBallot& options, const Request& request, const privacy::PublicFacts& facts,
               RandomStream& stream, EdgeBallotPlan& plan) {
  if (options.hops > 1 || options.rounds > 1 || options.sharing == "shared" || options.noise == "gaussian") {
    throw InvalidArgument(
        {.what = options.sharing == "shared"   ? "sharing=shared"
                 : options.noise == "gaussian" ? "noise=gaussian"
                                               : "several releases",
         .where = "ballot",
         .expected = "one release with Laplace noise, heard at one end or both, under local-edge",
         .remedy = "leave sharing, noise, hops and rounds as they are"});
  }
  require_budget(request, "ballot");
  const bool both = options.sharing == "both-ends";
  const bool by_roles = !both && (options.sharing == "one-end" || !few_labels(facts));
  set_rule(by_roles ? "one-end" : "both-ends", options.heard, true, facts.split.roles, stream, plan);
  plan.rounds = 1;
  plan.local = LocalVotes{.epsilon = request.epsilon->value() * (1 - 0x1p-48),
                          .asked = both ? privacy::PairReports::both_ends : privacy::PairReports::one_end,
                          .ranks = by_roles ? plan.rule.groups : std::vector<std::uint8_t>(),
                          .pair_key = stream.bits()};
}

tensor::Matrix released_votes(const EdgeBallotPlan& plan, const privacy::ProtectedDataset& data,
                              const tensor::Matrix& ballots, std::size_t look, Run& run) {
  if (plan.local) return local_votes(*plan.local, ballots, data, run);
  if (!plan.gaussian && !plan.laplace) return plain_sums(data.graph.visible(), ballots, plan);
  const std::unique_ptr<RandomStream> noise = run.noise.fork("votes", look);
  const std::string what = fmt::format("votes of the neighbours{}, {} {}",
                                       plan.laplace ? " in units of 2^-20, sensitivity and noise too" : "",
                                       plan.rounds > 1 ? "round" : "hop", look + 1);
  if (plan.gaussian) {
    const privacy::RowRounding rounding{.grid = plan.gaussian->grid(), .row_bound = kRowBound};
    return plan.gaussian->release(
        data.graph.secret().map(&privacy::vote_sums, ballots, plan.rule, plan.term, rounding), ballots.rows(),
        ballots.columns(), what, run.log, *noise);
  }
  const std::vector<std::int64_t> counts =
      plan.laplace->release(data.graph.secret().map(&privacy::vote_counts, privacy::memberships_of(ballots),
                                                    ballots.columns(), plan.rule, plan.term),
                            ballots.size(), what, run.log, *noise);
  tensor::Matrix votes(ballots.rows(), ballots.columns());
  for (std::size_t i = 0; i < votes.size(); ++i)
    votes.values()[i] = static_cast<float>(static_cast<double>(counts[i]) / privacy::kMembershipSteps);
  centre_rows(votes);
  return votes;
}

// The mean of what was heard so far and once more.
void average_in(const tensor::Matrix& heard, std::size_t before, tensor::Matrix& votes) {
  if (before == 0) votes = tensor::Matrix(heard.rows(), heard.columns());
  const float share = 1 / static_cast<float>(before + 1);
  for (std::size_t i = 0; i < votes.size(); ++i)
    votes.values()[i] += share * (heard.values()[i] - votes.values()[i]);
}

void put_beside(const tensor::Matrix& heard, std::size_t hop, std::size_t hops, tensor::Matrix& votes) {
  if (hop == 0) votes = tensor::Matrix(heard.rows(), hops * heard.columns());
  for (std::size_t i = 0; i < votes.rows(); ++i)
    std::ranges::copy(heard.row(i), votes.row(i).subspan(hop * heard.columns()).begin());
}

// How far the vote for the own class stands above the others on labeled rows, in standard deviations of the
// noise.
double measured_usefulness(const tensor::Matrix& votes, const std::vector<std::int32_t>& labels,
                           const std::vector<graph::NodeId>& rows, std::size_t classes, double stddev) {
  double sum = 0;
  for (const graph::NodeId node : rows) {
    double others = 0;
    for (std::size_t c = 0; c < classes; ++c) others += static_cast<double>(votes(node, c));
    const auto own = static_cast<double>(votes(node, static_cast<std::size_t>(labels[node])));
    sum += own - (others - own) / static_cast<double>(classes - 1);
  }
  return sum / static_cast<double>(rows.size()) / stddev;
}

// Of memberships that are all alike: those of one class.
AuditSampler counted_votes_sampler(const EdgeBallotPlan& plan, const AuditPair& pair) {
  const std::vector<std::uint32_t> alike(pair.first.nodes(), privacy::kMembershipSteps);
  const std::vector<std::int64_t> one = privacy::vote_counts(pair.first, alike, 1, plan.rule, plan.term);
  const std::vector<std::int64_t> two = privacy::vote_counts(pair.second, alike, 1, plan.rule, plan.term);
  std::vector<std::int64_t> moved;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] != two[i]) moved.push_back(one[i] - two[i]);
  }
  return counts_sampler(*plan.laplace, std::move(moved), plan.looks(), "votes of the neighbours");
}

}  // namespace

privacy::Event EdgeBallotPlan::event() const {
  if (local) return plan_of_query(local->bare()).event;
  if (gaussian) return privacy::repeated(gaussian->event(), looks());
  if (laplace) return privacy::repeated(laplace->event(), looks());
  return {};
}

double EdgeBallotPlan::stddev() const {
  const double averaged = std::sqrt(static_cast<double>(rounds));
  if (local) return local->stddev();
  if (gaussian) return gaussian->stddev().value() / averaged;
  if (laplace) return std::sqrt(2.0) / (laplace->rate().value() * privacy::kMembershipSteps) / averaged;
  return 0;
}

EdgeBallotPlan plan_edges(const EdgeBallot& options, const Request& request,
                          const privacy::PublicFacts& facts, RandomStream& stream) {
  require_folds(options.prior, facts.count(graph::Role::train));
  EdgeBallotPlan plan{.rule = {}, .term = privacy::Term::pair};
  if (request.unit.is_reported_locally()) {
    set_local(options, request, facts, stream, plan);
    return plan;
  }
  if (request.unit.changes_entries()) plan.term = privacy::Term::entry;
  plan.hops = options.hops;
  plan.rounds = rounds_of(options, facts);
  const bool open = !request.unit.protects_anything();
  const bool laplace = !open && uses_laplace(options);
  set_rule(sharing_of(options, facts), options.heard, laplace, facts.split.roles, stream, plan);
  plan.rule.key = stream.bits();
  if (open) return plan;
  require_budget(request, "ballot");
  if (laplace) {
    const double each = request.epsilon->value() * (1 - 0x1p-48) / static_cast<double>(plan.looks());
    plan.laplace = privacy::GeometricMechanism::with_epsilon(
        privacy::pair_count_sensitivity(request.unit, plan.rule.loudest_together(), facts.classes),
        privacy::Epsilon(each));
    return plan;
  }
  const privacy::Sensitivity sensitivity =
      privacy::pair_sum_sensitivity(request.unit, plan.rule.loudest(), kRowBound, facts.classes);
  const double noise = privacy::calibrate(
      [&](double multiplier) { return privacy::repeated(privacy::GaussianEvent{multiplier}, plan.looks()); },
      *request.epsilon, request.delta);
  plan.gaussian = privacy::GaussianMechanism::with_multiplier(sensitivity, noise);
  return plan;
}

Plan describe_edges(const EdgeBallot& options, const EdgeBallotPlan& plan,
                    const privacy::PublicFacts& facts) {
  if (!plan.gaussian && !plan.laplace && !plan.local) return {};
  Plan result = plan.local ? plan_of_query(plan.local->bare()) : Plan{.event = plan.event()};
  result.assumptions.emplace_back(
      "features, labels, roles and everything drawn from them are public and were fixed before the edges "
      "were opened");
  result.assumptions.emplace_back(
      "nothing but the released votes depends on an edge; predictions for all nodes may be published");
  const auto tell = [&](const char* what, std::string number) {
    result.numbers.emplace_back(what, std::move(number));
  };
  tell("noise", plan.gaussian ? "Gaussian" : "Laplace");
  tell("noise stddev of a vote",
       fmt::format("{:.4f}{}", plan.stddev(), plan.rounds > 1 ? ", averaged over the rounds" : ""));
  if (plan.local) {
    tell("heard", plan.local->asked == privacy::PairReports::both_ends ? "at both ends"
                  : plan.local->ranks.empty()                          ? "at one end, by a hash of the pair"
                                              : "at one end, that without a label before others");
  } else {
    if (plan.gaussian) tell("sensitivity", fmt::format("{:.4f}", plan.gaussian->sensitivity().l2().value()));
    if (plan.laplace) tell("sensitivity", fmt::format("{:.4f} (L1)", plan.rule.loudest_together()));
    tell("releases", fmt::format("{}", plan.looks()));
    tell("sharing", sharing_of(options, facts));
  }
  tell("combiner rows", fmt::format("{}", plan.combiner_rows.size()));
  if (options.expected_degree > 0 && options.expected_homophily > 0) {
    const double classes = static_cast<double>(facts.classes);
    const double labeled =
        static_cast<double>(facts.count(graph::Role::train)) / static_cast<double>(facts.nodes);
    const double rho = labeled * options.expected_degree *
                       (options.expected_homophily - (1 - options.expected_homophily) / (classes - 1)) /
                       plan.stddev();
    tell("expected usefulness",
         fmt::format("{:.2f} to {:.2f}{}; below 1 the votes seldom help", rho / 1.5, rho * 1.5,
                     plan.rounds > 1 ? " by labels alone, more with what later rounds know" : ""));
  }
  return result;
}

Fit fit_edges(const EdgeBallot& options, const Request& request, const privacy::ProtectedDataset& data,
              Run& run) {
  const std::unique_ptr<RandomStream> rule_stream = run.stream.fork("rule", 0);
  const EdgeBallotPlan plan = plan_edges(options, request, data.facts, *rule_stream);
  const std::vector<std::int32_t>& labels = data.labels.visible();
  const graph::Features& features = data.features.visible();
  const std::unique_ptr<RandomStream> prior_stream = run.stream.fork("prior", 0);
  const std::shared_ptr<const FoldPrior> known =
      remembered_folds(tuned_prior(options, data.facts.features, data.facts.count(graph::Role::train)),
                       features, labels, data.facts.classes, data.facts.split, *prior_stream);
  const FoldPrior& prior = *known;
  const tensor::Matrix log_prior = prior.log_probabilities(features, kFloor);
  const tensor::Matrix whole_prior = prior.whole_log_probabilities(features, kFloor);

  Fit fit{.epochs = options.prior.training.epochs};
  std::vector<bool> training;
  for (const graph::Role role : data.facts.split.roles) training.push_back(is_labeled(role));
  const std::unique_ptr<RandomStream> combiner_stream = run.stream.fork("combiner", 0);
  const CombinerRows on = combiner_rows(plan.combiner_rows, data.facts.split, *combiner_stream);
  tensor::Matrix votes;
  const auto chosen = [&] {
    return choose_combiner({.prior = log_prior,
                            .whole_prior = whole_prior,
                            .votes = votes,
                            .blocks = plan.hops,
                            .labels = labels,
                            .rows = on.to_fit,
                            .validation = on.to_choose},
                           *combiner_stream);
  };
  const auto answers = [&](const Choice& choice) {
    return choice.combiner.scores(choice.whole ? whole_prior : log_prior, votes);
  };
  const auto ballots = [&](const tensor::Matrix& scores) {
    return plan.laplace || plan.local ? class_shares(scores, labels, training)
                                      : vote_rows(scores, labels, training);
  };
  tensor::Matrix rows = ballots(log_prior);
  for (std::size_t look = 0; look < plan.looks(); ++look) {
    const tensor::Matrix heard = released_votes(plan, data, rows, look, run);
    if (plan.rounds > 1) {
      average_in(heard, look, votes);
      if (look + 1 < plan.looks()) rows = ballots(answers(chosen()));
    } else {
      put_beside(heard, look, plan.hops, votes);
      tensor::normalize_rows_l2(heard, rows);
    }
  }
  const Choice choice = chosen();
  const tensor::Matrix scores = answers(choice);
  const double stddev = plan.stddev() > 0 ? plan.stddev() : 1;
  fit.findings = {
      {"usefulness of the votes", fmt::format("{:.2f}", measured_usefulness(votes, labels, plan.combiner_rows,
                                                                            data.facts.classes, stddev))},
      {"combiner", choice.combiner.name},
      {"best without votes", choice.without_votes},
      {"gain in validation loss", fmt::format("{:.4f} +- {:.4f}", choice.gain, choice.standard_error)}};
  if (request.wants_privacy()) tell_who_answers(choice.combiner.uses_votes, kNoBetter, fit);
  std::vector<std::int32_t> counted(labels.size(), graph::kUnlabeled);
  for (const graph::NodeId node : on.to_choose) counted[node] = labels[node];
  fit.validation_accuracy = nn::accuracy(scores, counted);
  store(prior, fit.model);
  fit.model.tensors.push_back({kVotes, votes});
  store(choice.combiner, kCombiner, fit.model);
  tensor::Matrix whole(1, 1);
  whole(0, 0) = choice.whole ? 1 : 0;
  fit.model.tensors.push_back({kWhole, std::move(whole)});
  return fit;
}

AuditSampler edge_votes_sampler(const EdgeBallotPlan& plan, const AuditPair& pair) {
  if (plan.local) return local_report_sampler(0, plan.local->epsilon);
  if (plan.laplace) return counted_votes_sampler(plan, pair);
  const privacy::RowRounding rounding{.grid = plan.gaussian->grid(), .row_bound = kRowBound};
  tensor::Matrix alike(pair.first.nodes(), 1);
  std::ranges::fill(alike.values(), static_cast<float>(kRowBound));
  const privacy::FixedPointMatrix one = privacy::vote_sums(pair.first, alike, plan.rule, plan.term, rounding);
  const privacy::FixedPointMatrix two =
      privacy::vote_sums(pair.second, alike, plan.rule, plan.term, rounding);
  double squares = 0;
  for (std::size_t i = 0; i < one.steps.size(); ++i)
    squares += std::pow(static_cast<double>(one.steps[i] - two.steps[i]) * one.grid, 2);
  return shifted_sampler(*plan.gaussian, std::sqrt(squares), plan.looks(), "votes of the neighbours");
}

tensor::Matrix edge_scores(const EdgeBallot& options, const Model& model,
                           const privacy::ProtectedDataset& data) {
  const std::size_t nodes = data.facts.nodes;
  const FoldPrior prior = restore_folds(options.prior, model, nodes);
  const tensor::Matrix& votes = model.tensor(kVotes, nodes, options.hops * model.classes);
  const Combiner combiner = restore_combiner(kCombiner, model, votes.columns());
  const bool whole = model.tensor(kWhole, 1, 1)(0, 0) != 0;
  const graph::Features& features = data.features.visible();
  return combiner.scores(
      whole ? prior.whole_log_probabilities(features, kFloor) : prior.log_probabilities(features, kFloor),
      votes);
}

}  // namespace privet::methods
