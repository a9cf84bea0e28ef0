#include "privet/cli/predict_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json.hpp"
#include "privet/base/options.hpp"
#include "privet/cli/cell_options.hpp"
#include "privet/cli/common_options.hpp"
#include "privet/cli/data_root.hpp"
#include "privet/cli/model_folder.hpp"
#include "privet/cli/owner_key.hpp"
#include "privet/core/protected_dataset.hpp"
#include "privet/graph/prepare.hpp"
#include "privet/learn/row_scores.hpp"
#include "privet/methods/registry.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/proof/fingerprint.hpp"
#include "privet/proof/ledger.hpp"
#include "privet/run/cell.hpp"
#include "privet/run/payment.hpp"
#include "privet/run/runner.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::cli {
namespace {

struct Options {
  std::string model;
  std::string data;
  std::optional<std::string> data_root;
  std::optional<std::string> prepare;
  std::optional<std::string> nodes;
  std::optional<std::string> out;
  std::optional<std::string> ledger;
  bool other_data = false;
  std::optional<std::string> unit;
  std::optional<std::string> epsilon;
  std::optional<std::string> delta;
  std::optional<std::string> rigor;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> certificate;
  bool json = false;
};

// Nodes by the names they had in their file, where they had some, else by number.
std::vector<graph::NodeId> wanted_nodes(const Options& options, std::size_t count,
                                        const std::vector<std::string>& names) {
  std::vector<graph::NodeId> nodes;
  if (!options.nodes) {
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(static_cast<graph::NodeId>(i));
    return nodes;
  }
  std::size_t begin = 0;
  const std::string& text = *options.nodes;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view wanted = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (!names.empty()) {
      const auto found = std::ranges::find(names, wanted);
      if (found == names.end()) {
        throw InvalidArgument({.what = fmt::format("no node '{}'", wanted),
                               .where = "--nodes",
                               .expected = fmt::format("names of the data, such as {}", names.front())});
      }
      nodes.push_back(static_cast<graph::NodeId>(found - names.begin()));
      continue;
    }
    const std::uint64_t node = parse_integer(wanted, "--nodes");
    if (node >= count) {
      throw InvalidArgument({.what = fmt::format("no node {}", node),
                             .where = "--nodes",
                             .expected = fmt::format("0 to {}", count - 1)});
    }
    nodes.push_back(static_cast<graph::NodeId>(node));
  }
  return nodes;
}

std::string steps_for(const Options& options, const methods::Model& model) {
  return options.prepare.value_or(model.prepare.value_or(""));
}

void require_fit(const methods::SavedModel& saved, const graph::Dataset& dataset, const Options& options) {
  const std::size_t columns = graph::feature_columns(dataset.features);
  if (columns != saved.model.features) {
    throw DataError(
        {.what = fmt::format("{} feature columns", columns),
         .where = options.data,
         .expected = fmt::format("{}, as the model in {} has", saved.model.features, options.model),
         .remedy = "prepare the data as for training (--prepare)"});
  }
  const std::optional<std::string>& learnt = saved.model.prepare;
  const std::string steps = steps_for(options, saved.model);
  if (learnt && steps != *learnt && options.other_data)
    fmt::print(stderr,
               "note: these data are prepared by '{}', those that the model was trained on were by '{}'\n",
               steps, *learnt);
  const std::string plain = graph::fingerprint(dataset);
  const std::string own = options.ledger ? privacy::Ledger::open(*options.ledger).blind(plain)
                                         : privacy::blinded_fingerprint(plain, owner_key());
  if (own == saved.fingerprint && options.other_data) {
    // A certificate for these data would leave out what training on them has cost, or that it cost nothing.
    throw Unsound({.what = "these are the data that the model was trained on",
                   .where = "--other-data",
                   .expected = "data of which nothing is in the model",
                   .remedy = "leave --other-data out: the model holds what was released of its own graph"});
  }
  if (own == saved.fingerprint || options.other_data) return;
  throw DataError(
      {.what = "not the data that the model was trained on",
       .where = options.data,
       .expected = "the same fingerprint under the key of its owner",
       .remedy = fmt::format("--other-data if that is meant, --ledger if a ledger paid for the model{}",
                             !learnt            ? ", the --prepare of training if it had one"
                             : steps == *learnt ? ""
                                                : fmt::format(", --prepare '{}' as for training", *learnt))});
}

std::string csv(const methods::Model& model, const std::vector<graph::NodeId>& nodes,
                const std::vector<std::string>& names, const std::vector<std::int32_t>& labels,
                const tensor::Matrix& probabilities) {
  std::string text = "node,label";
  for (std::size_t c = 0; c < model.classes; ++c)
    text += fmt::format(",p_{}", model.class_names.empty() ? fmt::format("{}", c) : model.class_names[c]);
  text += "\n";
  for (const graph::NodeId node : nodes) {
    const auto label = static_cast<std::size_t>(labels[node]);
    text += fmt::format("{},{}", names.empty() ? fmt::format("{}", node) : names[node],
                        model.class_names.empty() ? fmt::format("{}", label) : model.class_names[label]);
    for (const float p : probabilities.row(node)) text += fmt::format(",{:.6f}", p);
    text += "\n";
  }
  return text;
}

