#include "privet/methods/ballot/ballot.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "learn/method_cases.hpp"
#include "privet/accounting/gaussian_dp.hpp"
#include "privet/base/error.hpp"
#include "privet/graph/generate.hpp"
#include "privet/methods/features/dp_linear.hpp"
#include "privet/run/runner.hpp"

namespace privet::methods {
namespace {

using testing::run_with;

Request request_with(double epsilon, double delta, const std::string& unit) {
  return testing::request_with(unit, epsilon, privacy::Rigor::kStrict, delta);
}

graph::Dataset small_graph(double homophily = 0.9, std::uint64_t nodes = 500) {
  graph::DcsbmOptions options;
  options.nodes = nodes;
  options.homophily = homophily;
  return graph::make_dcsbm(options, 1);
}

graph::Split split_of(const graph::Dataset& data, std::uint64_t seed = 1) {
  return draw_split(data, privacy::Unit::edge(), privacy::Rigor::kStrict, "75/10/15", seed);
}

privacy::PublicFacts facts_of(const graph::Dataset& data) {
  return privacy::protect(data, split_of(data), privacy::Unit::edge()).facts;
}

// Small and quick; a Method can't be copied, so the caller's is set.
void make_quick(Ballot& method) {
  for (const char* option : {"epochs=20", "folds=3", "width=16"}) method.options().set_assignment(option);
}

// The same streams whatever the graph: two runs then differ in what the graph differs in, and nothing else.
Model fitted(const Ballot& method, const Request& request, const graph::Dataset& data) {
  const privacy::ProtectedDataset protected_data = privacy::protect(data, split_of(data), request.unit);
  SeededStream stream(3);
  SeededStream noise(4);
  privacy::ReleaseLog log;
  Run run{stream, noise, log};
  return method.fit(request, protected_data, run).model;
}

const tensor::Matrix& named(const Model& model, const std::string& name) {
  for (const tensor::NamedMatrix& tensor : model.tensors) {
    if (tensor.name == name) return tensor.values;
  }
  throw std::logic_error("no tensor " + name);
}

graph::Dataset with_edges(const graph::Dataset& data, const std::vector<graph::Edge>& edges) {
  graph::EdgeList list;
  for (const graph::Edge& edge : edges) list.add(edge.from, edge.to);
  graph::Dataset result = data;
  result.graph = graph::Graph(data.nodes(), std::move(list), graph::Direction::undirected);
  return result;
}

std::vector<graph::Edge> edges_of(const graph::Graph& graph) {
  std::vector<graph::Edge> edges;
  for (graph::NodeId i = 0; i < graph.nodes(); ++i) {
    for (const graph::NodeId j : graph.neighbors(i)) {
      if (i < j) edges.push_back({i, j});
    }
  }
  return edges;
}

EdgeBallot with_noise(const char* noise, const char* sharing = "auto") {
  EdgeBallot options;
  options.noise = noise;
  options.sharing = sharing;
  return options;
}

// An edge moves votes by 1 in L1, however it is heard: Laplace noise of scale 1 / epsilon, of variance 2 /
// epsilon^2, at no delta at all.
TEST(Ballot, NoiseIsThatOfOneLaplaceRelease) {
  const privacy::PublicFacts facts = facts_of(small_graph());
  for (const char* unit : {"edge", "directed-edge"}) {
    for (const char* sharing : {"shared", "one-end", "both-ends"}) {
      for (const double epsilon : {0.25, 1.0, 4.0}) {
        SeededStream stream(1);
        const EdgeBallotPlan plan =
            plan_edges(with_noise("auto", sharing), request_with(epsilon, 1e-6, unit), facts, stream);
        ASSERT_TRUE(plan.laplace && !plan.gaussian && !plan.local);
        EXPECT_NEAR(plan.rule.loudest_together(), 1, 1e-12) << sharing;
        EXPECT_NEAR(plan.stddev() * epsilon, std::sqrt(2), 1e-5) << sharing;
        EXPECT_LE(privacy::epsilon(plan.event(), privacy::Delta(1e-12)).upper, epsilon);
        EXPECT_GT(privacy::epsilon(plan.event(), privacy::Delta(1e-12)).upper, 0.999 * epsilon);
      }
    }
  }
}

// 1/mu at delta 1e-6, recomputed in the review of the prototype: 8.058 4.225 2.230 1.194 0.653. The
// sensitivity is 1 whether an edge is heard at one end or shared.
TEST(Ballot, NoiseIsThatOfOneGaussianReleaseWhereThatIsAskedFor) {
  const graph::Dataset data = small_graph();
  const std::vector<std::pair<double, double>> published = {
      {0.5, 8.058}, {1, 4.225}, {2, 2.230}, {4, 1.194}, {8, 0.653}};
  for (const char* sharing : {"shared", "one-end"}) {
    for (const auto& [epsilon, stddev] : published) {
      SeededStream stream(1);
      const EdgeBallotPlan plan = plan_edges(with_noise("gaussian", sharing),
                                             request_with(epsilon, 1e-6, "edge"), facts_of(data), stream);
      ASSERT_TRUE(plan.gaussian);
      EXPECT_EQ(plan.looks(), 1U);
      EXPECT_NEAR(plan.gaussian->stddev().value(), stddev, 0.001) << sharing;
      EXPECT_LE(privacy::epsilon(plan.event(), privacy::Delta(1e-6)).upper, epsilon);
    }
  }
}

TEST(Ballot, TwoHopsShareTheBudgetOfGaussianNoise) {
  EdgeBallot options;
  options.hops = 2;
  SeededStream stream(1);
  const Request request = request_with(1, 1e-6, "edge");
  const EdgeBallotPlan plan = plan_edges(options, request, facts_of(small_graph()), stream);
  ASSERT_TRUE(plan.gaussian);
  EXPECT_EQ(plan.looks(), 2U);
  EXPECT_NEAR(plan.gaussian->stddev().value(), 4.2247 * std::sqrt(2), 0.001);
  EXPECT_LE(privacy::epsilon(plan.event(), privacy::Delta(1e-6)).upper, 1);
  options.noise = "laplace";
  EXPECT_THROW(static_cast<void>(plan_edges(options, request, facts_of(small_graph()), stream)),
               InvalidArgument);
}

TEST(Ballot, RoundsShareTheBudgetWhereFewAreLabeled) {
  const graph::Dataset data = small_graph();
  const auto plan_with = [&](const EdgeBallot& options, const char* shares) {
    SeededStream stream(1);
    const privacy::PublicFacts facts =
        privacy::protect(data, draw_split(data, privacy::Unit::edge(), privacy::Rigor::kStrict, shares, 1),
                         privacy::Unit::edge())
            .facts;
    return plan_edges(options, request_with(1, 1e-6, "edge"), facts, stream);
  };
  const EdgeBallot usual;
  EXPECT_EQ(plan_with(usual, "75/10/15").looks(), 1U);
  const EdgeBallotPlan few = plan_with(usual, "10/10/80");
  EXPECT_EQ(few.looks(), 2U);
  EXPECT_NEAR(few.stddev(), std::sqrt(2.0 * 2), 1e-4) << "half of epsilon each, the mean of two";
  EXPECT_LE(privacy::epsilon(few.event(), privacy::Delta(1e-6)).upper, 1);
  const EdgeBallotPlan gaussian = plan_with(with_noise("gaussian"), "10/10/80");
  EXPECT_EQ(gaussian.looks(), 6U);
  EXPECT_NEAR(gaussian.gaussian->stddev().value(), 4.2247 * std::sqrt(6), 0.002);
  EXPECT_LE(privacy::epsilon(gaussian.event(), privacy::Delta(1e-6)).upper, 1);
  EdgeBallot both;
  both.rounds = 2;
  both.hops = 2;
  EXPECT_THROW(static_cast<void>(plan_with(both, "75/10/15")), InvalidArgument);
}

// Everybody tells its own counts, all of epsilon in one release; of an edge one end tells.
TEST(Ballot, LocalVotesCostEpsilonForABitAndForAnEdge) {
  const privacy::PublicFacts facts = facts_of(small_graph());
  Ballot method;
  const Plan plan = method.plan(request_with(2, 1e-6, "local-edge"), facts);
  EXPECT_LE(privacy::epsilon(plan.event, privacy::Delta(1e-12)).upper, 2);
  ASSERT_TRUE(plan.other_unit);
  EXPECT_EQ(plan.other_unit->first, "edge");
  EXPECT_LE(privacy::epsilon(plan.other_unit->second, privacy::Delta(1e-12)).upper, 2);
  method.options().set("sharing", "both-ends");
  const Plan both = method.plan(request_with(2, 1e-6, "local-edge"), facts);
  EXPECT_GT(privacy::epsilon(both.other_unit->second, privacy::Delta(1e-12)).upper, 3.99);
  for (const auto& [option, value] : {std::pair{"sharing", "shared"}, std::pair{"noise", "gaussian"},
                                      std::pair{"hops", "2"}, std::pair{"rounds", "2"}}) {
    Ballot other;
    other.options().set(option, value);
    EXPECT_THROW(static_cast<void>(other.plan(request_with(2, 1e-6, "local-edge"), facts)), InvalidArgument)
        << option;
  }
}

// Those without a label are asked about those with one; of two alike a hash decides.
TEST(Ballot, LocalVotesAreHeardWhereTheyAreNeeded) {
  const privacy::PublicFacts facts = facts_of(small_graph());
  SeededStream stream(1);
  const EdgeBallot usual;
  const EdgeBallotPlan plan = plan_edges(usual, request_with(2, 1e-6, "local-edge"), facts, stream);
  ASSERT_TRUE(plan.local);
  ASSERT_EQ(plan.local->ranks.size(), facts.nodes);
  std::size_t teach = 0;
  for (std::size_t i = 0; i < facts.nodes; ++i) {
    const bool labeled = facts.split.roles[i] == graph::Role::train;
    EXPECT_EQ(plan.local->ranks[i] == 0, !labeled);
    teach += plan.local->ranks[i] == 1 ? 1 : 0;
  }
  EXPECT_EQ(plan.combiner_rows.size(), teach);
  for (const graph::NodeId row : plan.combiner_rows) EXPECT_EQ(plan.local->ranks[row], 1);
}

TEST(Ballot, LocalVotesHelpAndAreCertified) {
  Ballot method;
  make_quick(method);
  const RunResult result =
      run_once(method, small_graph(0.9, 1000), run_with(request_with(2, 1e-6, "local-edge"), 2));
  ASSERT_TRUE(result.certificate.sound);
  ASSERT_EQ(result.certificate.releases.size(), 1U);
  EXPECT_EQ(result.certificate.releases.front().mechanism, "geometric");
  EXPECT_LE(*result.certificate.epsilon, 2);
  EXPECT_GT(*result.test_accuracy, 0.8);
}

// Ballots of a later round are better ones: with labels of one node in ten, and many neighbours to hear
// them, two rounds of half of the budget each answer more of the others than one of the whole.
TEST(Ballot, LaterRoundsCarryBetterVotes) {
  graph::DcsbmOptions crowded;
  crowded.nodes = 1000;
  crowded.features = 40;
  crowded.homophily = 0.6;
  crowded.mean_degree = 60;
  const graph::Dataset data = graph::make_dcsbm(crowded, 7);
  const auto mean_accuracy = [&](const char* rounds) {
    double sum = 0;
    for (const std::uint64_t seed : {1, 2, 3}) {
      Ballot method;
      make_quick(method);
      method.options().set("rounds", rounds);
      RunRequest run = run_with(request_with(4, 1e-6, "edge"), seed);
      run.split = "10/10/80";
      const RunResult result = run_once(method, data, run);
      EXPECT_EQ(result.certificate.releases.size(), std::stoul(rounds));
      EXPECT_LE(*result.certificate.epsilon, 4);
      sum += *result.test_accuracy;
    }
    return sum / 3;
  };
  const double one = mean_accuracy("1");
  const double two = mean_accuracy("2");
  EXPECT_GT(two, one + 0.05);
}

// Two whole runs on graphs that differ in one edge, with the same noise: what differs in the released votes
// is what the edge says. Pendant edges, ties and edges of hubs; the prior must not change at all.
struct Hearing {
  const char* unit;
  const char* noise;
  const char* sharing;
  std::size_t rows;  // that one edge moves, at most
};

TEST(Ballot, OneEdgeMovesTheVotesOfItsEndsByAtMostOneAndNothingElse) {
  const graph::Dataset data = small_graph();
  std::vector<graph::Edge> edges = edges_of(data.graph);
  edges.push_back({0, static_cast<graph::NodeId>(data.nodes() - 1)});
  for (const auto& [unit, noise, sharing, most] :
       {Hearing{"edge", "gaussian", "shared", 2}, Hearing{"edge", "gaussian", "one-end", 1},
        Hearing{"edge", "gaussian", "both-ends", 2}, Hearing{"edge", "laplace", "shared", 2},
        Hearing{"edge", "laplace", "one-end", 1}, Hearing{"edge", "laplace", "both-ends", 2},
        Hearing{"local-edge", "auto", "auto", 1}}) {
    SCOPED_TRACE(std::string(unit) + " " + noise + " " + sharing);
    Ballot method;
    make_quick(method);
    method.options().set("noise", noise);
    method.options().set("sharing", sharing);
    const Request request = request_with(1, 1e-6, unit);
    const Model with = fitted(method, request, with_edges(data, edges));
    for (const std::size_t left_out : {std::size_t{0}, edges.size() / 2, edges.size() - 1}) {
      std::vector<graph::Edge> fewer = edges;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(left_out));
      const Model without = fitted(method, request, with_edges(data, fewer));
      const tensor::Matrix& a = named(with, "votes");
      const tensor::Matrix& b = named(without, "votes");
      std::set<std::size_t> moved;
      double squares = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double by = static_cast<double>(a.values()[i]) - static_cast<double>(b.values()[i]);
        squares += by * by;
        if (by != 0) moved.insert(i / a.columns());
      }
      EXPECT_GE(moved.size(), 1U);
      EXPECT_LE(moved.size(), most) << sharing;
      for (const std::size_t row : moved)
        EXPECT_TRUE(row == edges[left_out].from || row == edges[left_out].to);
      EXPECT_LE(std::sqrt(squares), 1 + 1e-5) << "votes leave as float32";
      for (const tensor::NamedMatrix& tensor : with.tensors) {
        if (tensor.name.rfind("prior.", 0) == 0) {
          EXPECT_EQ(tensor.values, named(without, tensor.name)) << tensor.name;
        }
      }
    }
  }
}

