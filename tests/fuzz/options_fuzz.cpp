#include "privet/base/options.hpp"

#include "privet/core/unit.hpp"
#include "privet/graph/prepare.hpp"
#include "privet/methods/registry.hpp"
#include "text_fuzz.hpp"

// What is typed: the first byte says whether the rest is a unit, steps of preparation, or an assignment to an
// option of some method. What a method accepts it also reads back from what it shows.
PRIVET_TEXT_FUZZ_TARGET([](std::string_view bytes) {
  using namespace privet;
  if (bytes.empty()) return;
  const auto kind = static_cast<std::uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  if (kind == 0) {
    const privacy::Unit unit = privacy::Unit::parse(bytes);
    testing::require(privacy::Unit::parse(unit.text()) == unit);
    return;
  }
  if (kind == 1) {
    (void)graph::parse_prepare(bytes);
    return;
  }
  static const std::vector<std::unique_ptr<methods::Method>> all = methods::all_methods();
  const std::unique_ptr<methods::Method> method = methods::make_method(all[kind % all.size()]->name());
  method->options().set_assignment(bytes);
  const std::unique_ptr<methods::Method> again = methods::make_method(method->name());
  for (const auto& [name, value] : method->current_options()) again->options().set(name, value);
  testing::require(again->current_options() == method->current_options());
})
