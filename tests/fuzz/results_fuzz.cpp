#include "privet/base/json_field.hpp"
#include "privet/report/cell_report.hpp"
#include "text_fuzz.hpp"

// One line of results.jsonl, or result.json: what is accepted has a certificate that holds.
PRIVET_TEXT_FUZZ_TARGET([](std::string_view bytes) {
  using namespace privet;
  // A fuzzer's events may take the accountants minutes; what they cost is tried elsewhere.
  const privacy::EpsilonOf free = [](const privacy::Event&, privacy::Delta, const std::string&) {
    return 0.0;
  };
  const report::CellReport cell =
      report::cell_from_json(parse_strict_json(bytes, "results"), "results", free);
  (void)cell.label();
  (void)cell.data();
})