// With noise so large that a vote is less than a step of its grid, the released votes are the same on every
// graph: then everything else must be, to the last bit. Nothing but the votes sees an edge.
TEST(Ballot, WithTheVotesFrozenEverythingElseIsTheSame) {
  Ballot method;
  make_quick(method);
  method.options().set("noise", "gaussian");
  const Request request = request_with(1e-6, 1e-9, "edge");
  const graph::Dataset data = small_graph();
  const Model full = fitted(method, request, data);
  const Model empty = fitted(method, request, with_edges(data, {}));
  ASSERT_EQ(named(full, "votes"), named(empty, "votes")) << "the grid is too fine for this test";
  EXPECT_EQ(full.tensors, empty.tensors);
}

TEST(Ballot, OrderAndRepeatsOfEdgesChangeNothing) {
  Ballot method;
  make_quick(method);
  const Request request = request_with(2, 1e-6, "edge");
  const graph::Dataset data = small_graph();
  std::vector<graph::Edge> turned;
  const std::vector<graph::Edge> edges = edges_of(data.graph);
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
    turned.push_back({edge->to, edge->from});
    turned.push_back(*edge);
  }
  EXPECT_EQ(fitted(method, request, data).tensors, fitted(method, request, with_edges(data, turned)).tensors);
}

