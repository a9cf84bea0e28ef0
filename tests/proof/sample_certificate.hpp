#pragma once

#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "privet/accounting/accountant.hpp"
#include "privet/core/unit.hpp"
#include "privet/proof/certificate.hpp"

namespace privet::privacy::testing {

/// tests/fixtures, found upwards from the test program (build folders lie inside the repository).
inline std::filesystem::path fixtures() {
  for (auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
       folder != folder.root_path(); folder = folder.parent_path()) {
    if (std::filesystem::is_directory(folder / "tests" / "fixtures")) return folder / "tests" / "fixtures";
  }
  throw std::runtime_error("tests/fixtures not found above the test program");
}

/// The real accountant of that name.
inline double epsilon_by(const Event& event, Delta delta, const std::string& accountant) {
  return epsilon(event, delta, parse_accountant(accountant)).upper;
}

/// A sound certificate of two releases, filled in everywhere.
inline Certificate sample_certificate() {
  Certificate c;
  c.unit = "edge";
  c.protects = Unit::edge().protects();
  c.leaves_public = Unit::edge().leaves_public();
  c.rigor = Rigor::kStrict;
  c.sound = true;
  c.delta = 1e-6;
  c.accountant = "gdp";
  c.releases = {{.what = "sum of neighbours' rows, hop 1 and 2",
                 .unit = "edge",
                 .mechanism = "gaussian",
                 .sensitivity = std::sqrt(2.0),
                 .norm = "L2",
                 .noise_stddev = 8 * std::sqrt(2.0),
                 .times = 2,
                 .sampling = "none",
                 .reference = "Dong, Roth, Su 2022, Corollary 3.3",
                 .replayable = false,
                 .event = repeated(GaussianEvent{8}, 2)},
                {.what = "number of edges",
                 .unit = "edge",
                 .mechanism = "gaussian",
                 .sensitivity = 1,
                 .norm = "L2",
                 .noise_stddev = 20,
                 .times = 1,
                 .sampling = "none",
                 .reference = "docs/privacy/mechanisms.md",
                 .replayable = false,
                 .event = GaussianEvent{20}}};
  c.epsilon = printed_epsilon(epsilon_by(total_event(c), Delta(c.delta), c.accountant));
  // gdp is exact: the true value lies just below the printed one.
  c.epsilon_lower = std::floor(*c.epsilon * 1e6) / 1e6;
  const Event directed = composed({repeated(GaussianEvent{8 * std::sqrt(2.0)}, 2), GaussianEvent{20}});
  c.readings = {{.unit = "directed-edge",
                 .epsilon = printed_epsilon(epsilon_by(directed, Delta(c.delta), c.accountant)),
                 .delta = c.delta,
                 .event = directed}};
  c.assumptions = {"the list of nodes is public"};
  c.unaccounted = {{.what = "accuracy on the test nodes", .reason = "measured for this experiment"}};
  c.noise = NoiseSource::kSecure;
  c.data_fingerprint = "hmac-sha256:" + std::string(64, 'a');
  c.ledger = LedgerAnchor{.sequence = 4, .hash = std::string(64, 'b')};
  c.privet_version = "0.1.0";
  c.created = "2025-03-01T12:00:00Z";
  return c;
}

/// The same run as a paper would have it: not sound.
inline Certificate unsound_certificate() {
  Certificate c = sample_certificate();
  c.rigor = Rigor::kPaper;
  c.sound = false;
  c.claimed_epsilon = 1;
  c.epsilon.reset();
  c.epsilon_lower.reset();
  c.readings.clear();
  c.ledger.reset();
  c.failed_claims = {"the sensitivity of the aggregate is sqrt(2), not 1"};
  c.noise = NoiseSource::kSeeded;
  return c;
}

}  // namespace privet::privacy::testing
