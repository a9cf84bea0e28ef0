#include "privet/report/html.hpp"

#include <fmt/format.h>

#include "privet/proof/certificate_text.hpp"

namespace privet::report {
namespace {

std::string opened(const char* name, Attributes attributes) {
  std::string text = fmt::format("<{}", name);
  for (const auto& [key, value] : attributes) text += fmt::format(" {}=\"{}\"", key, escaped(value));
  return text + ">";
}

Markup cell_of(const TableCell& cell, const char* scope) {
  const std::string looks = cell.is_warning ? "warning" : (cell.is_number ? "number" : "word");
  const Markup content =
      cell.link.empty() ? text_of(cell.text) : element("a", {{"href", "#" + cell.link}}, text_of(cell.text));
  if (scope != nullptr) return element("th", {{"scope", scope}, {"class", looks}}, content);
  return element("td", {{"class", looks}}, content);
}

}  // namespace

Markup operator+(Markup first, const Markup& second) {
  first += second;
  return first;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : privacy::printable(std::string(text))) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

Markup text_of(std::string_view text) { return {escaped(text)}; }

Markup element(const char* name, Attributes attributes, const Markup& content) {
  return {fmt::format("{}{}</{}>\n", opened(name, attributes), content.html, name)};
}
Markup element(const char* name, const Markup& content) { return element(name, {}, content); }
Markup element(const char* name, std::string_view text) { return element(name, {}, text_of(text)); }

Markup table_of(const HtmlTable& table) {
  Markup content = element("caption", table.caption);
  Markup header;
  for (const TableCell& cell : table.header) header += cell_of(cell, "col");
  content += element("thead", element("tr", header));
  Markup body;
  for (const std::vector<TableCell>& row : table.rows) {
    Markup cells;
    for (std::size_t i = 0; i < row.size(); ++i) cells += cell_of(row[i], i == 0 ? "row" : nullptr);
    body += element("tr", cells);
  }
  content += element("tbody", body);
  return element("div", {{"class", "wide"}}, element("table", content));
}

Markup list_of(const std::vector<std::string>& items) {
  if (items.empty()) return {};
  Markup content;
  for (const std::string& item : items) content += element("li", item);
  return element("ul", content);
}

Markup definitions_of(const std::vector<std::pair<std::string, Markup>>& pairs) {
  Markup content;
  for (const auto& [term, meaning] : pairs) content += element("dt", term) + element("dd", meaning);
  return element("dl", content);
}

Markup figure_of(const std::string& svg, std::string_view caption) {
  return element("figure", Markup{svg} + element("figcaption", caption));
}

}  // namespace privet::report