std::string finding(const RunResult& result, const std::string& name) {
  for (const auto& [label, value] : result.findings) {
    if (label == name) return value;
  }
  return "none";
}

TEST(Ballot, UsesVotesThatHelpAndCertifiesOneRelease) {
  Ballot method;
  make_quick(method);
  const RunResult result =
      run_once(method, small_graph(0.9, 1000), run_with(request_with(4, 1e-6, "edge"), 2));
  ASSERT_TRUE(result.certificate.sound);
  EXPECT_EQ(result.certificate.releases.size(), 1U);
  EXPECT_LE(*result.certificate.epsilon, 4);
  EXPECT_NE(finding(result, "combiner").find("votes"), std::string::npos);
  EXPECT_EQ(finding(result, "combiner").find("no votes"), std::string::npos);
  EXPECT_GT(*result.test_accuracy, 0.8);
}

// Edges at random carry nothing: over several graphs the votes are (almost) never used, and the scores are
// those of the features. One standard error lets about one graph in six through by chance.
TEST(Ballot, LeavesVotesThatDoNotHelp) {
  int used = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Ballot method;
    make_quick(method);
    const RunResult result =
        run_once(method, small_graph(0.2, 500), run_with(request_with(0.5, 1e-6, "edge"), seed));
    const std::string combiner = finding(result, "combiner");
    used += combiner.find(", votes") != std::string::npos ? 1 : 0;
  }
  EXPECT_LE(used, 3);
}

