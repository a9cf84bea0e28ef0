#pragma once

#include <optional>
#include <string>
#include <vector>

#include "privet/report/folder.hpp"

namespace privet::report {

struct PageEntry {
  std::string id;     ///< where it is on the page: "certificate-2"
  std::string title;  ///< of the section
};

struct Page {
  std::string html;
  std::vector<PageEntry> sections;
};

/// The report: one HTML document that loads nothing, needs no script, prints, and is read in the dark as
/// well. First what was found, in sentences; then comparisons, certificates, audits, and the files it was
/// made from. The same folder gives the same bytes. Without a title it is named after its data sets.
Page report_page(const ResultFolder& folder, const std::optional<std::string>& title = {});

}  // namespace privet::report