std::string certificate_file(const Options& options) {
  return options.certificate.value_or(options.out.value_or("") + ".certificate.json");
}

struct Scores {
  privacy::Guarded<tensor::Matrix> values;
  std::string unit;
  std::optional<Json> certificate = {};  ///< where applying the model has cost something
};

// A budget means something only where a graph may have to be opened.
void require_no_budget(const Options& options) {
  const auto refuse = [](bool given, const char* option) {
    if (!given) return;
    throw InvalidArgument({.what = "nothing is released of the graph that the model was trained on",
                           .where = option,
                           .remedy = "leave it out, or --other-data for another graph"});
  };
  refuse(options.unit.has_value(), "--unit");
  refuse(options.epsilon.has_value(), "--epsilon");
  refuse(options.delta.has_value(), "--delta");
  refuse(options.rigor.has_value(), "--rigor");
  refuse(options.seed.has_value(), "--seed");
  refuse(options.certificate.has_value(), "--certificate");
}

Scores known_scores(const methods::Method& method, const methods::Model& model, graph::Dataset dataset) {
  const std::size_t count = dataset.nodes();
  const privacy::ProtectedDataset data =
      privacy::protect(std::move(dataset), {"prediction", std::vector<graph::Role>(count, graph::Role::none)},
                       privacy::Unit::parse(model.unit));
  return {method.scores(model, data), model.unit};
}

// What is protected of the other data. A model that protected nothing says nothing of them, and a budget
// without a unit would be spent on nothing.
std::string other_unit(const Options& options, const methods::Model& model) {
  const privacy::Unit unit = privacy::Unit::parse(options.unit.value_or(model.unit));
  if (unit.protects_anything()) return unit.text();
  if (!options.unit) {
    throw InvalidArgument(
        {.what = "the model protected nothing, and nothing says what to protect of these data",
         .where = "--unit",
         .expected = "a unit of protection, or none if these data are public"});
  }
  for (const auto& [given, option] :
       {std::pair(options.epsilon.has_value(), "--epsilon"), std::pair(options.delta.has_value(), "--delta"),
        std::pair(options.ledger.has_value(), "--ledger"),
        std::pair(options.certificate.has_value(), "--certificate")}) {
    if (given) refuse_budget_for_nothing(option);
  }
  return unit.text();
}

// Of a graph that the model was not trained on: what must be released of it is paid for and certified.
Scores inferred_scores(methods::Method& method, const methods::Model& model, graph::Dataset dataset,
                       const Options& options) {
  methods::Cell cell;
  cell.method = model.method;
  cell.data = options.data;
  cell.prepare = steps_for(options, model);
  cell.unit = other_unit(options, model);
  if (options.epsilon) cell.epsilon = parse_epsilon(*options.epsilon);
  if (options.rigor) cell.rigor = parse_rigor(*options.rigor);
  if (options.delta && *options.delta != "auto") cell.delta = parse_number(*options.delta, "--delta");
  method.require_own_answers(privacy::Unit::parse(cell.unit));
  if (!options.prepare && !cell.prepare.empty())
    fmt::print(stderr, "note: prepared by '{}', as the model's data were (--prepare '' for no steps)\n",
               cell.prepare);
  // Protected whether or not the method needs a budget for more.
  (void)methods::looks_at_protected(cell);
  const std::string plain = graph::fingerprint(dataset);
  methods::RunRequest run{.request = methods::request_of(cell, dataset),
                          .seed = options.seed,
                          .fingerprint = privacy::blinded_fingerprint(plain, owner_key()),
                          .data_secret = plain,
                          .created = now_text(),
                          .unaccounted = methods::looks_before(cell)};
  std::optional<methods::Payment> payment;
  if (options.ledger && run.request.wants_privacy())
    payment.emplace(*options.ledger, fmt::format("{} applied to {}", model.method, options.data), plain,
                    &now_text, run);
  if (run.request.wants_privacy() && !options.json && !options.out && !options.certificate) {
    throw InvalidArgument({.what = "nowhere to write the certificate to",
                           .where = "predict",
                           .remedy = "--json, --out FILE, or --certificate FILE"});
  }
  if (run.request.wants_privacy() && (options.certificate || options.out) &&
      std::filesystem::exists(certificate_file(options))) {
    throw InvalidArgument({.what = fmt::format("there is a {}", certificate_file(options)),
                           .where = "predict",
                           .expected = "a place of its own for every certificate: each release costs",
                           .remedy = "--certificate or --out with another name"});
  }
  methods::InferenceResult result = methods::infer_once(method, model, std::move(dataset), run);
  if (payment) payment->commit(result.certificate);
  Scores scores{std::move(result.scores), cell.unit};
  if (run.request.wants_privacy()) scores.certificate = privacy::certificate_to_json(result.certificate);
  return scores;
}