TEST(Ballot, SavedAndLoadedItScoresTheSame) {
  for (const char* unit : {"edge", "local-edge", "record", "node:400"}) {
    Ballot method;
    make_quick(method);
    method.options().set("least_usefulness", "-1000");
    const Request request = request_with(4, 1e-6, unit);
    const graph::Dataset data = small_graph();
    const privacy::ProtectedDataset wrapped = privacy::protect(
        data, draw_split(data, request.unit, privacy::Rigor::kStrict, "75/10/15", 1), request.unit);
    Model model = run_once(method, data, run_with(request, 1)).model;
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("privet-ballot-" + std::to_string(::getpid()));
    save_model(model, "none", folder);
    const Model loaded = load_model(folder).model;
    std::filesystem::remove_all(folder);
    privacy::ReleaseLog log;
    const auto shown = [&](const Model& from) {
      const privacy::Guarded<tensor::Matrix> scores = method.scores(from, wrapped);
      return scores.is_secret() ? privacy::declassify(scores.secret(), "scores", "compared by a test", log)
                                : scores.visible();
    };
    EXPECT_EQ(shown(model), shown(loaded)) << unit;
    EXPECT_EQ(method.scores(loaded, wrapped).is_secret(), request.unit.protects_features());
  }
}

// mu at delta 1e-4 for epsilon 2, 4, 8, 16 (honest-frontier, section 1): 0.577 1.043 1.841 3.147. Both ways
// through the budget cost that, and no more.
TEST(Ballot, RecordsSpendTheWholeBudgetEitherWay) {
  const privacy::PublicFacts facts = facts_of(small_graph());
  const std::vector<std::pair<double, double>> published = {{2, 0.577}, {4, 1.043}, {8, 1.841}, {16, 3.147}};
  for (const char* unit : {"record", "record:add-remove", "node:30"}) {
    for (const auto& [epsilon, mu] : published) {
      const RecordBallotPlan plan = plan_records({}, request_with(epsilon, 1e-4, unit), facts);
      for (const privacy::Event& event : {plan.event_with_votes(), plan.event_without_votes()}) {
        EXPECT_NEAR(privacy::gaussian_dp_mu(event), mu, 0.001) << unit;
        EXPECT_LE(privacy::epsilon(event, privacy::Delta(1e-4)).upper, epsilon);
      }
    }
  }
}

