#include "privet/cli/cell_file.hpp"
#include "privet/cli/plan_file.hpp"
#include "text_fuzz.hpp"

// A configuration of train and compare; behind a first byte 'p' a plan for account and calibrate.
PRIVET_TEXT_FUZZ_TARGET([](std::string_view bytes) {
  if (bytes.starts_with('p')) {
    (void)privet::cli::read_plan(privet::testing::file_of("plan.toml", bytes.substr(1)));
    return;
  }
  for (const privet::methods::Cell& cell :
       privet::cli::read_cell_file(privet::testing::file_of("cells.toml", bytes)).cells)
    (void)cell.key();
})
