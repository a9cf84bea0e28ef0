#include "privet/proof/certificate_json.hpp"

#include <fmt/format.h>

#include "privet/accounting/event_json.hpp"
#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json_field.hpp"
#include "privet/base/sha256.hpp"

namespace privet::privacy {
namespace {

constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kMaxBytes = 16u << 20;

Json number_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json release_to_json(const Release& release) {
  Json document{{"what", release.what},
                {"unit", release.unit},
                {"noise", release.replayable ? "seeded" : "secure"},
                {"mechanism", release.mechanism},
                {"sensitivity", number_or_null(release.sensitivity)},
                {"noise_stddev", number_or_null(release.noise_stddev)},
                {"times", release.times},
                {"sampling", release.sampling},
                {"reference", release.reference},
                {"norm", release.norm}};
  document["event"] = event_to_json(release.event);
  return document;
}

/// Everything but the digest. Key order and number format are part of format 1: the digest is taken over
/// this document on one line.
Json body(const Certificate& c) {
  if (const std::vector<std::string> faults = form_faults(c); !faults.empty()) {
    throw InvalidArgument({.what = faults.front(), .where = "certificate"});
  }
  Json document;
  document["format"] = kFormat;
  document["unit"] = c.unit;
  document["rigor"] = name(c.rigor);
  document["sound"] = c.sound;
  document["epsilon"] = c.epsilon ? Json(*c.epsilon) : Json(nullptr);
  if (c.sound) {
    document["bound"] = "upper";
    if (c.epsilon_lower) document["epsilon_lower"] = *c.epsilon_lower;
  } else {
    document["claimed_epsilon"] = c.claimed_epsilon ? Json(*c.claimed_epsilon) : Json(nullptr);
  }
  document["delta"] = c.delta;
  document["accountant"] = c.accountant;
  document["protects"] = c.protects;
  document["leaves_public"] = c.leaves_public;
  document["readings"] = Json::array();
  for (const Reading& reading : c.readings) {
    document["readings"].push_back({{"unit", reading.unit},
                                    {"epsilon", reading.epsilon},
                                    {"delta", reading.delta},
                                    {"event", event_to_json(reading.event)}});
  }
  document["releases"] = Json::array();
  for (const Release& release : c.releases) document["releases"].push_back(release_to_json(release));
  document["assumptions"] = c.assumptions;
  document["failed_claims"] = c.failed_claims;
  document["unaccounted"] = Json::array();
  for (const UnaccountedUse& use : c.unaccounted) {
    document["unaccounted"].push_back({{"what", use.what}, {"reason", use.reason}});
  }
  document["noise"] = c.noise == NoiseSource::kSecure ? "secure" : "seeded";
  document["data_fingerprint"] = c.data_fingerprint;
  if (c.ledger) document["ledger"] = {{"sequence", c.ledger->sequence}, {"hash", c.ledger->hash}};
  document["privet_version"] = c.privet_version;
  document["created"] = c.created;
  return document;
}

std::string digest_of(const Json& body) { return to_hex(Sha256().update(to_line(body)).finish()); }

double number_or_zero(const JsonField& field) {
  const std::optional<double> value = field.number_or_null();
  if (value && *value <= 0) field.refuse(fmt::format("is {}", *value), "a positive number or null");
  return value.value_or(0);
}

std::vector<std::string> texts(const JsonField& field) {
  std::vector<std::string> list;
  for (const JsonField& element : field.elements()) list.push_back(element.nonempty_text());
  return list;
}

template <typename Choice>
Choice one_of(const JsonField& field, std::string_view first, Choice if_first, std::string_view second,
              Choice if_second) {
  const std::string text = field.text();
  if (text == first) return if_first;
  if (text == second) return if_second;
  field.refuse(fmt::format("is '{}'", text), fmt::format("{} or {}", first, second));
}

Release release_from_json(const JsonField& field) {
  field.allow_only({"what", "unit", "noise", "mechanism", "sensitivity", "noise_stddev", "times", "sampling",
                    "reference", "norm", "event"});
  return {.what = field.at("what").nonempty_text(),
          .unit = field.at("unit").nonempty_text(),
          .mechanism = field.at("mechanism").nonempty_text(),
          .sensitivity = number_or_zero(field.at("sensitivity")),
          .norm = field.find("norm") ? field.at("norm").text() : "",
          .noise_stddev = number_or_zero(field.at("noise_stddev")),
          .times = field.at("times").count(),
          .sampling = field.at("sampling").nonempty_text(),
          .reference = field.at("reference").text(),
          .replayable = one_of(field.at("noise"), "secure", false, "seeded", true),
          .event = event_from_json(field.at("event"))};
}

/// The keys that depend on whether the certificate is sound: each kind must have its own and none of the
/// other's.
void read_bound(const JsonField& root, Certificate& c) {
  c.epsilon = root.at("epsilon").number_or_null();
  if (c.sound) {
    if (!c.epsilon) root.at("epsilon").refuse("is null in a certificate that is sound", "a number");
    if (const auto bound = root.find("bound"); bound && bound->text() != "upper") {
      bound->refuse(fmt::format("is '{}'", bound->text()), "upper");
    }
    if (const auto lower = root.find("epsilon_lower")) c.epsilon_lower = lower->number();
    if (const auto claimed = root.find("claimed_epsilon")) {
      claimed->refuse("stands in a certificate that is sound");
    }
    return;
  }
  if (c.epsilon) root.at("epsilon").refuse("is a number in a certificate that is not sound", "null");
  for (const char* key : {"bound", "epsilon_lower"}) {
    if (const auto field = root.find(key)) field->refuse("stands in a certificate that is not sound");
  }
  c.claimed_epsilon = root.at("claimed_epsilon").number_or_null();
}

void read_lists(const JsonField& root, Certificate& c) {
  if (const auto readings = root.find("readings")) {
    for (const JsonField& reading : readings->elements()) {
      reading.allow_only({"unit", "epsilon", "delta", "event"});
      c.readings.push_back({.unit = reading.at("unit").nonempty_text(),
                            .epsilon = reading.at("epsilon").number(),
                            .delta = reading.at("delta").number(),
                            .event = event_from_json(reading.at("event"))});
    }
  }
  for (const JsonField& release : root.at("releases").elements()) {
    c.releases.push_back(release_from_json(release));
  }
  c.assumptions = texts(root.at("assumptions"));
  c.failed_claims = texts(root.at("failed_claims"));
  for (const JsonField& use : root.at("unaccounted").elements()) {
    use.allow_only({"what", "reason"});
    c.unaccounted.push_back(
        {.what = use.at("what").nonempty_text(), .reason = use.at("reason").nonempty_text()});
  }
}

}  // namespace

std::string certificate_digest(const Certificate& certificate) { return digest_of(body(certificate)); }

Json certificate_to_json(const Certificate& certificate) {
  Json document = body(certificate);
  std::string digest = digest_of(document);
  document["digest"] = std::move(digest);
  return document;
}

Certificate certificate_from_json(const Json& document, const std::string& where) {
  const JsonField root(document, where);
  if (const std::uint64_t format = root.at("format").count(); format != kFormat) {
    throw DataError({.what = fmt::format("is {}", format),
                     .where = root.at("format").path(),
                     .expected = fmt::format("{}", kFormat),
                     .remedy = "a newer Privet wrote it; read it with that one"});
  }
  root.allow_only({"format",
                   "unit",
                   "rigor",
                   "sound",
                   "epsilon",
                   "bound",
                   "epsilon_lower",
                   "claimed_epsilon",
                   "delta",
                   "accountant",
                   "protects",
                   "leaves_public",
                   "readings",
                   "releases",
                   "assumptions",
                   "failed_claims",
                   "unaccounted",
                   "noise",
                   "data_fingerprint",
                   "ledger",
                   "privet_version",
                   "created",
                   "digest"});
  Certificate c;
  c.unit = root.at("unit").nonempty_text();
  c.rigor = one_of(root.at("rigor"), "strict", Rigor::kStrict, "paper", Rigor::kPaper);
  c.sound = root.at("sound").boolean();
  read_bound(root, c);
  c.delta = root.at("delta").number();
  c.accountant = root.at("accountant").nonempty_text();
  if (const auto protects = root.find("protects")) c.protects = protects->text();
  if (const auto leaves = root.find("leaves_public")) c.leaves_public = leaves->text();
  read_lists(root, c);
  c.noise = one_of(root.at("noise"), "secure", NoiseSource::kSecure, "seeded", NoiseSource::kSeeded);
  c.data_fingerprint = root.at("data_fingerprint").text();
  if (const auto ledger = root.find("ledger")) {
    ledger->allow_only({"sequence", "hash"});
    c.ledger = LedgerAnchor{.sequence = ledger->at("sequence").count(), .hash = ledger->at("hash").text()};
  }
  c.privet_version = root.at("privet_version").text();
  c.created = root.at("created").text();
  if (const std::vector<std::string> faults = form_faults(c); !faults.empty()) {
    throw DataError({.what = faults.front(), .where = where});
  }
  if (root.at("digest").text() != certificate_digest(c)) {
    throw DataError({.what = "does not match the rest of the certificate",
                     .where = root.at("digest").path(),
                     .remedy = "the certificate was damaged or edited after it was issued"});
  }
  return c;
}

Certificate parse_certificate(std::string_view text, const std::string& where) {
  return certificate_from_json(parse_strict_json(text, where), where);
}

Certificate read_certificate(const std::filesystem::path& file) {
  return parse_certificate(read_text(file, kMaxBytes), file.string());
}

}  // namespace privet::privacy
