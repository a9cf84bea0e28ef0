#include "privet/cli/audit_command.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "privet/audit/attacks/attacks.hpp"
#include "privet/audit/audit.hpp"
#include "privet/audit/refuted.hpp"
#include "privet/audit/two_world.hpp"
#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/options.hpp"
#include "privet/base/progress.hpp"
#include "privet/cli/cell_options.hpp"
#include "privet/cli/common_options.hpp"
#include "privet/cli/data_root.hpp"
#include "privet/cli/model_folder.hpp"
#include "privet/cli/owner_key.hpp"
#include "privet/graph/prepare.hpp"
#include "privet/learn/model.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/proof/fingerprint.hpp"
#include "privet/proof/ledger.hpp"
#include "privet/report/attack_figure.hpp"
#include "privet/run/cell.hpp"

namespace privet::cli {
namespace {

constexpr double kMinutes = 10;
constexpr double kMinutesAfterMechanism = 0.5;

struct Options {
  std::optional<std::string> method;
  std::optional<std::string> preset;
  std::vector<std::string> assignments;
  std::optional<std::string> model;
  std::optional<std::string> ledger;
  std::optional<std::string> data;
  std::optional<std::string> train_data;
  std::optional<std::string> data_root;
  std::optional<std::string> prepare;
  std::optional<std::string> split;
  std::optional<std::string> unit;
  std::optional<std::string> epsilon;
  std::optional<std::string> delta;
  std::optional<std::string> rigor;
  bool published_defects = false;
  std::optional<std::string> attack;
  std::string pairs = "balanced";
  std::uint64_t attack_nodes = 500;
  std::uint64_t shadows = 16;
  std::string references = "yes";
  std::string test = "two-world";
  std::optional<std::uint64_t> trials;
  std::optional<double> minutes;
  std::optional<std::uint64_t> mechanism_draws;
  std::optional<std::uint64_t> canaries;
  double confidence = 0.999;
  std::optional<std::string> neighbor;
  std::optional<std::string> pair;
  std::optional<std::uint64_t> node;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> out;
  bool json = false;
};

graph::NodeId node_id(std::uint64_t number, const char* where) {
  if (number < graph::kMaxNodes) return static_cast<graph::NodeId>(number);
  throw InvalidArgument(
      {.what = fmt::format("node {}", number), .where = where, .expected = "a node's number"});
}

std::pair<graph::NodeId, graph::NodeId> parse_pair(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw InvalidArgument(
        {.what = fmt::format("'{}'", text), .where = "--pair", .expected = "two nodes: 3,17"});
  }
  return {node_id(parse_integer(text.substr(0, comma), "--pair"), "--pair"),
          node_id(parse_integer(text.substr(comma + 1), "--pair"), "--pair")};
}

privacy::Certificate certificate_of(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "certificate.json";
  return privacy::certificate_from_json(read_json(file), file.string());
}

// What a saved model and its certificate say about how it was made; the claim is theirs.
void apply_model(const std::filesystem::path& folder, methods::Cell& cell) {
  const methods::SavedModel saved = methods::load_model(folder);
  const methods::Model& model = saved.model;
  const privacy::Certificate certificate = certificate_of(folder);
  require_own_certificate(saved, certificate, (folder / "certificate.json").string());
  cell.method = model.method;
  for (const auto& [option, value] : model.options) cell.assignments.push_back(option + "=" + value);
  cell.unit = model.unit;
  cell.prepare = model.prepare.value_or("");
  cell.rigor = certificate.rigor;
  cell.epsilon = certificate.epsilon ? certificate.epsilon : certificate.claimed_epsilon;
  // What opened nothing cost nothing, whatever its budget was; the audit works the claim out again.
  if (cell.epsilon && *cell.epsilon <= 0) cell.epsilon = 1;
  if (!certificate.releases.empty()) cell.delta = certificate.delta;
}

methods::Cell cell_of(const Options& options) {
  methods::Cell cell;
  if (options.model) {
    if (options.method || options.preset || !options.assignments.empty() || options.unit || options.epsilon ||
        options.delta || options.rigor || options.published_defects) {
      throw InvalidArgument({.what = "the method, its options and its claim are the model's",
                             .where = "--model",
                             .expected = "neither of --method, --preset, --set, --unit, --epsilon, --delta, "
                                         "--rigor beside it"});
    }
    refuse_data_folder(*options.model, "model.json", "--model");
    apply_model(*options.model, cell);
  }
  if (options.method) cell.method = *options.method;
  if (options.preset) cell.preset = *options.preset;
  cell.assignments.insert(cell.assignments.end(), options.assignments.begin(), options.assignments.end());
  if (options.data) cell.data = *options.data;
  if (options.prepare) cell.prepare = *options.prepare;
  if (options.split) cell.split = *options.split;
  if (options.unit) cell.unit = privacy::Unit::parse(*options.unit).text();
  if (options.epsilon) cell.epsilon = parse_epsilon(*options.epsilon);
  if (options.delta && *options.delta != "auto") cell.delta = parse_number(*options.delta, "--delta");
  if (options.rigor) cell.rigor = parse_rigor(*options.rigor);
  cell.published_defects = options.published_defects;
  cell.seed = options.seed;
  require_complete(cell, cell.epsilon.has_value());
  return cell;
}

// Short waits need no announcement.
void announce(const audit::Forecast& forecast) {
  if (forecast.seconds < 10 && forecast.trials == forecast.asked) return;
  if (forecast.trials == 0) {
    fmt::print(stderr, "note: whole runs: one of each world took {}; the limit (--minutes) allows no more\n",
               clock_text(forecast.pair_seconds));
    return;
  }
  fmt::print(stderr, "note: whole runs: one of each world took {}, all of them will take about {}; {}\n",
             clock_text(forecast.pair_seconds), clock_text(forecast.seconds),
             forecast.trials < forecast.asked
                 ? fmt::format("{} of each world are measured instead of {} (--minutes)", forecast.trials,
                               forecast.asked)
                 : fmt::format("{} of each world are measured", forecast.trials));
}

audit::AuditOptions audit_options(const Options& options) {
  audit::AuditOptions wanted{.test = audit::parse_test(options.test),
                             .confidence = options.confidence,
                             .neighbor = options.neighbor.value_or(""),
                             .split = options.split.value_or("75/10/15"),
                             .seed = options.seed};
  wanted.trials = options.trials.value_or(wanted.test == audit::TestKind::one_run ? 1000 : 200);
  if (options.minutes && !(*options.minutes >= 0)) {
    throw InvalidArgument({.what = fmt::format("{} minutes", *options.minutes),
                           .where = "--minutes",
                           .expected = "a number from 0; 0 for no whole runs"});
  }
  if (options.minutes && wanted.test != audit::TestKind::two_world) {
    throw InvalidArgument({.what = "a limit for whole runs in two worlds",
                           .where = "--minutes",
                           .expected = "--test two-world"});
  }
  // Somebody who names a number of runs waits for them.
  if (options.minutes || !options.trials) {
    wanted.minutes = options.minutes.value_or(kMinutes);
    wanted.minutes_after_mechanism = options.minutes.value_or(kMinutesAfterMechanism);
  }
  wanted.forecast = announce;
  if (options.mechanism_draws) wanted.mechanism_draws = *options.mechanism_draws;
  if (options.canaries) wanted.canaries = *options.canaries;
  if (options.pair) wanted.pair = parse_pair(*options.pair);
  if (options.node) wanted.node = node_id(*options.node, "--node");
  return wanted;
}

audit::AttackOptions attack_options(const Options& options, const methods::Cell& cell) {
  if (options.references != "yes" && options.references != "no") {
    throw InvalidArgument(
        {.what = fmt::format("'{}'", options.references), .where = "--references", .expected = "yes or no"});
  }
  if (options.attack_nodes < 2 || options.shadows < 2) {
    throw InvalidArgument({.what = "fewer than 2",
                           .where = options.shadows < 2 ? "--shadows" : "--attack-nodes",
                           .expected = "at least 2"});
  }
  return {.attacks = audit::parse_attacks(*options.attack),
          .pairs = audit::parse_pair_choice(options.pairs),
          .nodes = options.attack_nodes,
          .shadows = options.shadows,
          .references = options.references == "yes",
          .split = cell.split,
          .seed = options.seed};
}

// Blinded as on the certificate of a model that was trained on these data.
std::string fingerprint_of(const Options& options, const graph::Dataset& dataset) {
  const std::string plain = graph::fingerprint(dataset);
  return options.ledger ? privacy::Ledger::open(*options.ledger).blind(plain)
                        : privacy::blinded_fingerprint(plain, owner_key());
}

graph::Dataset dataset_for(const Options& options, const methods::Cell& cell) {
  graph::Dataset dataset =
      graph::prepare(load_dataset(cell.data, options.data_root), graph::parse_prepare(cell.prepare));
  if (options.model && fingerprint_of(options, dataset) != methods::load_model(*options.model).fingerprint) {
    fmt::print(
        stderr,
        "note: by the key of {} these are not the data that the model was trained on, or not prepared as "
        "they were (--prepare); no certificate will take this audit\n",
        options.ledger ? "this ledger" : "this owner");
  }
  return dataset;
}

// Descriptive numbers are no verdict: whatever they are, the status is 0.
void run_attack(const Options& options) {
  const methods::Cell cell = cell_of(options);
  audit::AttackOptions wanted = attack_options(options, cell);
  (void)methods::looks_before(cell);  // refused in strict rigor
  const graph::Dataset dataset = dataset_for(options, cell);
  const std::unique_ptr<methods::Method> method = methods::method_of(cell);
  std::optional<methods::Model> model;
  if (options.model) model = methods::load_model(*options.model).model;
  std::optional<graph::Dataset> learnt_from;
  if (options.train_data) {
    learnt_from = graph::prepare(load_dataset(*options.train_data, options.data_root),
                                 graph::parse_prepare(cell.prepare));
    wanted.learnt_from = &*learnt_from;
  }
  const audit::AttackReport report =
      audit::run_attacks(*method, methods::request_of(cell, dataset), dataset, model, wanted);
  const std::string text = to_text(audit::attack_json(report));
  if (options.out) {
    const std::filesystem::path folder = *options.out;
    make_folder(folder);
    write_text(folder / "attacks.json", text);
    write_text(folder / "roc.json", to_text(audit::curves_json(report)));
    write_text(folder / "roc.csv", audit::curves_csv(report));
    write_text(folder / "roc.svg", report::attack_figure(report));
  }
  fmt::print("{}", options.json ? text : audit::attack_text(report));
}

void run(const Options& options) {
  if (options.attack) return run_attack(options);
  if (options.train_data) {
    throw InvalidArgument({.what = "data to learn from", .where = "--train-data", .expected = "--attack"});
  }
  const methods::Cell cell = cell_of(options);
  audit::AuditOptions wanted = audit_options(options);
  wanted.looks = methods::looks_before(cell);
  const graph::Dataset dataset = dataset_for(options, cell);
  const std::unique_ptr<methods::Method> method = methods::method_of(cell);
  const std::string digest = options.model ? privacy::certificate_digest(certificate_of(*options.model)) : "";
  const std::string fingerprint = fingerprint_of(options, dataset);
  const auto write = [&](audit::AuditReport so_far) {
    so_far.certificate_digest = digest;
    so_far.data_fingerprint = fingerprint;
    write_text(std::filesystem::path(*options.out) / "audit.json", to_text(audit::audit_json(so_far)));
  };
  if (options.out) {  // never beside the model, which may be published: the report names real edges
    make_folder(*options.out);
    wanted.meanwhile = write;
  }
  audit::AuditReport report = audit::run_audit(*method, methods::request_of(cell, dataset), dataset, wanted);
  report.certificate_digest = digest;
  report.data_fingerprint = fingerprint;
  if (options.out) write(report);
  const std::string text = to_text(audit::audit_json(report));
  fmt::print("{}", options.json ? text : audit::audit_text(report));
  if (!report.violated()) return;
  std::fflush(stdout);
  throw audit::Refuted({.what = report.noise_faults.empty()
                                    ? fmt::format("epsilon is at least {:.4g}, claimed is {:.4g}",
                                                  report.epsilon_lower_bound, report.claimed_epsilon)
                                    : "noise is not independent",
                        .where = "audit"});
}

}  // namespace

