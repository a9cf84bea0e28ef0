#pragma once

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/neighbor_search.hpp"
#include "privet/core/mechanisms/fixed_point.hpp"
#include "privet/graph/generate.hpp"
#include "privet/methods/registry.hpp"
#include "privet/run/runner.hpp"

/// What every private method on graphs has to do, and small data to do it on.
namespace privet::methods::testing {

inline graph::Dataset small_graph(std::size_t nodes = 300, std::uint64_t seed = 7) {
  graph::DcsbmOptions options;
  options.nodes = nodes;
  options.features = 40;
  return graph::make_dcsbm(options, seed);
}

inline std::uint64_t largest_degree(const graph::Graph& graph) {
  std::uint64_t largest = 1;
  for (graph::NodeId i = 0; i < graph.nodes(); ++i)
    largest = std::max<std::uint64_t>(largest, graph.degree(i));
  return largest;
}

inline Request request_with(const std::string& unit, std::optional<double> epsilon,
                            privacy::Rigor rigor = privacy::Rigor::kStrict, double delta = 1e-6) {
  Request request{
      .unit = privacy::Unit::parse(unit), .rigor = rigor, .epsilon = {}, .delta = privacy::Delta(delta)};
  if (epsilon) request.epsilon = privacy::Epsilon(*epsilon);
  return request;
}

inline Request request_with(privacy::Rigor rigor, double epsilon, double delta, const std::string& unit) {
  return request_with(unit, epsilon, rigor, delta);
}

inline RunRequest run_with(Request request, std::optional<std::uint64_t> seed) {
  return {.request = std::move(request),
          .seed = seed,
          .fingerprint = privacy::blinded_fingerprint(std::string(64, '0'), privacy::BlindingKey{}),
          .created = "2025-03-01T12:00:00Z"};
}

inline privacy::PublicFacts facts_with(std::size_t training, std::size_t features = 501,
                                       std::size_t classes = 6) {
  return {.data = "graph",
          .nodes = training,
          .features = features,
          .classes = classes,
          .split = {"all", std::vector<graph::Role>(training, graph::Role::train)}};
}

inline std::unique_ptr<Method> method_with(const std::string& name, const std::vector<std::string>& options) {
  std::unique_ptr<Method> method = make_method(name);
  OptionTable table = method->options();
  for (const std::string& option : options) table.set_assignment(option);
  return method;
}

/// The data without roles, as predict sees them.
inline privacy::ProtectedDataset for_prediction(const graph::Dataset& data, const std::string& unit) {
  return privacy::protect(data, {"prediction", std::vector<graph::Role>(data.nodes(), graph::Role::none)},
                          privacy::Unit::parse(unit));
}

inline tensor::Matrix shown(const privacy::Guarded<tensor::Matrix>& scores) {
  if (!scores.is_secret()) return scores.visible();
  privacy::ReleaseLog log;
  return privacy::declassify(scores.secret(), "scores", "to compare them in a test", log);
}

/// A sound certificate within its budget, which re-derives.
inline void expect_sound(const RunResult& result, double epsilon) {
  ASSERT_TRUE(result.certificate.sound);
  EXPECT_LE(*result.certificate.epsilon, epsilon);
  EXPECT_GT(*result.certificate.epsilon, 0.99 * epsilon) << "the budget is used";
  EXPECT_FALSE(result.certificate.releases.empty());
  const auto verdict = privacy::check_certificate(
      result.certificate,
      [](const privacy::Event& event, privacy::Delta delta, const std::string& accountant) {
        return privacy::epsilon(event, delta, privacy::parse_accountant(accountant)).upper;
      });
  EXPECT_TRUE(verdict.holds()) << (verdict.faults.empty() ? "" : verdict.faults.front());
}

/// The edges in another order, turned round and told twice.
inline graph::Dataset with_edges_told_twice(graph::Dataset data) {
  graph::EdgeList edges;
  for (graph::NodeId i = static_cast<graph::NodeId>(data.nodes()); i-- > 0;) {
    for (const graph::NodeId j : data.graph.neighbors(i)) {
      edges.add(j, i);
      edges.add(i, j);
    }
  }
  data.graph = graph::Graph(data.nodes(), std::move(edges), graph::Direction::undirected);
  return data;
}

inline void expect_edges_are_a_set(const std::string& name, const std::vector<std::string>& options,
                                   const std::string& unit) {
  const graph::Dataset data = small_graph();
  const std::unique_ptr<Method> method = method_with(name, options);
  const RunRequest run = run_with(request_with(unit, 2), 3);
  EXPECT_EQ(run_once(*method, data, run).model.tensors,
            run_once(*method, with_edges_told_twice(data), run).model.tensors);
}

/// Saved and loaded, a model gives the same scores; and none of the edges of its own graph are read for them.
inline void expect_model_is_enough(const std::string& name, const std::vector<std::string>& options,
                                   const std::string& unit, std::optional<double> epsilon,
                                   bool reads_edges = false) {
  const graph::Dataset data = small_graph();
  const std::unique_ptr<Method> method = method_with(name, options);
  const RunResult result = run_once(*method, data, run_with(request_with(unit, epsilon), 5));
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("privet-model-of-" + name + "-" + std::to_string(::getpid()));
  save_model(result.model, "none", folder);
  const Model loaded = load_model(folder).model;
  std::filesystem::remove_all(folder);
  const std::unique_ptr<Method> again = method_of(loaded);
  const tensor::Matrix before = shown(method->scores(result.model, for_prediction(data, unit)));
  EXPECT_EQ(shown(again->scores(loaded, for_prediction(data, unit))), before);
  if (reads_edges) return;
  graph::Dataset bare = data;
  bare.graph = graph::Graph(data.nodes(), graph::EdgeList(), graph::Direction::undirected);
  EXPECT_EQ(shown(again->scores(loaded, for_prediction(bare, unit))), before);
}

/// The sums over neighbours of rows bounded by 1, as methods release them, without the row `left_out`.
inline std::vector<double> released_sums(const graph::Graph& graph, const tensor::Matrix& rows,
                                         std::optional<std::size_t> left_out) {
  const privacy::FixedPointMatrix sums =
      privacy::neighbor_sums(graph, rows, {.grid = 0x1p-30, .row_bound = 1});
  std::vector<double> values;
  for (std::size_t i = 0; i < sums.rows; ++i) {
    if (left_out && i == *left_out) continue;
    for (std::size_t j = 0; j < sums.columns; ++j)
      values.push_back(static_cast<double>(sums.steps[i * sums.columns + j]) * sums.grid);
  }
  return values;
}

}  // namespace privet::methods::testing
