#include "privet/audit/audit.hpp"

#include "privet/audit/attacks/attacks.hpp"
#include "privet/base/json_field.hpp"
#include "text_fuzz.hpp"

// audit.json, or attacks.json behind a first byte 'a': what is accepted can be shown.
PRIVET_TEXT_FUZZ_TARGET([](std::string_view bytes) {
  using namespace privet;
  if (bytes.starts_with('a')) {
    (void)audit::attacks_from_json(parse_strict_json(bytes.substr(1), "attacks.json"), "attacks.json");
    return;
  }
  const audit::AuditReport report =
      audit::audit_from_json(parse_strict_json(bytes, "audit.json"), "audit.json");
  (void)audit::audit_text(report);
  testing::require(audit::audit_json(report).is_object());
})
