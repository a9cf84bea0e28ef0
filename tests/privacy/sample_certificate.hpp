#pragma once

#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "privet/privacy/certificate.hpp"

namespace privet::privacy::testing {

/// tests/fixtures, found upwards from the test program (build folders lie inside the repository).
inline std::filesystem::path fixtures() {
  for (auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
       folder != folder.root_path(); folder = folder.parent_path()) {
    if (std::filesystem::is_directory(folder / "tests" / "fixtures")) return folder / "tests" / "fixtures";
  }
  throw std::runtime_error("tests/fixtures not found above the test program");
}

/// Sum of 1/multiplier^2 over the Gaussian leaves of an event.
inline double squared_mu(const Event& event) {
  if (const auto* e = std::get_if<GaussianEvent>(&event.kind())) {
    return 1 / (e->noise_multiplier * e->noise_multiplier);
  }
  if (const auto* e = std::get_if<RepeatedEvent>(&event.kind())) {
    return static_cast<double>(e->times) * squared_mu(*e->part);
  }
  double sum = 0;
  for (const Event& part : std::get<ComposedEvent>(event.kind()).parts) sum += squared_mu(part);
  return sum;
}

/// A loose but true accountant for Gaussian events: zero-concentrated DP, rho = mu^2/2, converted by
/// epsilon = rho + 2 sqrt(rho ln(1/delta)) (Bun and Steinke 2016, Proposition 1.3).
inline double simple_epsilon(const Event& event, Delta delta, const std::string&) {
  const double rho = squared_mu(event) / 2;
  return rho + 2 * std::sqrt(rho * std::log(1 / delta.value()));
}

/// A sound certificate of two releases, filled in everywhere.
inline Certificate sample_certificate() {
  Certificate c;
  c.unit = "edge";
  c.protects = "whether any one undirected edge is in the graph";
  c.leaves_public = "the nodes, their features and labels";
  c.rigor = Rigor::kStrict;
  c.sound = true;
  c.delta = 1e-6;
  c.accountant = "zcdp";
  c.releases = {{.what = "sum of neighbours' rows, hop 1 and 2",
                 .mechanism = "gaussian",
                 .sensitivity = std::sqrt(2.0),
                 .norm = "L2",
                 .noise_stddev = 8 * std::sqrt(2.0),
                 .times = 2,
                 .sampling = "none",
                 .reference = "Dong, Roth, Su 2022, Corollary 3.3",
                 .event = repeated(GaussianEvent{8}, 2)},
                {.what = "number of edges",
                 .mechanism = "gaussian",
                 .sensitivity = 1,
                 .norm = "L2",
                 .noise_stddev = 20,
                 .times = 1,
                 .sampling = "none",
                 .reference = "docs/privacy/mechanisms.md",
                 .event = GaussianEvent{20}}};
  c.epsilon = printed_epsilon(simple_epsilon(total_event(c), Delta(c.delta), c.accountant));
  c.epsilon_lower = 0.5;
  const Event directed = composed({repeated(GaussianEvent{8 * std::sqrt(2.0)}, 2), GaussianEvent{20}});
  c.readings = {{.unit = "directed-edge",
                 .epsilon = printed_epsilon(simple_epsilon(directed, Delta(c.delta), c.accountant)),
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
