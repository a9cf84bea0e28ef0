#include "privet/report/section.hpp"

#include <fmt/format.h>

namespace privet::report {

namespace {

std::string looks(const char* what, Tone tone) {
  return fmt::format("{}{}", what, tone == Tone::good ? " good" : (tone == Tone::bad ? " bad" : ""));
}

}  // namespace

Markup badge(const std::string& text, Tone tone) {
  return element("strong", {{"class", looks("badge", tone)}}, text_of(text));
}

Markup card_of(Tone tone, const Markup& content) {
  return element("div", {{"class", looks("card", tone)}}, content);
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
