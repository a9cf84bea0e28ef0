#include "privet/learn/model.hpp"

#include "privet/methods/registry.hpp"
#include "text_fuzz.hpp"

// model.json, up to the first 0xff and a newline, then model.safetensors. A model that is accepted belongs to
// a method, whose options it has.
PRIVET_TEXT_FUZZ_TARGET([](std::string_view bytes) {
  const std::size_t end = bytes.find("\xff\n");
  privet::testing::file_of("model.json", bytes.substr(0, end));
  privet::testing::file_of("model.safetensors",
                           end == std::string_view::npos ? std::string_view() : bytes.substr(end + 2));
  const privet::methods::SavedModel saved = privet::methods::load_model(privet::testing::scratch());
  (void)privet::methods::method_of(saved.model);
  (void)privet::methods::digest_of(saved.model);
})
