#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "privet/accounting/quantities.hpp"
#include "privet/core/release.hpp"
#include "privet/core/rigor.hpp"
#include "privet/proof/ledger/anchor.hpp"

namespace privet::privacy {

/// Where the noise came from. `secure`: the operating system's generator, not to be drawn again. `seeded`: a
/// number that somebody knows, who can take the noise away again.
enum class NoiseSource { kSecure, kSeeded };

/// The same releases under another unit of protection, side by side with the main one: the directed edge
/// beside the undirected, the relationship beside the local bit.
struct Reading {
  std::string unit;
  double epsilon = 0;  ///< an upper bound, as everywhere
  double delta = 0;
  Event event;  ///< what all releases cost together under this unit, so that the number can be re-derived
};

/// What a run of Privet promises, and everything on which the promise depends. A plain value: fill it in,
/// hand it to check_certificate(), write it with certificate_to_json() or certificate_text().
///
/// Nothing here has a default that promises anything: a certificate is unsound and its noise replayable until
/// told otherwise.
struct Certificate {
  std::string unit;           ///< as the command line spells it: "edge", "node:20"; "none" for no privacy
  std::string protects;       ///< the same for a reader: "whether any one edge is in the graph"
  std::string leaves_public;  ///< what the guarantee says nothing about: "the nodes, features and labels"
  Rigor rigor = Rigor::kStrict;
  bool sound = false;
  std::optional<double> epsilon;          ///< an upper bound; there exactly if sound
  std::optional<double> epsilon_lower;    ///< see EpsilonBound::lower
  std::optional<double> claimed_epsilon;  ///< what an unsound method claims; never a guarantee
  double delta = 0;
  std::string accountant;
  std::vector<Reading> readings;
  std::vector<Release> releases;
  std::vector<std::string> assumptions;
  std::vector<std::string> failed_claims;  ///< why it is not sound; empty if sound
  std::vector<UnaccountedUse> unaccounted;
  NoiseSource noise = NoiseSource::kSeeded;
  std::string data_fingerprint;        ///< blinded: see fingerprint.hpp
  std::optional<LedgerAnchor> ledger;  ///< the reservation that this was issued against
  std::string privet_version;
  std::string created;  ///< see timestamp.hpp
};

/// What an undirected edge costs by a sound certificate whose unit is one bit of one list; empty for others.
std::optional<double> edge_epsilon(const Certificate& certificate);

/// The cost of all releases together.
Event total_event(const Certificate& certificate);

/// An upper bound on epsilon as it is printed: rounded up, to nine significant digits. A certificate states
/// this number rather than the accountant's last bits, so that re-deriving it on another machine can't land
/// above what was printed.
double printed_epsilon(double upper_bound);

/// SHA-256 over the canonical JSON of the certificate: the value of its key `digest`. It finds damage and
/// careless editing; it is not a signature, since whoever edits on purpose can compute it anew.
std::string certificate_digest(const Certificate& certificate);

/// What no certificate may be, whatever the numbers in it: sound without epsilon, unsound with one or without
/// a reason, a unit that is none or not spelt as Unit::text() does, a text or number out of its range. Empty
/// for a well-formed certificate. Reading, writing and printing all refuse others.
std::vector<std::string> form_faults(const Certificate& certificate);

/// An accountant, for re-deriving: an upper bound on epsilon of `event` at `delta`, by the accountant of that
/// name.
using EpsilonOf = std::function<double(const Event& event, Delta delta, const std::string& accountant)>;

/// What a release really costs that an earlier version accounted for too cheaply; empty for others.
///
/// Privet 0.1 counted 2P - 1 clip norms for dp-sage under node:D:add-remove with P <= D training nodes: 1
/// example added, P - 1 replaced. A node that is adjacent to all P replaces all of them, 2P clip norms.
std::optional<Event> understated_release(const Certificate& certificate, const Release& release);

/// What checking a certificate found.
struct CertificateVerdict {
  std::vector<std::string> faults;             ///< empty: it says what its releases cost, and no less
  std::optional<double> derived_epsilon = {};  ///< by the events listed; empty for an unsound certificate
  /// What the releases cost if the examples that one change of the unit affects are counted as they should
  /// have been (understated_release); empty where nothing was counted wrongly.
  std::optional<double> corrected_epsilon = {};
  bool accountant_known = true;  ///< false: nothing was re-derived, for this Privet lacks the accountant
  [[nodiscard]] bool holds() const noexcept { return faults.empty(); }
  /// Nothing speaks against the certificate but that its accountant is unknown here: it can be neither
  /// confirmed nor refuted.
  [[nodiscard]] bool undecided() const noexcept { return !accountant_known && faults.size() == 1; }
};

/// Checks that a certificate is true to its own releases: its form; that the words of every release agree
/// with its event (release_faults); and, for a sound one, that `protects` and `leaves_public` are the unit's
/// own words, and that the epsilon of the composed events and of every reading is at most the printed one and
/// no more than one part in 10^6 below it. An accountant that refuses an event is a fault as well, and so is
/// one that this version does not know (see accountant_known). So is a release that an earlier version
/// accounted for too cheaply; the verdict then has the corrected bound.
///
/// What this can't see: releases that nobody wrote down, an event that was wrong from the start, and a
/// forger who computes everything anew. docs/privacy/certificate.md says more.
CertificateVerdict check_certificate(const Certificate& certificate, const EpsilonOf& epsilon_of);

}  // namespace privet::privacy