// One list of squared weights at most 1: sensitivity 1 where a record is blanked, sqrt 2 where it is
// replaced; under node:D every neighbour counts in full: sqrt(2 D).
TEST(Ballot, VotesOfPeopleHaveTheirSensitivities) {
  const privacy::PublicFacts facts = facts_of(small_graph());
  const auto sensitivity = [&](const char* unit) {
    return plan_records({}, request_with(4, 1e-6, unit), facts).votes_sensitivity.l2().value();
  };
  EXPECT_NEAR(sensitivity("record:add-remove"), 1, 1e-9);
  EXPECT_NEAR(sensitivity("record"), std::sqrt(2), 1e-9);
  EXPECT_NEAR(sensitivity("node:30"), std::sqrt(60), 1e-9);
  EXPECT_NEAR(sensitivity("node:30:add-remove"), std::sqrt(30), 1e-9);
}

TEST(Ballot, RecordsAreCertifiedWithEverythingThatLeft) {
  for (const char* wanted : {"-1000", "1000"}) {
    Ballot method;
    make_quick(method);
    method.options().set("least_usefulness", wanted);
    const RunResult result = run_once(method, small_graph(), run_with(request_with(4, 1e-6, "record"), 3));
    ASSERT_TRUE(result.certificate.sound);
    EXPECT_LE(*result.certificate.epsilon, 4);
    EXPECT_GT(*result.certificate.epsilon, 3.999);
    EXPECT_EQ(result.certificate.releases.size(), std::string(wanted) == "1000" ? 3U : 5U);
  }
}

