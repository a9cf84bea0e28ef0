#pragma once

#include <algorithm>
#include <cmath>

#include "privet/accounting/gaussian_dp.hpp"
#include "privet/proof/ledger.hpp"
#include "proof/sample_certificate.hpp"

namespace privet::privacy::testing {

inline const std::string kWhen = "2025-03-01T12:00:00Z";
inline const std::string kFingerprint = std::string(64, '1');
inline const std::string kOtherFingerprint = std::string(64, '2');

/// A release that costs just that.
inline Event event_worth(double epsilon, double delta) {
  if (epsilon == 0 || delta == 0) return PureEvent{epsilon};
  return GaussianEvent{(1 + 1e-9) / gaussian_mu(epsilon, delta)};
}

inline LedgerRequest request(double epsilon, double delta, const std::string& unit = "edge") {
  return {.what = "caribou",
          .unit = unit,
          .fingerprint = kFingerprint,
          .epsilon = Epsilon(epsilon),
          .delta = Delta(delta),
          .accountant = "auto",
          .event = event_worth(epsilon, delta),
          .when = kWhen};
}

/// A certificate that fits a reservation.
inline Certificate certificate_for(const Reservation& reservation) {
  Certificate c = sample_certificate();
  c.unit = reservation.unit;
  c.protects = Unit::parse(c.unit).protects();
  c.leaves_public = Unit::parse(c.unit).leaves_public();
  const double rate = reservation.cost.epsilon();
  c.releases = {{.what = "number of edges",
                 .unit = c.unit,
                 .mechanism = "geometric",
                 .sensitivity = 1,
                 .norm = "L1",
                 .noise_stddev = std::sqrt(2 * std::exp(-rate)) / -std::expm1(-rate),
                 .times = 1,
                 .sampling = "none",
                 .reference = "docs/privacy/mechanisms.md",
                 .replayable = false,
                 .event = PureEvent{rate}}};
  c.readings.clear();
  c.epsilon_lower.reset();
  c.delta = reservation.cost.delta();
  c.accountant = "rdp";
  c.epsilon = std::min(reservation.cost.epsilon(),
                       printed_epsilon(epsilon_by(total_event(c), Delta(c.delta), c.accountant)));
  c.data_fingerprint = reservation.data;
  c.ledger = reservation.anchor;
  return c;
}

/// A ledger with a bit of everything: two units, two versions of the data, four reservations of which one is
/// still open.
inline Ledger sample_ledger(const std::filesystem::path& file) {
  Ledger ledger = Ledger::create(file, "edge", Epsilon(4), Delta(1e-5), kWhen);
  for (int i = 0; i < 2; ++i) {
    const Reservation reservation = ledger.reserve(request(1, 1e-6));
    ledger.commit(reservation, certificate_for(reservation), kWhen);
  }
  ledger.set_budget("node:20", Epsilon(10), Delta(1e-5), kWhen);
  ledger.admit_data(kOtherFingerprint, kWhen);
  LedgerRequest node = request(2.5, 1e-7, "node:20");
  node.fingerprint = kOtherFingerprint;
  const Reservation reservation = ledger.reserve(node);
  ledger.commit(reservation, certificate_for(reservation), kWhen);
  ledger.reserve(request(0.5, 1e-7));
  return ledger;
}

}  // namespace privet::privacy::testing
