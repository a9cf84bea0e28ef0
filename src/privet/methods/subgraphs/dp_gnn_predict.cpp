#include <algorithm>
#include <cmath>

#include "privet/graph/split.hpp"
#include "privet/learn/noisy_hops.hpp"
#include "privet/learn/private_rows.hpp"
#include "privet/methods/subgraphs/dp_gnn.hpp"

// What a trained network of dp-gnn is asked with: everybody's neighbours as they are, within roles alone, or
// as heard with noise.
namespace privet::methods {
namespace {

using GuardedMatrix = privacy::Guarded<tensor::Matrix>;
using GuardedGraph = privacy::Guarded<graph::Graph>;

const std::string kHeard = "heard";
const std::string kRoles = "roles";

// Roles are public and go with the model: whoever asks it later must not join what was apart.
tensor::NamedMatrix roles_tensor(const std::vector<graph::Role>& roles) {
  tensor::Matrix kept(roles.size(), 1);
  for (std::size_t v = 0; v < roles.size(); ++v) kept(v, 0) = static_cast<float>(roles[v]);
  return {kRoles, std::move(kept)};
}

std::vector<graph::Role> stored_roles(const Model& model, std::size_t nodes) {
  const tensor::Matrix& kept = model.tensor(kRoles, nodes, 1);
  std::vector<graph::Role> roles;
  for (std::size_t v = 0; v < nodes; ++v) roles.push_back(static_cast<graph::Role>(std::lround(kept(v, 0))));
  return roles;
}

tensor::Matrix whole_scores(const graph::Graph& graph, const graph::Features& features,
                            const nn::Network& network, const nn::Parameters& parameters, double feature_norm,
                            const std::vector<graph::Role>& roles, bool disjoint) {
  const graph::Graph used = disjoint ? graph::within_roles(graph, roles) : graph;
  return nn::star_outputs(network, parameters, scaled_rows(features, feature_norm),
                          privacy::whole_rows(used, std::vector<std::uint8_t>(graph.nodes(), 1)));
}

// What a node sends to others, of norm at most 1 where numbers are at most 1: its encoded features, and a
// number by which the receivers can be counted.
tensor::Matrix sent_rows(const graph::Features& features, const nn::Network& encoder,
                         const nn::Parameters& parameters, double feature_norm) {
  const graph::Features scaled = scaled_rows(features, feature_norm);
  const tensor::Matrix encoded = nn::outputs_of(encoder, parameters, nn::all_rows(scaled));
  const std::size_t width = encoded.columns();
  const auto scale = static_cast<float>(1 / std::sqrt(2 * static_cast<double>(width)));
  tensor::Matrix rows(encoded.rows(), width + 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < width; ++j) rows(i, j) = encoded(i, j) * scale;
    rows(i, width) = static_cast<float>(std::sqrt(0.5));
  }
  return rows;
}

tensor::Matrix heard_scores(const graph::Features& features, const tensor::Matrix& sums,
                            const nn::Network& encoder, const nn::Parameters& encoding,
                            const nn::Network& decoder, const nn::Parameters& decoding, double feature_norm,
                            bool mean) {
  const graph::Features scaled = scaled_rows(features, feature_norm);
  tensor::Matrix rows = nn::outputs_of(encoder, encoding, nn::all_rows(scaled));
  const std::size_t width = rows.columns();
  const double unscale = std::sqrt(2 * static_cast<double>(width));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double heard = std::max(0.0, static_cast<double>(sums(i, width)) * std::sqrt(2.0));
    for (std::size_t j = 0; j < width; ++j) {
      const double sum = static_cast<double>(rows(i, j)) + static_cast<double>(sums(i, j)) * unscale;
      rows(i, j) = static_cast<float>(mean ? sum / (1 + heard) : sum);
    }
  }
  return nn::outputs_of(decoder, decoding, tensor::ConstMatrixView(rows));
}

nn::Parameters first_parameters(const nn::Parameters& all, std::size_t count) {
  return {{all.learnt.begin(), all.learnt.begin() + static_cast<std::ptrdiff_t>(count)}, {}};
}
nn::Parameters last_parameters(const nn::Parameters& all, std::size_t count) {
  return {{all.learnt.end() - static_cast<std::ptrdiff_t>(count), all.learnt.end()}, {}};
}

}  // namespace

void DpGnn::keep_for_predicting(const Parts& parts, const privacy::ProtectedDataset& data, Run& run,
                                Model& model) const {
  if (parts.sums) model.tensors.push_back({kHeard, heard_sums(model, data, *parts.sums, run)});
  if (inference_ == "disjoint") model.tensors.push_back(roles_tensor(data.facts.split.roles));
}

