#include "privet/report/cell_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "privet/accounting/accountant.hpp"
#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json_field.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/proof/certificate_text.hpp"
#include "privet/report/comparison_figures.hpp"

namespace privet::report {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

privacy::Rigor rigor_of(const JsonField& field) {
  const std::string text = field.text();
  for (const privacy::Rigor rigor : {privacy::Rigor::kStrict, privacy::Rigor::kPaper}) {
    if (text == privacy::name(rigor)) return rigor;
  }
  field.refuse(fmt::format("is '{}'", text), "strict or paper");
}

std::string text_or_nothing(const JsonField& root, const char* key) {
  const std::optional<JsonField> field = root.find(key);
  return field ? field->text() : std::string();
}

std::optional<double> number_or_nothing(const JsonField& root, const char* key) {
  const std::optional<JsonField> field = root.find(key);
  return field ? field->number_or_null() : std::nullopt;
}

methods::Cell cell_of(const JsonField& root) {
  methods::Cell cell;
  cell.method = root.at("method").nonempty_text();
  cell.preset = text_or_nothing(root, "preset");
  if (const std::optional<JsonField> options = root.find("options")) {
    for (const JsonField& option : options->elements()) cell.assignments.push_back(option.text());
  }
  cell.data = root.at("data").nonempty_text();
  cell.prepare = text_or_nothing(root, "prepare");
  if (const std::string split = text_or_nothing(root, "split"); !split.empty()) cell.split = split;
  cell.unit = root.at("unit").text();
  cell.rigor = rigor_of(root.at("rigor"));
  cell.epsilon = root.at("epsilon").number_or_null();
  cell.published_defects = root.find("published_defects").has_value();
  cell.published = number_or_nothing(root, "published");
  cell.published_ci95 = number_or_nothing(root, "published_ci95");
  return cell;
}

// The files' own number is the plan's, the certificate's that of what was released: the larger one bounds
// both.
double cost_of_all_runs(const privacy::Certificate& certificate, std::uint64_t runs, double stated,
                        const privacy::EpsilonOf& epsilon_of) {
  const privacy::Event all = privacy::repeated(privacy::total_event(certificate), runs);
  return std::max(stated, privacy::printed_epsilon(
                              epsilon_of(all, privacy::Delta(certificate.delta), certificate.accountant)));
}

}  // namespace

namespace {

// The line may not say anything else than its certificate: figures and headlines go by the line.
void require_same(const JsonField& root, CellReport& cell) {
  const privacy::Certificate& certificate = cell.certificate;
  methods::Cell& line = cell.result.cell;
  // Without a budget nothing is protected, whatever unit was named.
  if (!line.epsilon && certificate.unit == "none") line.unit = "none";
  if (certificate.unit != line.unit)
    root.at("unit").refuse(fmt::format("is '{}', on the certificate '{}'", line.unit, certificate.unit));
  if (certificate.rigor != line.rigor)
    root.at("rigor").refuse(fmt::format("is '{}', on the certificate '{}'", privacy::name(line.rigor),
                                        privacy::name(certificate.rigor)));
  if (line.unit == "none") return;
  if (certificate.delta != cell.result.delta)
    root.at("delta").refuse(
        fmt::format("is {}, on the certificate {}", cell.result.delta, certificate.delta));
  const std::optional<double> stated =
      certificate.epsilon ? certificate.epsilon : certificate.claimed_epsilon;
  if (line.epsilon && stated && *stated > *line.epsilon * (1 + 1e-9))
    root.at("epsilon").refuse(fmt::format("is {}, on the certificate {}", *line.epsilon, *stated));
}

}  // namespace

std::string CellReport::label() const {
  const methods::Cell& cell = result.cell;
  std::string text = cell.preset.empty() ? cell.method : fmt::format("{}:{}", cell.method, cell.preset);
  if (!cell.assignments.empty()) text += fmt::format(" ({})", fmt::join(cell.assignments, " "));
  if (cell.published_defects) text += ", published defects";
  return text;
}

std::optional<double> CellReport::edge_epsilon() const { return privacy::edge_epsilon(certificate); }

std::string CellReport::data() const { return short_name(result.cell.data); }

void require_holds(const privacy::Certificate& certificate, const std::string& where,
                   const privacy::EpsilonOf& epsilon_of) {
  const privacy::CertificateVerdict verdict = privacy::check_certificate(certificate, epsilon_of);
  if (verdict.holds()) return;
  throw DataError(
      {.what = fmt::format("the certificate does not hold: {}", privacy::printable(verdict.faults.front())),
       .where = where});
}

CellReport cell_from_json(const Json& document, const std::string& where,
                          const privacy::EpsilonOf& epsilon_of) {
  const JsonField root(document, where);
  CellReport cell;
  cell.where = where;
  cell.result.cell = cell_of(root);
  cell.result.delta = root.at("delta").number();
  for (const JsonField& run : root.at("runs").elements()) {
    static_cast<void>(run.at("test_accuracy").number_or_null());
    cell.result.runs.push_back(document["runs"][cell.result.runs.size()]);
  }
  const JsonField accuracy = root.at("test_accuracy");
  cell.accuracy = accuracy.at("mean").number_or_null();
  cell.half_width = accuracy.at("ci95").number_or_null();
  cell.result.cell.evaluate = cell.accuracy.has_value();
  cell.seconds = root.at("train_seconds").at("mean").number_or_null();
  cell.memory_mib = number_or_nothing(root, "peak_rss_mib");
  static_cast<void>(root.at("certificate"));
  cell.certificate = privacy::certificate_from_json(document["certificate"], where + ": certificate");
  require_holds(cell.certificate, where, epsilon_of);
  cell.result.certificate = document["certificate"];
  cell.digest = privacy::certificate_digest(cell.certificate);
  require_same(root, cell);
  const std::size_t runs = cell.result.runs.size();
  if (cell.certificate.sound && runs > 1) {
    cell.all_runs_epsilon = cost_of_all_runs(
        cell.certificate, runs, number_or_nothing(root, "all_runs_epsilon").value_or(0), epsilon_of);
  }
  return cell;
}

std::vector<CellReport> read_results(const std::filesystem::path& file, const std::string& shown_as,
                                     const privacy::EpsilonOf& epsilon_of) {
  const std::string text = read_text(file, kMaxBytes);
  std::vector<CellReport> cells;
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string where = fmt::format("{}, line {}", file.string(), line);
    cells.push_back(cell_from_json(parse_json(std::string_view(text).substr(begin, end - begin), where),
                                   where, epsilon_of));
    cells.back().where = fmt::format("{}, line {}", shown_as, line);
    begin = end + 1;
  }
  if (cells.empty())
    throw DataError({.what = "is empty", .where = file.string(), .expected = "one result on each line"});
  return cells;
}

}  // namespace privet::report