TEST(Ballot, PeopleWithoutALabelOfTheListCountAsBlank) {
  graph::Dataset data = small_graph();
  for (std::size_t i = 0; i < data.nodes(); i += 3) data.labels[i] = graph::kUnlabeled;
  Ballot method;
  make_quick(method);
  const RunResult result = run_once(method, data, run_with(request_with(8, 1e-6, "record:add-remove"), 3));
  EXPECT_TRUE(result.certificate.sound);
}

TEST(Ballot, RefusesWhatItCantServe) {
  const privacy::PublicFacts facts = facts_of(small_graph());
  Ballot method;
  make_quick(method);
  EXPECT_THROW((void)method.plan(request_with(1, 1e-6, "k-neighbor:5"), facts), InvalidArgument);
  for (const char* unit : {"edge", "record"}) {
    Request without = request_with(1, 1e-6, unit);
    without.epsilon.reset();
    EXPECT_THROW((void)method.plan(without, facts), InvalidArgument);
  }
}

// In paper rigor roles are drawn among the labeled, a function of protected labels: a method that no paper
// has is never run so.
TEST(Ballot, IsNeverRunInPaperRigor) {
  for (const char* unit : {"edge", "record:add-remove"}) {
    Request request = request_with(1, 1e-6, unit);
    request.rigor = privacy::Rigor::kPaper;
    Ballot ballot;
    EXPECT_THROW((void)run_once(ballot, small_graph(), run_with(request, 1)), InvalidArgument);
    DpLinear linear;
    EXPECT_THROW((void)run_once(linear, small_graph(), run_with(request, 1)), InvalidArgument);
  }
}

TEST(Ballot, RefusesOtherGraphs) {
  Ballot method;
  EXPECT_THROW((void)method.inference_plan(request_with(1, 1e-6, "edge"), Model{}, facts_of(small_graph())),
               InvalidArgument);
}

TEST(Ballot, SaysHowUsefulVotesWillBeFromGuessesAlone) {
  Ballot method;
  make_quick(method);
  const privacy::PublicFacts facts = facts_of(small_graph());
  const auto expected = [&] {
    for (const auto& [name, value] : method.plan(request_with(1, 1e-5, "edge"), facts).numbers) {
      if (name == "expected usefulness") return value;
    }
    return std::string("none");
  };
  EXPECT_EQ(expected(), "none");
  method.options().set("expected_degree", "15");
  method.options().set("expected_homophily", "0.8");
  EXPECT_NE(expected().find(" to "), std::string::npos);
}

TEST(Ballot, WorksWithoutValidationNodes) {
  Ballot method;
  make_quick(method);
  RunRequest run = run_with(request_with(4, 1e-6, "edge"), 2);
  run.split = "80/0/20";
  EXPECT_GT(*run_once(method, small_graph(), run).test_accuracy, 0.5);
}

TEST(DpLinear, IsAccountedExactly) {
  DpLinear method;
  const privacy::PublicFacts facts = facts_of(small_graph());
  const Plan plan = method.plan(request_with(4, 1e-4, "record"), facts);
  EXPECT_NEAR(privacy::gaussian_dp_mu(plan.event), 1.043, 0.001);
  const privacy::EpsilonBound bound = privacy::epsilon(plan.event, privacy::Delta(1e-4));
  EXPECT_EQ(bound.by, privacy::Accountant::gdp);
  EXPECT_LE(bound.upper, 4);
  EXPECT_EQ(bound.upper, bound.lower);
}

TEST(DpLinear, LearnsUnderACertificate) {
  DpLinear method;
  const RunResult result =
      run_once(method, small_graph(), run_with(request_with(8, 1e-6, "record:add-remove"), 3));
  ASSERT_TRUE(result.certificate.sound);
  EXPECT_EQ(result.certificate.releases[0].times, 150U);
  EXPECT_GT(*result.test_accuracy, 0.3) << "five classes";
}

}  // namespace
}  // namespace privet::methods
