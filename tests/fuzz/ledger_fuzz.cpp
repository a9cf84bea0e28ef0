#include "privet/proof/ledger.hpp"

#include "privet/proof/ledger_report.hpp"
#include "text_fuzz.hpp"

// A ledger that is accepted can be shown, and its chain was recomputed.
PRIVET_TEXT_FUZZ_TARGET([](std::string_view bytes) {
  using namespace privet::privacy;
  const std::filesystem::path file = privet::testing::file_of("ledger", bytes);
  const LedgerView view = read_ledger(file);
  (void)ledger_json(view);
  (void)verify_ledger(file);
})