void declare_audit_command(Command& root) {
  auto options = std::make_shared<Options>();
  Command& command = root.command("audit", "tries to refute what a method claims; for the data's owner");
  command.option("--method", options->method, "a name from 'privet methods'");
  command.option("--preset", options->preset, "a named set of options, such as a paper's own");
  command.option("--set", options->assignments, "an option of the method: --set width=32");
  command.option("--model", options->model, "folder of a trained model: audits how it was made");
  command.option("--ledger", options->ledger,
                 "the ledger that paid for the model: its key recognises the data");
  command.option("--data", options->data, "data set: a name under the data root, or a folder");
  command.option("--train-data", options->train_data,
                 "with --attack: data to learn from instead; those of --data are asked about afterwards");
  command.option("--data-root", options->data_root, "folder of data sets (or PRIVET_DATA)");
  command.option("--prepare", options->prepare,
                 "steps before learning, as for train (default with --model: those of its data)");
  command.option("--split", options->split, "75/10/15 (default), planetoid, ...");
  command.option("--unit", options->unit, "what is claimed to be protected: edge, node:D, record, ...");
  command.option("--epsilon", options->epsilon, "the claim");
  command.option("--delta", options->delta, "probability with which the claim may fail; auto by rule");
  command.option("--rigor", options->rigor, "strict (the default) or paper");
  command.flag("--reproduce-published-defects", options->published_defects,
               "dpdgc in paper rigor: audit what its published code does");
  command.option("--attack", options->attack,
                 "instead of a test: linkteller, lpa, gmia, lira or several of them, as descriptive numbers");
  command.option(
      "--pairs", options->pairs,
      "of linkteller and lpa: balanced (default), or all pairs among nodes: all, low, high degree");
  command.option("--attack-nodes", options->attack_nodes,
                 "edges of balanced pairs, or nodes of the others (default 500)");
  command.option("--shadows", options->shadows, "models behind gmia and lira (default 16)");
  command.option("--references", options->references,
                 "linkteller and lpa also on mlp and gcn: yes (default) or no");
  command.option("--test", options->test, "two-world (default), one-run or noise");
  command.option("--trials", options->trials,
                 "runs of each world (default 200), or canaries of one-run (default 1000)");
  command.option(
      "--minutes", options->minutes,
      "for whole runs (default, unless --trials is given: 10, and 0.5 where the mechanism alone has "
      "shown half of the claim); fewer trials are run where they would take longer; 0 for none");
  command.option("--mechanism-draws", options->mechanism_draws,
                 "draws of the mechanism alone, where a method has one (default 1000000; 0 for none)");
  command.option("--canaries", options->canaries,
                 "of the one run that two-world tries first (default 500; 0 for none)");
  command.option("--confidence", options->confidence,
                 "a sound method is accused with at most one minus this (default 0.999)");
  command.option("--neighbor", options->neighbor,
                 "which worlds: pendant-hub, bridge, highest-degree, isolated, duplicate, random; hub, "
                 "isolated, pendant, duplicate, random for people; or search");
  command.option("--pair", options->pair, "the edge that is there or not: 3,17");
  command.option("--node", options->node, "the person who is there or not");
  command.option("--seed", options->seed, "makes the audit repeatable");
  command.option("--out", options->out, "folder for audit.json, or for attacks.json and its curves");
  command.flag("--json", options->json, "one JSON document on stdout");
  declare_threads(command);
  command.example("privet audit --method gap --data friends --unit edge --epsilon 1");
  command.example(
      "privet audit --method dpdgc --rigor paper --reproduce-published-defects --data friends --unit edge "
      "--epsilon 1");
  command.example("privet audit --model model --data friends --test one-run --trials 2000 --json");
  command.example("privet audit --model model --data friends --attack linkteller,lpa --out attacked");
  command.action([options] { run(*options); });
}

}  // namespace privet::cli
