#include "privet/proof/certificate.hpp"

#include "privet/proof/certificate_json.hpp"
#include "privet/proof/certificate_text.hpp"
#include "text_fuzz.hpp"

// What is accepted can be printed, is written as it was read, and is read again as the same.
PRIVET_TEXT_FUZZ_TARGET([](std::string_view bytes) {
  using namespace privet::privacy;
  const Certificate certificate = parse_certificate(bytes);
  (void)certificate_text(certificate);
  const privet::Json document = certificate_to_json(certificate);
  privet::testing::require(certificate_to_json(certificate_from_json(document)) == document);
})
