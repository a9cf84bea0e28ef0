#include "privet/cli/audit_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "privet/audit/audit.hpp"
#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/privacy/json_field.hpp"

namespace privet::cli {
namespace {

// The audit plans anew from the certificate's epsilon: calibration and rounding may leave a little of it.
constexpr double kReplanned = 0.1;

void require_same(const privacy::JsonField& root, const char* key, const std::string& expected) {
  const std::string found = root.at(key).text();
  if (found == expected) return;
  throw DataError({.what = fmt::format("audits {} '{}'", key, found),
                   .where = root.path(),
                   .expected = fmt::format("'{}', as the certificate has", expected)});
}

void require_same_claim(const privacy::Certificate& certificate, const privacy::JsonField& root) {
  require_same(root, "unit", certificate.unit);
  require_same(root, "rigor", std::string(privacy::name(certificate.rigor)));
  const double delta = root.at("delta").number();
  if (certificate.delta > 0 && delta != certificate.delta) {
    throw DataError({.what = fmt::format("audits delta {:g}", delta),
                     .where = root.path(),
                     .expected = fmt::format("{:g}, as the certificate has", certificate.delta)});
  }
  const std::optional<double> stated =
      certificate.epsilon ? certificate.epsilon : certificate.claimed_epsilon;
  const double claimed = root.at("claimed_epsilon").number();
  if (stated && *stated > 0 && std::abs(claimed - *stated) > kReplanned * *stated) {
    throw DataError({.what = fmt::format("audits epsilon {:.4g}", claimed),
                     .where = root.path(),
                     .expected = fmt::format("about {:.4g}, as the certificate has", *stated)});
  }
}

void require_consistent(const privacy::JsonField& root) {
  const auto refuse = [&](const std::string& what) {
    throw DataError(
        {.what = what, .where = root.path(), .expected = "an audit that was not edited: run it again"});
  };
  (void)audit::parse_test(root.at("test").text());
  const std::string verdict = root.at("verdict").text();
  if (verdict != "consistent" && verdict != "violated") refuse(fmt::format("verdict '{}'", verdict));
  const double confidence = root.at("confidence").number();
  if (!(confidence >= 0.75 && confidence < 1)) refuse(fmt::format("confidence {:g}", confidence));
  const double bound = root.at("epsilon_lower_bound").number();
  double largest = 0;
  for (const privacy::JsonField& finding : root.at("findings").elements())
    largest = std::fmax(largest, finding.at("epsilon_lower_bound").number());
  if (bound != largest)
    refuse(fmt::format("measured at least {:g}, but its findings show {:g}", bound, largest));
  const bool violated =
      bound > root.at("claimed_epsilon").number() || !root.at("noise_faults").elements().empty();
  if (violated != (verdict == "violated"))
    refuse(fmt::format("the verdict is '{}', but its numbers say otherwise", verdict));
}

}  // namespace

Json audit_beside(const privacy::Certificate& certificate, const std::optional<std::string>& method,
                  const std::string& path) {
  const std::string file = std::filesystem::is_directory(path) ? path + "/audit.json" : path;
  const Json report = read_json(file);
  const privacy::JsonField root(report, file);
  if (root.at("certificate_digest").is_null() ||
      root.at("certificate_digest").text() != privacy::certificate_digest(certificate)) {
    throw DataError({.what = "is not an audit of this certificate",
                     .where = file,
                     .expected = "what 'privet audit --model DIR --out' writes for its model"});
  }
  if (root.at("data_fingerprint").is_null() ||
      root.at("data_fingerprint").text() != certificate.data_fingerprint) {
    throw DataError(
        {.what = fmt::format("audits other data than the certificate is about: '{}'", root.at("data").text()),
         .where = file,
         .expected = "the data that the model was trained on, prepared in the same way",
         .remedy = "audit it on those; with --ledger if a ledger paid for the model"});
  }
  if (method) require_same(root, "method", *method);
  require_same_claim(certificate, root);
  require_consistent(root);
  return {{"file", file},
          {"test", root.at("test").text()},
          {"data", root.at("data").text()},
          {"claimed_epsilon", root.at("claimed_epsilon").number()},
          {"largest_refutable_epsilon", root.at("largest_refutable_epsilon").number_or_null()
                                            ? Json(root.at("largest_refutable_epsilon").number())
                                            : Json(nullptr)},
          {"verdict", root.at("verdict").text()},
          {"epsilon_lower_bound", root.at("epsilon_lower_bound").number()},
          {"confidence", root.at("confidence").number()},
          {"finished", root.at("finished").boolean()}};
}

}  // namespace privet::cli