void write_certificate(const Options& options, const Json& certificate) {
  if (!options.certificate && !options.out) return;  // in the JSON
  const std::string file = certificate_file(options);
  write_text(file, to_text(certificate));
  const bool opened_nothing = certificate.value("releases", Json::array()).empty();
  fmt::print(stderr, "certificate of what this cost: {}{}\n", file,
             !certificate.value("sound", false) ? "; it is NOT SOUND and says why"
             : opened_nothing ? "; nothing was released, the model reads no edge of these data"
                              : "");
}

void predict(const Options& options) {
  refuse_data_folder(options.model, "model.json", "--model");
  const methods::SavedModel saved = methods::load_model(options.model);
  if (!options.other_data) require_no_budget(options);
  graph::Dataset dataset = graph::prepare(load_dataset(options.data, options.data_root),
                                          graph::parse_prepare(steps_for(options, saved.model)));
  require_fit(saved, dataset, options);
  const std::size_t count = dataset.nodes();
  const std::vector<graph::NodeId> nodes = wanted_nodes(options, count, dataset.node_names);
  const std::vector<std::string> names = dataset.node_names;
  const std::unique_ptr<methods::Method> method = methods::method_of(saved.model);
  const Scores found = options.other_data ? inferred_scores(*method, saved.model, std::move(dataset), options)
                                          : known_scores(*method, saved.model, std::move(dataset));
  const privacy::Guarded<tensor::Matrix>& scores = found.values;
  if (found.certificate) write_certificate(options, *found.certificate);
  privacy::ReleaseLog log;
  const tensor::Matrix shown = scores.is_secret()
                                   ? privacy::declassify(scores.secret(), "scores of single nodes",
                                                         "each is for the eyes of its own node", log)
                                   : scores.visible();
  tensor::Matrix probabilities(shown.rows(), shown.columns());
  tensor::softmax_rows(shown, probabilities);
  const std::vector<std::int32_t> labels = methods::predicted(shown);
  if (scores.is_secret()) {
    const bool others = method->answers_read_others() ||
                        std::ranges::any_of(graph::parse_prepare(steps_for(options, saved.model)),
                                            &graph::PrepareStep::mixes_features);
    fmt::print(stderr,
               "note: a node's prediction is computed from {}, which the unit '{}' protects: show it to that "
               "node only{}\n",
               others ? "its own features and, without noise, from those of others" : "its own features",
               found.unit, others ? ", and only if it may see the others'" : "");
  }
  if (options.json) {
    Json all = Json::array();
    for (const graph::NodeId node : nodes) {
      const auto row = probabilities.row(node);
      Json one = {{"node", node}, {"label", labels[node]}};
      if (!names.empty()) one["name"] = names[node];
      if (!saved.model.class_names.empty())
        one["class"] = saved.model.class_names[static_cast<std::size_t>(labels[node])];
      one["probabilities"] = std::vector<float>(row.begin(), row.end());
      all.push_back(std::move(one));
    }
    Json document{{"model", options.model}, {"unit", found.unit}, {"predictions", all}};
    if (found.certificate) document["certificate"] = *found.certificate;
    fmt::print("{}", to_text(document));
    return;
  }
  const std::string text = csv(saved.model, nodes, names, labels, probabilities);
  if (options.out) {
    write_text(*options.out, text);
    fmt::print("wrote {} predictions to {}\n", nodes.size(), *options.out);
  } else {
    fmt::print("{}", text);
  }
}

}  // namespace

void declare_predict_command(Command& root) {
  auto options = std::make_shared<Options>();
  Command& command = root.command("predict", "labels and probabilities for nodes, from a saved model");
  command.option("--model", options->model, "folder that 'privet train --out' wrote").required();
  command.option("--data", options->data, "data set: a name under the data root, or a folder").required();
  command.option("--data-root", options->data_root, "folder of data sets (or PRIVET_DATA)");
  command.option("--prepare", options->prepare,
                 "steps for the data, '' for none (default those that the model's data went through)");
  command.option("--nodes", options->nodes,
                 "node numbers, or the names they had in their file, with commas between (default all)");
  command.option("--out,-o", options->out, "CSV file to write instead of stdout");
  command.option("--ledger", options->ledger,
                 "the ledger that paid for the model; with --other-data, the one that pays for using it");
  command.flag("--other-data", options->other_data, "apply the model to data it was not trained on");
  command.option("--unit", options->unit,
                 "of other data: what of it is protected (default the model's unit, unless that is none)");
  command.option("--epsilon", options->epsilon, "of other data: the budget, where its graph must be opened");
  command.option("--delta", options->delta, "of other data: probability with which the bound may fail");
  command.option("--rigor", options->rigor,
                 "of other data: strict (sound, the default), or as published, with the claims that fail");
  command.option("--seed", options->seed, "of other data: makes the noise repeatable, for experiments only");
  command.option("--certificate", options->certificate,
                 "of other data: file for the certificate of what was released of it");
  command.flag("--json", options->json, "one JSON document on stdout");
  declare_threads(command);
  command.example("privet predict --model model --data friends --nodes 0,1,2");
  command.action([options] { predict(*options); });
}

}  // namespace privet::cli
