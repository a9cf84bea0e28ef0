#include "privet/run/cell_result.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "privet/accounting/accountant.hpp"
#include "privet/learn/feature_gate.hpp"
#include "privet/proof/certificate_json.hpp"

namespace privet::methods {
namespace {

constexpr double kKibPerMib = 1024;

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

double peak_rss_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / kKibPerMib;
}

std::vector<double> accuracies(const std::vector<Json>& runs) {
  std::vector<double> all;
  for (const Json& run : runs) {
    if (run["test_accuracy"].is_number()) all.push_back(run["test_accuracy"].get<double>());
  }
  return all;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? std::nan("") : sum / static_cast<double>(values.size());
}

}  // namespace

double CellResult::mean_accuracy() const { return mean_of(accuracies(runs)); }

std::string CellResult::graph_answers_in() const {
  std::size_t open = 0;
  std::size_t asked = 0;
  for (const Json& run : runs) {
    const auto findings = run.find("findings");
    if (findings == run.end()) continue;
    const auto who = findings->find(kWhoAnswers);
    if (who == findings->end() || !who->is_string()) continue;
    ++asked;
    if (who->get<std::string>().starts_with(kGraphAnswers)) ++open;
  }
  return asked == 0 ? "" : fmt::format("{} of {}", open, asked);
}

double CellResult::accuracy_ci95() const {
  const std::vector<double> all = accuracies(runs);
  if (all.size() < 2) return 0;
  const double mean = mean_of(all);
  double squares = 0;
  for (const double value : all) squares += (value - mean) * (value - mean);
  const auto count = static_cast<double>(all.size());
  const boost::math::students_t distribution(count - 1);
  constexpr double kUpperTail = 0.975;
  return boost::math::quantile(distribution, kUpperTail) * std::sqrt(squares / (count - 1) / count);
}

std::optional<double> CellResult::edge_epsilon() const {
  if (!certificate.is_object() || !privacy::Unit::parse(cell.unit).is_reported_locally()) return {};
  return privacy::edge_epsilon(privacy::certificate_from_json(certificate, "certificate"));
}

Json CellResult::to_json() const {
  Json listed = Json::array();
  double seconds = 0;
  for (const Json& run : runs) {
    Json shown = run;
    shown.erase("certificate");
    shown.erase("plan");
    shown.erase("all_runs_epsilon");
    listed.push_back(shown);
    if (run["train_seconds"].is_number()) seconds += run["train_seconds"].get<double>();
  }
  const bool measured = !accuracies(runs).empty();
  Json document = {
      {"method", cell.method},
      {"preset", cell.preset},
      {"options", cell.assignments},
      {"data", cell.data},
      {"prepare", cell.prepare},
      {"split", cell.split},
      {"unit", cell.unit},
      {"rigor", name(cell.rigor)},
      {"epsilon", cell.published_defects ? Json(nullptr) : optional_number(cell.epsilon)},
      {"delta", delta},
      {"plan", runs.empty() ? Json::object() : runs.back()["plan"]},
      {"runs", listed},
      {"test_accuracy",
       {{"mean", measured ? Json(mean_accuracy()) : Json(nullptr)},
        {"ci95", measured && runs.size() > 1 ? Json(accuracy_ci95()) : Json(nullptr)}}},
      {"train_seconds",
       {{"mean",
         cell.evaluate && !runs.empty() ? Json(seconds / static_cast<double>(runs.size())) : Json(nullptr)}}},
      {"peak_rss_mib", cell.evaluate ? Json(peak_rss_mib()) : Json(nullptr)},
      {"all_runs_epsilon", runs.empty() ? Json(nullptr) : runs.back()["all_runs_epsilon"]},
      {"certificate", certificate}};
  if (cell.published_defects) document["published_defects"] = true;
  if (cell.published) document["published"] = *cell.published;
  if (cell.published_ci95) document["published_ci95"] = *cell.published_ci95;
  return document;
}

Json run_json(const RunResult& result, const Cell& cell, std::uint64_t run) {
  Json all_runs = nullptr;
  if (result.certificate.sound && cell.runs > 1) {
    const privacy::Event all = privacy::repeated(result.plan.event, cell.runs);
    all_runs =
        privacy::printed_epsilon(privacy::epsilon(all, privacy::Delta(result.certificate.delta)).upper);
  }
  Json numbers = Json::object();
  for (const auto& [label, value] : result.plan.numbers) numbers[label] = value;
  Json findings = Json::object();
  for (const auto& [label, value] : result.findings) findings[label] = value;
  Json class_accuracy = Json::array();
  for (const double value : result.class_accuracy)
    class_accuracy.push_back(std::isnan(value) ? Json(nullptr) : Json(value));
  return {{"run", run},
          {"seed", result.seed ? Json(*result.seed) : Json(nullptr)},
          {"test_accuracy", optional_number(result.test_accuracy)},
          {"rare_f1", optional_number(result.rare_f1)},
          {"class_accuracy", class_accuracy},
          {"val_accuracy", optional_number(result.validation_accuracy)},
          {"train_seconds", cell.evaluate ? Json(result.train_seconds) : Json(nullptr)},
          {"epochs", result.epochs},
          {"plan", numbers},
          {"findings", findings},
          {"all_runs_epsilon", all_runs},
          {"certificate", privacy::certificate_to_json(result.certificate)}};
}

}  // namespace privet::methods
