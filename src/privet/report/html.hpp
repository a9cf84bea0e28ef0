#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace privet::report {

/// A piece of a page. Text becomes markup through `text_of` alone, which escapes it: a name from a data file
/// can't become a tag, because nothing else turns a string that was not written in this room into markup.
struct Markup {
  std::string html = {};

  Markup& operator+=(const Markup& more) {
    html += more.html;
    return *this;
  }
};
Markup operator+(Markup first, const Markup& second);

/// Text with &, <, > and quotation marks replaced, fit for contents and attributes of HTML and SVG; control
/// characters become spaces.
std::string escaped(std::string_view text);

/// The same as markup.
Markup text_of(std::string_view text);

using Attributes = std::initializer_list<std::pair<const char*, std::string>>;

/// <name attributes>content</name>, its attributes escaped.
Markup element(const char* name, Attributes attributes, const Markup& content);
Markup element(const char* name, const Markup& content);
/// The same around text.
Markup element(const char* name, std::string_view text);

/// A cell of a table.
struct TableCell {
  std::string text = {};
  bool is_number = false;   ///< stands right
  bool is_warning = false;  ///< stands out
  std::string link = {};    ///< the id of a place on the page, if it leads there
};

/// A table with a caption; headings of columns have a scope, and so has the first cell of each row.
struct HtmlTable {
  std::string caption = {};
  std::vector<TableCell> header = {};
  std::vector<std::vector<TableCell>> rows = {};
};
Markup table_of(const HtmlTable& table);

/// <ul> of texts; nothing for an empty list.
Markup list_of(const std::vector<std::string>& items);

/// Terms and what they are, side by side.
Markup definitions_of(const std::vector<std::pair<std::string, Markup>>& pairs);

/// A drawing of chart.hpp with the words that stand below it.
Markup figure_of(const std::string& svg, std::string_view caption);

}  // namespace privet::report