tensor::Matrix DpGnn::heard_sums(const Model& model, const privacy::ProtectedDataset& data,
                                 const privacy::GaussianMechanism& mechanism, Run& run) const {
  const nn::Network encoder = dp_gnn_encoder(shape_, model.features);
  const nn::Parameters all = restore(dp_gnn_network(shape_, model.features, model.classes), "", model);
  const auto rows = GuardedMatrix::hidden(data.features.secret().map(
      &sent_rows, encoder, first_parameters(all, encoder.parameters()), feature_norm_));
  const bool record = data.unit.keeps_to_own_list();
  const auto graph = GuardedGraph::hidden(data.graph.secret().map(
      [](const graph::Graph& whole, bool own_lists, std::uint64_t most, std::uint64_t key) {
        return own_lists ? privacy::named_by(privacy::capped_lists(whole, most, key)) : whole;
      },
      record, degree_, run.stream.fork("heard", 0)->bits()));
  return noisy_sums(graph, rows, shape_.width + 1, data.facts.nodes, mechanism,
                    "what nodes hear, for predicting", run);
}

GuardedMatrix DpGnn::finished(const Model& model, const tensor::Matrix& sums,
                              const privacy::ProtectedDataset& data) const {
  const nn::Network encoder = dp_gnn_encoder(shape_, model.features);
  const nn::Network decoder = dp_gnn_decoder(shape_, model.classes);
  const nn::Parameters all = restore(dp_gnn_network(shape_, model.features, model.classes), "", model);
  const nn::Parameters encoding = first_parameters(all, encoder.parameters());
  const nn::Parameters decoding = last_parameters(all, decoder.parameters());
  const bool mean = shape_.architecture == "gcn";
  if (!data.features.is_secret()) {
    return GuardedMatrix::public_value(heard_scores(data.features.visible(), sums, encoder, encoding, decoder,
                                                    decoding, feature_norm_, mean));
  }
  return GuardedMatrix::hidden(data.features.secret().map(&heard_scores, sums, encoder, encoding, decoder,
                                                          decoding, feature_norm_, mean));
}

GuardedMatrix DpGnn::scores(const Model& model, const privacy::ProtectedDataset& data) const {
  if (inference_ == "noisy")
    return finished(model, model.tensor(kHeard, data.facts.nodes, shape_.width + 1), data);
  const nn::Network network = dp_gnn_network(shape_, model.features, model.classes);
  const nn::Parameters parameters = restore(network, "", model);
  const bool disjoint = inference_ == "disjoint";
  const std::vector<graph::Role> roles =
      disjoint ? stored_roles(model, data.facts.nodes) : data.facts.split.roles;
  if (!data.graph.is_secret()) {
    return GuardedMatrix::public_value(whole_scores(data.graph.visible(), data.features.visible(), network,
                                                    parameters, feature_norm_, roles, disjoint));
  }
  if (!data.features.is_secret()) {
    return GuardedMatrix::hidden(data.graph.secret().map(&whole_scores, data.features.visible(), network,
                                                         parameters, feature_norm_, roles, disjoint));
  }
  return GuardedMatrix::hidden(data.graph.secret().map(&whole_scores, data.features.secret(), network,
                                                       parameters, feature_norm_, roles, disjoint));
}

Plan DpGnn::inference_plan(const Request& request, const Model& model, const privacy::PublicFacts&) const {
  if (inference_ != "noisy" && !request.unit.protects_anything()) return {};
  require_unit(request.unit);
  return noisy_sums_plan(request, model);
}

GuardedMatrix DpGnn::infer(const Request& request, const Model& model, const privacy::ProtectedDataset& data,
                           Run& run) const {
  if (inference_ != "noisy") {
    const nn::Network network = dp_gnn_network(shape_, model.features, model.classes);
    return GuardedMatrix::public_value(whole_scores(data.graph.visible(), data.features.visible(), network,
                                                    restore(network, "", model), feature_norm_,
                                                    data.facts.split.roles, false));
  }
  const Plan plan = inference_plan(request, model, data.facts);
  const auto mechanism = privacy::GaussianMechanism::with_multiplier(
      sums_sensitivity(request.unit), std::get<privacy::GaussianEvent>(plan.event.kind()).noise_multiplier);
  return finished(model, heard_sums(model, data, mechanism, run), data);
}

}  // namespace privet::methods
