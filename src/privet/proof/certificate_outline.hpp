#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privet/proof/certificate.hpp"

namespace privet::privacy {

/// The words of a certificate, apart from how they are laid out: the page for the terminal and the section of
/// a report say the same because both are made from this.

struct OutlineLine {
  std::string text;
  bool is_item = false;  ///< of a list; a paragraph otherwise
};

struct OutlinePart {
  std::string heading;
  std::vector<OutlineLine> lines = {};
  /// Whether the items are the releases, one each and in their order: a layout with tables may show them as
  /// one.
  bool lists_releases = false;
};

/// The parts from the guarantee to the identification. No epsilon stands there without its unit, its delta
/// and the words "upper bound"; a certificate that is not sound says so in its first heading, gives no
/// epsilon as a guarantee and lists the claims that fail. One with form_faults() is an InvalidArgument: it is
/// never put into words.
std::vector<OutlinePart> certificate_outline(const Certificate& certificate);

/// The one way in which an epsilon is put into words.
std::string bound_sentence(const std::string& unit, double epsilon, double delta);

/// What several runs like the one certified cost together.
std::string all_runs_sentence(std::uint64_t runs, double epsilon, const Certificate& certificate);

/// How many examples of a clipped sum one change of the unit can change; 0 where there is no such sum.
std::uint64_t examples_of_one_change(const Event& event);

}  // namespace privet::privacy
