#include "privet/cli/data_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json.hpp"
#include "privet/cli/common_options.hpp"
#include "privet/cli/data_root.hpp"
#include "privet/cli/tables.hpp"
#include "privet/graph/generate.hpp"
#include "privet/graph/io/edge_list.hpp"
#include "privet/graph/io/fields.hpp"
#include "privet/graph/io/native.hpp"
#include "privet/graph/io/open.hpp"
#include "privet/graph/prepare.hpp"
#include "privet/graph/statistics.hpp"

namespace privet::cli {
namespace {

namespace fs = std::filesystem;
using graph::Dataset;
using graph::Role;

struct Request {
  std::string name;
  std::string out;
  std::string prepare;
  std::optional<std::string> data_root;
  std::vector<std::string> assignments;
  std::uint64_t seed = 1;
  bool json = false;
  bool force = false;
  std::optional<std::string> format;
  std::optional<std::string> features_file;
  std::optional<std::string> labels_file;
  std::optional<std::string> nodes_file;
  std::optional<std::string> attributes;
  std::optional<std::uint64_t> node_count;
  std::string header = "auto";
  std::string feature_ids = "auto";
  bool directed = false;
};

// "1 edge", "12,345 edges"; `many` where the plural is not the singular and an s.
std::string counted(std::uint64_t count, const std::string& one, const std::string& many = {}) {
  return with_thousands(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json info_json(const Dataset& dataset) {
  const graph::DegreeSummary degree = graph::degree_summary(dataset.graph);
  const std::size_t labeled =
      dataset.labels.size() - std::count(dataset.labels.begin(), dataset.labels.end(), graph::kUnlabeled);
  const bool homophily_known = !dataset.labels.empty();
  Json splits = Json::array();
  for (const graph::Split& split : dataset.splits) {
    splits.push_back({{"name", split.name},
                      {"train", split.count(Role::train)},
                      {"validation", split.count(Role::validation)},
                      {"test", split.count(Role::test)}});
  }
  Json document = {
      {"name", dataset.name},
      {"nodes", dataset.nodes()},
      {"edges", dataset.graph.edges()},
      {"stored_entries", dataset.graph.stored_entries()},
      {"directed", !dataset.graph.undirected()},
      {"features", graph::feature_columns(dataset.features)},
      {"classes", dataset.classes},
      {"labeled", labeled},
      {"isolated", graph::isolated_nodes(dataset.graph)},
      {"degree",
       {{"min", degree.min}, {"mean", degree.mean}, {"median", degree.median}, {"max", degree.max}}},
      {"density", graph::density(dataset.graph)},
      {"edge_homophily",
       homophily_known ? finite(graph::edge_homophily(dataset.graph, dataset.labels)) : Json(nullptr)},
      {"class_insensitive_homophily", homophily_known ? finite(graph::class_insensitive_homophily(
                                                            dataset.graph, dataset.labels, dataset.classes))
                                                      : Json(nullptr)},
      {"splits", splits},
      {"fingerprint", graph::fingerprint(dataset)},
  };
  if (homophily_known) {
    document["class_sizes"] = graph::class_counts(dataset.labels, dataset.classes);
    const auto counts = graph::class_connections(dataset.graph, dataset.labels, dataset.classes);
    Json rows = Json::array();
    for (std::size_t c = 0; c < dataset.classes; ++c) {
      rows.push_back(std::vector(counts.begin() + static_cast<std::ptrdiff_t>(c * dataset.classes),
                                 counts.begin() + static_cast<std::ptrdiff_t>((c + 1) * dataset.classes)));
    }
    document["class_connections"] = rows;
  }
  if (dataset.directed_graph) document["directed_entries"] = dataset.directed_graph->stored_entries();
  return document;
}

std::string share_text(const Json& share) {
  return share.is_null() ? "-" : fmt::format("{:.4f}", share.get<double>());
}

std::string info_text(const Dataset& dataset, const Json& info) {
  const auto count = [&](const char* key) { return with_thousands(info[key].get<std::uint64_t>()); };
  const Json& degree = info["degree"];
  std::string text;
  const auto line = [&](std::string_view label, const std::string& value) {
    text += fmt::format("{:<22}{}\n", label, value);
  };
  text += fmt::format("{}\n", dataset.name);
  line("nodes", count("nodes"));
  const bool one_edge = info["edges"] == 1;
  line("edges",
       fmt::format("{} {} ({})", count("edges"),
                   !info["directed"].get<bool>() ? "undirected"
                   : one_edge                    ? "joined pair of a directed graph"
                                                 : "joined pairs of a directed graph",
                   counted(info["stored_entries"].get<std::uint64_t>(), "stored entry", "stored entries")));
  line("degree", fmt::format("min {}, mean {:.2f}, median {:g}, max {}; {}", degree["min"].get<std::size_t>(),
                             degree["mean"].get<double>(), degree["median"].get<double>(),
                             with_thousands(degree["max"].get<std::uint64_t>()),
                             counted(info["isolated"].get<std::uint64_t>(), "isolated node")));
  line(
      "features",
      info["features"] == 0
          ? "none"
          : fmt::format("{} ({})", count("features"),
                        std::holds_alternative<tensor::SparseMatrix>(dataset.features) ? "sparse" : "dense"));
  if (dataset.labels.empty()) {
    line("classes", "no labels");
  } else {
    line("classes", fmt::format("{}, {} labeled", count("classes"),
                                counted(info["labeled"].get<std::uint64_t>(), "node")));
    line("edge homophily", fmt::format("{}  (class-insensitive {})", share_text(info["edge_homophily"]),
                                       share_text(info["class_insensitive_homophily"])));
  }
  if (info.contains("directed_entries")) {
    line("published directed", counted(info["directed_entries"].get<std::uint64_t>(), "entry", "entries") +
                                   "; --prepare directed uses them");
  }
  for (const Json& split : info["splits"]) {
    line("split " + split["name"].get<std::string>(),
         fmt::format("{} train, {} validation, {} test", with_thousands(split["train"].get<std::uint64_t>()),
                     with_thousands(split["validation"].get<std::uint64_t>()),
                     with_thousands(split["test"].get<std::uint64_t>())));
  }
  line("fingerprint", info["fingerprint"].get<std::string>());
  if (!dataset.labels.empty() && dataset.classes <= 12) {
    Table table;
    table.header = {"class", "nodes"};
    for (std::size_t c = 0; c < dataset.classes; ++c) table.header.push_back(fmt::format("to {}", c));
    for (std::size_t c = 0; c < dataset.classes; ++c) {
      const Json& row = info["class_connections"][c];
      double total = 0;
      for (const Json& entry : row) total += entry.get<double>();
      std::vector<std::string> cells = {dataset.class_names.empty()
                                            ? fmt::format("{}", c)
                                            : fmt::format("{} ({})", c, dataset.class_names[c]),
                                        with_thousands(info["class_sizes"][c].get<std::uint64_t>())};
      for (const Json& entry : row) {
        cells.push_back(total > 0 ? fmt::format("{:.0f}%", 100 * entry.get<double>() / total) : "-");
      }
      table.rows.push_back(std::move(cells));
    }
    text += "\nwhere a class's edges lead\n" + table_text(table);
  }
  return text;
}

void print_info(const Dataset& dataset, bool json) {
  const Json info = info_json(dataset);
  fmt::print("{}", json ? to_text(info) : info_text(dataset, info));
}

void list(const Request& request) {
  const std::optional<fs::path> root = data_root(request.data_root);
  Json found = Json::array();
  if (root) {
    for (const std::string& name : dataset_names(*root)) found.push_back(name);
  }
  if (request.json) {
    Json made = Json::array();
    for (const graph::Generator& generator : graph::generators()) {
      Json options = Json::array();
      for (const OptionTable::Option& option : generator.options()) {
        options.push_back({{"name", option.name},
                           {"type", option.type},
                           {"default", option.initial},
                           {"range", option.range},
                           {"description", option.description}});
      }
      made.push_back(
          {{"name", generator.name}, {"description", generator.description}, {"options", options}});
    }
    fmt::print("{}", to_text(Json{{"data_root", root ? Json(root->string()) : Json(nullptr)},
                                  {"data", found},
                                  {"generators", made}}));
    return;
  }
  fmt::print(
      "generators (privet data make KIND; privet data make KIND --help-options lists what can be set)\n");
  Table table;
  for (const graph::Generator& generator : graph::generators()) {
    table.rows.push_back({"  " + generator.name, generator.description});
  }
  fmt::print("{}", table_text(table));
  if (!root) {
    fmt::print("\nno data root: name one with --data-root DIR or the environment variable PRIVET_DATA\n");
  } else {
    fmt::print("\ndata sets under {}\n", root->string());
    for (const Json& name : found) fmt::print("  {}\n", name.get<std::string>());
  }
}

void refuse_overwriting(const fs::path& target, bool force) {
  std::error_code error;
  if (force || !fs::exists(target, error)) return;
  throw InvalidArgument(
      {.what = "exists already", .where = target.string(), .remedy = "--force replaces it"});
}

// `reading` says how the data came in, where it was read; it goes into the JSON document.
void write(const Dataset& dataset, const Request& request, const Json& reading = nullptr) {
  const fs::path target = fs::path(request.out) / "graph.npz";
  refuse_overwriting(target, request.force);
  graph::write_native(dataset, request.out);
  if (request.json) {
    Json info = info_json(dataset);
    if (!reading.is_null()) info["reading"] = reading;
    fmt::print("{}", to_text(info));
  } else {
    fmt::print("wrote {}: {}, {}, {}, {}\n", target.string(), counted(dataset.nodes(), "node"),
               counted(dataset.graph.edges(), "edge"),
               counted(graph::feature_columns(dataset.features), "feature"),
               counted(dataset.classes, "class", "classes"));
  }
}

bool is_edge_list(const fs::path& out) { return out.extension() == ".csv" || out.extension() == ".tsv"; }

void write_list(const Dataset& dataset, const Request& request) {
  refuse_overwriting(request.out, request.force);
  graph::write_edge_list(dataset, request.out);
  if (request.json) {
    fmt::print("{}", to_text(Json{{"file", request.out}, {"edges", dataset.graph.edges()}}));
  } else {
    fmt::print("wrote {}: {}; nodes without edges, features and labels are not in it\n", request.out,
               dataset.graph.undirected()
                   ? counted(dataset.graph.edges(), "edge")
                   : counted(dataset.graph.stored_entries(), "directed entry", "directed entries"));
  }
}

void make(const Request& request, bool options_wanted) {
  const graph::Generator& generator = graph::find_generator(request.name);
  if (options_wanted) {
    Table table;
    table.header = {"option", "default", "range", "meaning"};
    for (const OptionTable::Option& option : generator.options()) {
      table.rows.push_back({option.name, option.initial, option.range, option.description});
    }
    fmt::print("{}: {}\n\n{}", generator.name, generator.description, table_text(table));
    return;
  }
  if (request.out.empty()) {
    throw InvalidArgument({.what = "-o DIR is missing", .where = "privet data make"});
  }
  Dataset dataset = generator.make(request.assignments, request.seed);
  dataset.name = fs::path(request.out).filename().string();
  write(dataset, request);
}

std::string_view origin_key(graph::NodeOrigin origin) {
  switch (origin) {
    case graph::NodeOrigin::declared:
      return "data";
    case graph::NodeOrigin::option:
      return "node-count";
    case graph::NodeOrigin::nodes_file:
      return "nodes-file";
    case graph::NodeOrigin::labels_file:
      return "labels-file";
    case graph::NodeOrigin::features_file:
      return "features-file";
    case graph::NodeOrigin::edges:
      return "edges";
  }
  return {};
}

Json summary_json(const graph::ReadSummary& summary) {
  Json first_lines = Json::array();
  for (const graph::FirstLine& line : summary.first_lines) {
    first_lines.push_back(
        {{"file", line.file}, {"text", line.text}, {"read_as", line.header ? "header" : "data"}});
  }
  return {{"format", graph::to_string(summary.format)},
          {"rows", summary.rows},
          {"repeats", summary.repeats},
          {"self_loops", summary.self_loops},
          {"zeros", summary.zeros},
          {"nodes_from", origin_key(summary.origin)},
          {"header", summary.header ? Json(*summary.header) : Json(nullptr)},
          {"ignored_columns", summary.ignored_columns},
          {"directed", summary.directed},
          {"first_lines", first_lines}};
}

std::string summary_text(const graph::ReadSummary& summary) {
  std::string text =
      fmt::format("read as {}: {}", graph::to_string(summary.format), counted(summary.rows, "row"));
  if (summary.header) text += *summary.header ? " below a header" : ", no header";
  const auto dropped = [&](std::size_t count, const char* one) {
    if (count > 0) text += fmt::format(", {} dropped", counted(count, one));
  };
  dropped(summary.repeats, "repeat");
  dropped(summary.self_loops, "self-loop");
  dropped(summary.zeros, "zero");
  if (summary.ignored_columns > 0) {
    text += fmt::format(", {} ignored", counted(summary.ignored_columns, "further column"));
  }
  text += fmt::format("; the nodes come from {}\n", graph::to_string(summary.origin));
  if (summary.directed) {
    text += "the direction of the edges is kept beside the undirected graph; --prepare directed uses it\n";
  }
  for (const graph::FirstLine& line : summary.first_lines) {
    const std::string quoted = graph::in_quotes(line.text);
    text +=
        line.header
            ? fmt::format("{}: the first line {} was taken as a header\n", line.file, quoted)
            : fmt::format("note: {}: the first line {} was read as data; --header yes says it is a header\n",
                          line.file, quoted);
  }
  if (summary.origin == graph::NodeOrigin::edges) {
    text +=
        "note: the list of nodes was taken from the edges, so whoever has none is missing; list all nodes "
        "with --nodes FILE\n";
  }
  return text;
}

template <typename Choice>
Choice parse_choice(const std::string& text, const char* option) {
  if (text == "yes") return Choice::yes;
  if (text == "no") return Choice::no;
  if (text == "auto") return Choice::automatic;
  throw InvalidArgument({.what = fmt::format("'{}'", text), .where = option, .expected = "yes, no or auto"});
}

void expect_name(const std::string& text, const char* option, const char* expected) {
  if (text.empty()) throw InvalidArgument({.what = "is empty", .where = option, .expected = expected});
}

// The graph of one and the roles that it comes with, and all else that is known of the nodes of another.
Dataset with_attributes(Dataset graph, const std::string& name) {
  Dataset known = load_dataset(name, std::nullopt);
  if (known.nodes() != graph.nodes()) {
    throw InvalidArgument({.what = fmt::format("{} has {} nodes", name, with_thousands(known.nodes())),
                           .where = "--attributes",
                           .expected = fmt::format("{}, as the graph has", with_thousands(graph.nodes())),
                           .remedy = "prepare the data as they were when the graph was made"});
  }
  known.graph = std::move(graph.graph);
  known.directed_graph = std::move(graph.directed_graph);
  for (graph::Split& split : graph.splits) {
    std::erase_if(known.splits, [&](const graph::Split& other) { return other.name == split.name; });
    known.splits.push_back(std::move(split));
  }
  return known;
}

// A list read from labels shows that somebody has each of them. A data set does not keep that its list was
// declared, so training has to say it again.
std::string about_classes(const Dataset& dataset, bool declared) {
  std::vector<std::string> names = dataset.class_names;
  for (std::size_t c = names.size(); c < dataset.classes; ++c) names.push_back(fmt::format("{}", c));
  constexpr std::size_t kMostNames = 20;
  const std::string step =
      names.size() > kMostNames ? "classes=A+B+C" : fmt::format("classes={}", fmt::join(names, "+"));
  std::string text = fmt::format(
      "note: {}; to train under a unit that protects labels (node, record, k-neighbor) declare it "
      "there: --prepare {}\n",
      declared ? "a data set does not keep that its list of classes was declared"
               : "the list of classes was read from the data",
      step);
  std::vector<bool> seen(dataset.classes);
  for (const std::int32_t label : dataset.labels) {
    if (label != graph::kUnlabeled) seen[static_cast<std::size_t>(label)] = true;
  }
  for (std::size_t c = 0; c < seen.size(); ++c) {
    if (!seen[c]) text += fmt::format("note: no node has the class '{}'\n", names[c]);
  }
  return text;
}

void convert(const Request& request) {
  graph::ReadOptions options;
  if (request.format) options.format = graph::parse_format(*request.format);
  if (request.directed) options.direction = graph::Direction::directed;
  options.header = parse_choice<graph::Header>(request.header, "--header");
  options.feature_ids = parse_choice<graph::IdColumn>(request.feature_ids, "--feature-ids");
  expect_name(request.name, "IN", "a file or folder");
  expect_name(request.out, "--out", "a folder");
  const auto beside = [](const std::optional<std::string>& file, const char* option,
                         std::optional<graph::Source>& target) {
    if (!file) return;
    expect_name(*file, option, "a file");
    target.emplace(fs::path(*file));
  };
  beside(request.features_file, "--features", options.features);
  beside(request.labels_file, "--labels", options.labels);
  beside(request.nodes_file, "--nodes", options.nodes);
  options.node_count = request.node_count;
  graph::ReadSummary summary;
  Dataset dataset = graph::open_dataset(request.name, options, &summary);
  if (request.attributes) dataset = with_attributes(std::move(dataset), *request.attributes);
  const std::vector<graph::PrepareStep> steps = graph::parse_prepare(request.prepare);
  dataset = graph::prepare(std::move(dataset), steps);
  dataset.name = fs::path(request.out).filename().string();
  if (is_edge_list(request.out)) return write_list(dataset, request);
  const bool declared = graph::declares_classes(steps);
  Json reading = summary_json(summary);
  if (dataset.classes > 0) reading["classes_from"] = declared ? "option" : "data";
  write(dataset, request, reading);
  if (request.json) return;
  fmt::print("{}", summary_text(summary));
  if (dataset.classes > 0) fmt::print("{}", about_classes(dataset, declared));
}

}  // namespace

void declare_data_command(Command& root) {
  // The request lives as long as the command that fills it.
  const auto request = std::make_shared<Request>();
  Command& data = root.command("data", "data sets: list, look at, make, convert");

  data.example("privet data make dcsbm -o friends --set nodes=2000 --set homophily=0.9");
  data.example("privet data convert contacts.csv --labels people.csv -o contacts");
  data.example("privet data info friends");

  Command& list_command = data.command("list", "generators, and the data sets under the data root");
  list_command.option("--data-root", request->data_root, "folder of data sets (default: PRIVET_DATA)");
  list_command.flag("--json", request->json, "one JSON document");
  list_command.example("privet data list --data-root ~/graphs");
  list_command.action([request] { list(*request); });

  Command& info = data.command("info", "figures of one data set, exact: for its owner's eyes");
  info.positional("NAME", request->name, "name under the data root, or path");
  info.option("--data-root", request->data_root, "folder of data sets (default: PRIVET_DATA)");
  info.option("--prepare", request->prepare,
              "steps, comma-separated: min-class=N, classes=A+B, drop-isolated, largest-component, "
              "row-normalize, standardize, symmetrize, "
              "directed, reverse, constant-feature");
  info.flag("--json", request->json, "one JSON document");
  info.example("privet data info cora --data-root ~/graphs");
  info.example("privet data info ~/graphs/fb100_cornell5 --prepare min-class=1000 --json");
  info.action([request] {
    print_info(graph::prepare(load_dataset(request->name, request->data_root),
                              graph::parse_prepare(request->prepare)),
               request->json);
  });

  Command& make_command = data.command("make", "makes a data set with known truth");
  const auto options_wanted = std::make_shared<bool>(false);
  make_command.positional("KIND", request->name, "the generator (privet data list names them)");
  make_command.option("--out,-o", request->out, "folder to write");
  make_command.option("--set", request->assignments, "an option of the generator, as name=value; repeatable");
  make_command.option("--seed", request->seed, "same seed, same bytes (default 1)");
  declare_threads(make_command);
  make_command.flag("--help-options", *options_wanted, "list what --set takes for this generator");
  make_command.flag("--force", request->force, "replace an existing data set");
  make_command.flag("--json", request->json, "print the figures of the result as JSON");
  make_command.example("privet data make dcsbm -o friends --set nodes=20000 --set homophily=0.7");
  make_command.action([request, options_wanted] { make(*request, *options_wanted); });

  Command& convert_command = data.command("convert", "reads another format and writes the native one");
  convert_command.positional("IN", request->name, "edge list (CSV, TSV), Matrix Market, npz, or OGB folder");
  convert_command
      .option("--out,-o", request->out,
              "folder to write, or a file .csv or .tsv: the edges alone, for other tools")
      .required();
  convert_command.option("--format", request->format,
                         fmt::format("format of IN, where it can't be told from the file: {}",
                                     fmt::join(graph::format_names(), ", ")));
  convert_command.option(
      "--header", request->header,
      "whether the first line names the columns, in IN and in the files beside it: yes, no "
      "or auto (default: auto)");
  convert_command.option("--features", request->features_file, "CSV of features, one row per node");
  convert_command.option("--feature-ids", request->feature_ids,
                         "whether the first column of the features is the node's id: yes, no or auto "
                         "(default: auto)");
  convert_command.option("--labels", request->labels_file, "CSV of labels, one row per node");
  convert_command.option("--attributes", request->attributes,
                         "data set of as many nodes, in the same order, whose features, labels, names and "
                         "splits are taken: for graphs that 'privet train' released");
  convert_command.option("--nodes", request->nodes_file, "CSV whose first column lists the nodes");
  convert_command.option("--node-count", request->node_count, "ids are the numbers from 0 to N-1");
  convert_command.flag("--directed", request->directed,
                       "keep the direction of the edges beside the undirected graph; --prepare directed "
                       "uses it");
  declare_threads(convert_command);
  convert_command.option("--prepare", request->prepare, "steps, as for privet data info");
  convert_command.flag("--force", request->force, "replace an existing data set");
  convert_command.flag("--json", request->json,
                       "print the figures of the result, and how it was read, as JSON");
  convert_command.example("privet data convert friends.csv --labels people.csv -o friends");
  convert_command.example("privet data convert model/released.npz --attributes friends -o noisy-friends");
  convert_command.action([request] { convert(*request); });
}

}  // namespace privet::cli
