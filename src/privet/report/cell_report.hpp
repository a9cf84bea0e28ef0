#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "privet/base/json.hpp"
#include "privet/proof/certificate.hpp"
#include "privet/run/comparison.hpp"

namespace privet::report {

/// A cell as `train` and `compare` left it in a file, with its certificate taken apart.
struct CellReport {
  methods::CellResult result = {};
  privacy::Certificate certificate = {};
  std::optional<double> accuracy = {};  ///< mean over runs, between 0 and 1
  std::optional<double> half_width = {};
  std::optional<double> seconds = {};
  std::optional<double> memory_mib = {};
  std::optional<double> all_runs_epsilon = {};  ///< of a sound certificate and several runs
  std::string where = {};                       ///< file, and line where it has several
  std::string digest = {};                      ///< of the certificate as it was read

  /// "ballot", "gcn:planetoid", "caribou (hops=2)".
  [[nodiscard]] std::string label() const;
  /// The data set's name without its folders.
  [[nodiscard]] std::string data() const;
  /// What an undirected edge costs where the unit is one end's bit; empty for other units and where claims
  /// fail.
  [[nodiscard]] std::optional<double> edge_epsilon() const;
};

/// One object as `train --json` prints it. A missing key or a wrong type is a DataError that begins with
/// `where`. So is a certificate that says less than its releases cost (check_certificate): a page that
/// promises what does not hold must not reach a reader.
CellReport cell_from_json(const Json& document, const std::string& where,
                          const privacy::EpsilonOf& epsilon_of);

/// results.jsonl, one object on each line; a fault names file and line.
std::vector<CellReport> read_results(const std::filesystem::path& file, const std::string& shown_as,
                                     const privacy::EpsilonOf& epsilon_of);

/// DataError unless the certificate holds.
void require_holds(const privacy::Certificate& certificate, const std::string& where,
                   const privacy::EpsilonOf& epsilon_of);

}  // namespace privet::report
