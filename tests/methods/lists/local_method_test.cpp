#include "privet/methods/lists/local_method.hpp"

#include <gtest/gtest.h>

#include "learn/method_cases.hpp"
#include "privet/base/error.hpp"

namespace privet::methods::testing {
namespace {

const std::vector<std::string> kNames = {"hpgr",   "blink", "hagei",   "rr",
                                         "sym-rr", "dprr",  "l-dpgcn", "solitude"};
const std::vector<std::string> kQuick = {"width=8", "epochs=10"};

std::vector<std::string> with(std::vector<std::string> options, const std::vector<std::string>& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

bool says(const privacy::Certificate& certificate, const std::string& text) {
  return std::ranges::any_of(certificate.assumptions,
                             [&](const std::string& one) { return one.find(text) != std::string::npos; });
}

TEST(LocalMethod, CertifiesEveryRigorAndSaysBothCosts) {
  for (const std::string& name : kNames) {
    for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
      const std::unique_ptr<Method> method = method_with(name, kQuick);
      const RunResult result =
          run_once(*method, small_graph(), run_with(request_with("local-edge", 3, rigor), 1));
      expect_sound(result, 3);
      const bool both = rigor == privacy::Rigor::kPaper && name != "sym-rr";
      EXPECT_EQ(says(result.certificate, "only one end"), !both) << name;
      ASSERT_EQ(result.certificate.readings.size(), 1U) << name;
      const privacy::Reading& edge = result.certificate.readings.front();
      EXPECT_EQ(edge.unit, "edge") << name;
      EXPECT_EQ(edge.delta, result.certificate.delta) << name;
      // Twice the bit's, less what delta is worth.
      EXPECT_LE(edge.epsilon, both ? 6 : 3) << name;
      EXPECT_GT(edge.epsilon, both ? 5.99 : 2.99) << name;
      for (const privacy::Release& release : result.certificate.releases)
        EXPECT_EQ(release.unit, "local-edge");
    }
  }
}

TEST(LocalMethod, EdgesAreASet) {
  for (const std::string& name : kNames) expect_edges_are_a_set(name, kQuick, "local-edge");
}

TEST(LocalMethod, HandsOutTheGraphThatItLearntOn) {
  const auto released = [](const char* graph, const char* unit, std::optional<double> epsilon) {
    const std::unique_ptr<Method> method = method_with("hpgr", with(kQuick, {std::string("graph=") + graph}));
    RunResult result = run_once(*method, small_graph(), run_with(request_with(unit, epsilon), 1));
    for (const auto& [name, value] : result.findings) {
      if (result.model.released && name == "edges of the reconstructed graph") {
        EXPECT_EQ(value, std::to_string(result.model.released->graph.edges()));
      }
    }
    return std::move(result.model.released);
  };
  const std::optional<graph::Dataset> hard = released("hard", "local-edge", 8);
  ASSERT_TRUE(hard);
  EXPECT_EQ(hard->nodes(), small_graph().nodes());
  EXPECT_GT(hard->graph.edges(), 0U);
  EXPECT_NE(hard->graph.edges(), small_graph().graph.edges());
  EXPECT_TRUE(released("sampled", "local-edge", 8));
  EXPECT_FALSE(released("soft", "local-edge", 8)) << "weights are no graph";
  EXPECT_FALSE(released("hard", "none", {})) << "that is the graph itself";
}

TEST(LocalMethod, TheModelIsEnough) {
  for (const std::string& name : kNames) {
    expect_model_is_enough(name, with(kQuick, {"gate=no"}), "local-edge", 3);
    expect_model_is_enough(name, kQuick, "none", {});
  }
  for (const char* graph : {"soft", "sampled", "top"}) {
    for (const char* backbone : {"gcn", "sage", "gat"}) {
      if (std::string(graph) == "soft" && std::string(backbone) == "gat") continue;
      expect_model_is_enough(
          "hpgr",
          with(kQuick, {"gate=no", std::string("graph=") + graph, std::string("backbone=") + backbone}),
          "local-edge", 3);
    }
  }
}

TEST(LocalMethod, InfersOnAnotherGraphWithABudget) {
  for (const std::string& name : kNames) {
    const std::unique_ptr<Method> method = method_with(name, with(kQuick, {"gate=no"}));
    const Model model = run_once(*method, small_graph(), run_with(request_with("local-edge", 3), 1)).model;
    const graph::Dataset other = small_graph(200, 8);
    const InferenceResult one = infer_once(*method, model, other, run_with(request_with("local-edge", 2), 1));
    EXPECT_TRUE(one.certificate.sound);
    EXPECT_EQ(shown(one.scores).rows(), 200U);
    EXPECT_THROW((void)infer_once(*method, model, other, run_with(request_with("local-edge", {}), 1)),
                 InvalidArgument);
  }
}

// Clusters are those of the model, whatever classes the other data have: more, fewer or none.
TEST(LocalMethod, OtherDataMayHaveOtherClasses) {
  for (const char* name : {"hpgr", "hagei", "blink"}) {
    const std::unique_ptr<Method> method = method_with(name, with(kQuick, {"gate=no"}));
    const Model model = run_once(*method, small_graph(), run_with(request_with("local-edge", 3), 1)).model;
    const auto scores = [&](std::size_t classes) {
      graph::Dataset other = small_graph(200, 8);
      other.classes = classes;
      if (classes == 0) other.labels.clear();
      return shown(infer_once(*method, model, other, run_with(request_with("local-edge", 2), 1)).scores);
    };
    const tensor::Matrix own = scores(model.classes);
    EXPECT_EQ(own, scores(model.classes + 40)) << name;
    EXPECT_EQ(own, scores(0)) << name;
  }
}

// Before a ledger is asked.
TEST(LocalMethod, ThePlanRefusesWhatNoClientCouldBeAsked) {
  for (const char* name : {"hpgr", "hagei"}) {
    const std::unique_ptr<Method> method = method_with(name, kQuick);
    EXPECT_THROW((void)method->plan(request_with("local-edge", 1), facts_with(100, 501, 5000)),
                 InvalidArgument);
    const Model free = run_once(*method, small_graph(), run_with(request_with("none", {}), 1)).model;
    EXPECT_THROW((void)method->inference_plan(request_with("local-edge", 1), free, facts_with(100)), Error)
        << "it has learnt no clusters";
  }
}

TEST(LocalMethod, DirectedEdgesAreNotTakenForReportsOfOneEdge) {
  privacy::PublicFacts facts = facts_with(100);
  facts.directed = true;
  const Request request = request_with("local-edge", 4);
  for (const std::string& name : kNames) {
    const bool keeps = name == "rr" || name == "dprr" || name == "solitude";
    EXPECT_NO_THROW((void)method_with(name, {})->plan(request, facts)) << name;
    if (name == "sym-rr") continue;
    const std::unique_ptr<Method> both = method_with(name, {"asked=both"});
    if (keeps) {
      EXPECT_NO_THROW((void)both->plan(request, facts)) << name;
    } else {
      EXPECT_THROW((void)both->plan(request, facts), InvalidArgument) << name;
    }
  }
}

TEST(LocalMethod, KnowsWhatItDoesNotRead) {
  const auto unread = [](const std::vector<std::string>& options, privacy::Rigor rigor) {
    std::vector<std::string> names;
    for (const auto& [option, why] :
         method_with("hpgr", options)->unread_options(request_with("local-edge", 4, rigor)))
      names.push_back(option);
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(unread({"graph=soft"}, privacy::Rigor::kStrict), Names{});
  EXPECT_EQ(unread({"ratio=0.3"}, privacy::Rigor::kStrict), (Names{"softmax", "expected_degree"}));
  EXPECT_EQ(unread({"graph=top"}, privacy::Rigor::kPaper), (Names{"gate", "floor"}));
  const auto free = method_with("blink", {"graph=soft"})->unread_options(request_with("none", {}));
  ASSERT_EQ(free.size(), 3U);
  EXPECT_EQ(free.front().first, "ratio");
}

TEST(LocalMethod, RefusesWhatItCannotServe) {
  for (const std::string& name : kNames) {
    const std::unique_ptr<Method> method = method_with(name, {});
    EXPECT_THROW((void)method->plan(request_with("edge", 1), facts_with(100)), InvalidArgument);
    EXPECT_THROW((void)method->plan(request_with("local-edge", {}), facts_with(100)), InvalidArgument);
  }
  const std::unique_ptr<Method> soft = method_with("hpgr", {"graph=soft", "backbone=gat"});
  EXPECT_THROW((void)soft->plan(request_with("local-edge", 1), facts_with(100)), InvalidArgument);
  const std::unique_ptr<Method> dense = method_with("rr", {});
  EXPECT_THROW((void)dense->plan(request_with("local-edge", 1), facts_with(100'000)), InvalidArgument);
}

// With a budget at which next to nothing is noise the graph comes back.
TEST(LocalMethod, RebuildsTheGraphWithAlmostNoNoise) {
  const graph::Dataset data = small_graph();
  for (const std::string& name : kNames) {
    for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
      const std::unique_ptr<Method> method = method_with(name, kQuick);
      SeededStream stream(1);
      SeededStream noise(2);
      privacy::ReleaseLog log;
      methods::Run run{stream, noise, log};
      const graph::Split split = draw_split(data, privacy::Unit::local_edge(), rigor, "50/25/25", 1);
      const graph::Graph rebuilt =
          *method->released_graph(request_with("local-edge", 25, rigor),
                                  privacy::protect(data, split, privacy::Unit::local_edge()), run);
      double right = 0;
      for (graph::NodeId i = 0; i < data.nodes(); ++i) {
        for (const graph::NodeId j : rebuilt.neighbors(i)) right += data.graph.has_entry(i, j) ? 1 : 0;
      }
      const auto all = static_cast<double>(data.graph.stored_entries());
      // Thinning by degrees keeps a share of the ones of nodes whose noisy degree is low.
      EXPECT_GT(right, (name == "dprr" ? 0.6 : 0.97) * all) << name;
      EXPECT_LT(static_cast<double>(rebuilt.stored_entries()) - right, 0.01 * all) << name;
    }
  }
}

}  // namespace
}  // namespace privet::methods::testing
