#pragma once

#include <vector>

#include "privet/report/folder.hpp"
#include "privet/report/section.hpp"

namespace privet::report {

/// What a certificate comes to, in a cell of a table: "upper bound", "NOT SOUND: 1 is claimed only".
std::string guarantee_words(const privacy::Certificate& certificate);

/// One section for each different certificate of a folder, in the words that `privet certificate` prints,
/// with the releases as a table; certificates that differ in nothing but when they were issued share one.
/// Runs without privacy share one as well. A certificate that is not sound shows no epsilon but the claimed
/// one, called that, and what fails.
std::vector<Section> certificate_sections(const ResultFolder& folder);

/// All of them in one table that leads to the sections.
Markup certificate_table(const ResultFolder& folder);

/// How many of the certificates with a unit of protection guarantee something, and how many nothing.
struct CertificateCount {
  std::size_t sound = 0;
  std::size_t unsound = 0;
  bool seeded = false;  ///< the noise of one of them can be drawn again
};
CertificateCount count_certificates(const ResultFolder& folder);

}  // namespace privet::report
