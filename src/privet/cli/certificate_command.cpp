#include "privet/cli/certificate_command.hpp"

#include <fmt/format.h>

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

void check(const Request& request) {
  const privacy::Certificate certificate = privacy::read_certificate(request.file);
  const privacy::CertificateVerdict verdict = privacy::check_certificate(certificate, epsilon_of);
  if (request.json) {
    Json document = {{"certificate", privacy::certificate_to_json(certificate)},
                     {"holds", verdict.holds()},
                     {"faults", verdict.faults},
                     {"derived_epsilon", verdict.derived_epsilon ? Json(*verdict.derived_epsilon) : Json(nullptr)}};
    fmt::print("{}", to_text(document));
  } else {
    fmt::print("{}\n", privacy::certificate_text(certificate));
  }
  if (!verdict.holds()) {
    throw DataError({.what = fmt::format("does not hold: {}{}", privacy::printable(verdict.faults.front()),
                                         verdict.faults.size() > 1
                                             ? fmt::format(" (and {} more faults)", verdict.faults.size() - 1)
                                             : ""),
                     .where = request.file});
  }
  if (request.json) return;
  if (certificate.sound) {
    fmt::print("checked: the releases listed cost what the certificate says.\n");
  } else {
    fmt::print("checked: well formed. It guarantees nothing, as it says.\n");
  }
}

}  // namespace

void declare_certificate_command(Command& root) {
  const auto request = std::make_shared<Request>();
  Command& command = root.command("certificate", "prints a certificate and re-derives its epsilon from its releases");
  command.positional("FILE", request->file, "certificate.json");
  command.flag("--json", request->json, "one JSON document: the certificate and the verdict");
  command.example("privet certificate model/certificate.json");
  command.action([request] { check(*request); });
}

}  // namespace privet::cli
