#include "privet/report/section.hpp"

#include <fmt/format.h>

namespace privet::report {

Markup badge(const std::string& text, Tone tone) {
  const char* looks = tone == Tone::good ? "badge good" : (tone == Tone::bad ? "badge bad" : "badge");
  return element("strong", {{"class", looks}}, text_of(text));
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string percent(double share, const std::optional<double>& half_width) {
  if (!half_width) return percent(share);
  return fmt::format("{:.1f} \u00b1 {:.1f} %", 100 * share, 100 * *half_width);
}

std::string counted(std::size_t number, const std::string& word) {
  return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
}

}  // namespace privet::report
