#include "privet/cli/certificate_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "privet/audit/audit.hpp"
#include "privet/audit/refuted.hpp"
#include "privet/base/error.hpp"
#include "privet/base/json.hpp"
#include "privet/cli/audit_file.hpp"
#include "privet/cli/epsilon_of.hpp"
#include "privet/cli/model_folder.hpp"
#include "privet/learn/model.hpp"
#include "privet/proof/certificate.hpp"
#include "privet/proof/certificate_json.hpp"
#include "privet/proof/certificate_text.hpp"

namespace privet::cli {
namespace {

struct Request {
  std::string file;
  std::vector<std::string> audits;
  bool json = false;
};

// Of the model beside the certificate, where there is one.
std::optional<std::string> method_beside(const std::string& certificate_file,
                                         const privacy::Certificate& certificate) {
  const std::filesystem::path folder = std::filesystem::path(certificate_file).parent_path();
  if (!std::filesystem::exists(folder / "model.json")) return {};
  const methods::SavedModel saved = methods::load_model(folder);
  require_own_certificate(saved, certificate, certificate_file);
  return saved.model.method;
}

std::string audit_line(const Json& audit) {
  if (audit["test"] == audit::name(audit::TestKind::noise)) {
    return fmt::format(
        "audited: noise test on {}: {} ({})\n", privacy::printable(audit["data"].get<std::string>()),
        audit["outcome"].get<std::string>(), privacy::printable(audit["file"].get<std::string>()));
  }
  const Json& most = audit["largest_refutable_epsilon"];
  const double claimed = audit["claimed_epsilon"].get<double>();
  const bool powerless = most.is_number() && most.get<double>() <= claimed;
  return fmt::format(
      "audited: {} test on {}, trained anew, {}{}: epsilon at least {:.4g} of {:.4g} claimed, with "
      "confidence "
      "{:.5g}{} ({})\n",
      privacy::printable(audit["test"].get<std::string>()),
      privacy::printable(audit["data"].get<std::string>()),
      privacy::printable(audit["verdict"].get<std::string>()),
      audit["finished"].get<bool>() ? "" : " so far (not finished)",
      audit["epsilon_lower_bound"].get<double>(), claimed, audit["confidence"].get<double>(),
      powerless ? fmt::format("; it could have shown at most {:.4g}, so it says nothing", most.get<double>())
                : "",
      privacy::printable(audit["file"].get<std::string>()));
}

std::string complaint(const privacy::CertificateVerdict& verdict) {
  const std::string first = privacy::printable(verdict.faults.front());
  if (verdict.undecided()) return first;
  const std::size_t more = verdict.faults.size() - 1;
  return fmt::format("does not hold: {}{}", first,
                     more == 0 ? "" : fmt::format(" (and {} more fault{})", more, more == 1 ? "" : "s"));
}

// A file that can't be read, or that was edited, is a verdict too.
privacy::Certificate read(const std::string& file, bool json) {
  try {
    return privacy::read_certificate(file);
  } catch (const DataError& error) {
    if (json) {
      fmt::print("{}", to_text(Json{{"holds", false},
                                    {"faults", {error.what()}},
                                    {"sound", false},
                                    {"derived_epsilon", nullptr},
                                    {"corrected_epsilon", nullptr},
                                    {"audits", Json::array()},
                                    {"certificate", nullptr}}));
      std::fflush(stdout);
    }
    throw;
  }
}

void check(const Request& request) {
  refuse_data_folder(request.file, "certificate.json", "FILE");
  const std::string certificate_file =
      std::filesystem::is_directory(request.file) ? request.file + "/certificate.json" : request.file;
  if (std::filesystem::path(certificate_file).filename() == "model.json") {
    throw InvalidArgument({.what = "this describes a model",
                           .where = certificate_file,
                           .expected = "a certificate",
                           .remedy = "name the model's folder, or certificate.json in it"});
  }
  const privacy::Certificate certificate = read(certificate_file, request.json);
  const privacy::CertificateVerdict verdict = privacy::check_certificate(certificate, epsilon_of);
  const std::optional<std::string> method = method_beside(certificate_file, certificate);
  Json audits = Json::array();
  for (const std::string& file : request.audits) audits.push_back(audit_beside(certificate, method, file));
  if (request.json) {
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    const Json document = {{"holds", verdict.holds()},
                           {"faults", verdict.faults},
                           {"sound", certificate.sound && verdict.holds()},
                           {"derived_epsilon", number(verdict.derived_epsilon)},
                           {"corrected_epsilon", number(verdict.corrected_epsilon)},
                           {"audits", audits},
                           {"certificate", privacy::certificate_to_json(certificate)}};
    fmt::print("{}", to_text(document));
  }
  // Before anything else is printed: a page that promises what does not hold must not reach a reader.
  if (!verdict.holds()) throw DataError({.what = complaint(verdict), .where = request.file});
  if (request.json) return;
  fmt::print("{}\n", privacy::certificate_text(certificate));
  if (certificate.sound) {
    fmt::print("checked: the releases listed cost what the certificate says.\n");
  } else {
    fmt::print("checked: well formed. It guarantees nothing, as it says.\n");
  }
  for (const Json& audit : audits) fmt::print("{}", audit_line(audit));
  if (!audits.empty()) fmt::print("note: audits read the data without noise and are for its owner's eyes.\n");
  for (const Json& audit : audits) {
    if (audit["verdict"] != "violated") continue;
    std::fflush(stdout);
    throw audit::Refuted({.what = "an audit refutes what this certificate says",
                          .where = privacy::printable(audit["file"].get<std::string>())});
  }
}

}  // namespace

void declare_certificate_command(Command& root) {
  const auto request = std::make_shared<Request>();
  Command& command =
      root.command("certificate", "prints a certificate and re-derives its epsilon from its releases");
  command.positional("FILE", request->file, "certificate.json, or the folder of a model");
  command.option("--audit", request->audits,
                 "audit.json of an audit of this certificate's model, to print beside it; repeatable");
  command.flag("--json", request->json, "one JSON document: the verdict and the certificate");
  command.example("privet certificate model/certificate.json");
  command.action([request] { check(*request); });
}

}  // namespace privet::cli
