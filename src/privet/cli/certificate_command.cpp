#include "privet/cli/certificate_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "privet/base/error.hpp"
#include "privet/base/json.hpp"
#include "privet/cli/epsilon_of.hpp"
#include "privet/privacy/certificate.hpp"
#include "privet/privacy/certificate_json.hpp"
#include "privet/privacy/certificate_text.hpp"

namespace privet::cli {
namespace {

struct Request {
  std::string file;
  bool json = false;
};

std::string complaint(const privacy::CertificateVerdict& verdict) {
  const std::string first = privacy::printable(verdict.faults.front());
  if (verdict.undecided()) return first;
  const std::size_t more = verdict.faults.size() - 1;
  return fmt::format("does not hold: {}{}", first,
                     more == 0 ? "" : fmt::format(" (and {} more fault{})", more, more == 1 ? "" : "s"));
}

void check(const Request& request) {
  const privacy::Certificate certificate = privacy::read_certificate(
      std::filesystem::is_directory(request.file) ? request.file + "/certificate.json" : request.file);
  const privacy::CertificateVerdict verdict = privacy::check_certificate(certificate, epsilon_of);
  if (request.json) {
    const Json document = {
        {"holds", verdict.holds()},
        {"faults", verdict.faults},
        {"derived_epsilon", verdict.derived_epsilon ? Json(*verdict.derived_epsilon) : Json(nullptr)},
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
}

}  // namespace

void declare_certificate_command(Command& root) {
  const auto request = std::make_shared<Request>();
  Command& command =
      root.command("certificate", "prints a certificate and re-derives its epsilon from its releases");
  command.positional("FILE", request->file, "certificate.json, or the folder of a model");
  command.flag("--json", request->json, "one JSON document: the verdict and the certificate");
  command.example("privet certificate model/certificate.json");
  command.action([request] { check(*request); });
}

}  // namespace privet::cli
