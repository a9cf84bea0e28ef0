#pragma once

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace privet::report::testing {

/// What is wrong with a page: tags that are not closed in their order, text with a bare & or <, an attribute
/// without quotation marks, an id that stands twice, a link to a place that is not there, anything loaded
/// from elsewhere. Empty for a page that is as it should be.
inline std::string page_fault(const std::string& page) {
  static const std::set<std::string> kVoid = {"meta", "br", "hr", "!DOCTYPE"};
  std::vector<std::string> open;
  std::set<std::string> ids;
  std::vector<std::string> links;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "a tag without end: " + page.substr(at, 40);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const bool closes = tag.starts_with('/');
    const std::size_t from = closes ? 1 : 0;
    std::size_t stop = from;
    while (stop < tag.size() &&
           (std::isalnum(static_cast<unsigned char>(tag[stop])) != 0 || tag[stop] == '!'))
      ++stop;
    const std::string name = tag.substr(from, stop - from);
    if (name.empty()) return "no tag: <" + tag + ">";
    if (closes) {
      if (open.empty() || open.back() != name)
        return "</" + name + "> does not close " + (open.empty() ? "anything" : "<" + open.back() + ">");
      open.pop_back();
      continue;
    }
    if (std::ranges::count(tag, '"') % 2 != 0) return "quotation marks: <" + tag + ">";
    for (const char* attribute : {" id=\"", " href=\""}) {
      const std::size_t key = tag.find(attribute);
      if (key == std::string::npos) continue;
      const std::size_t begin = tag.find('"', key) + 1;
      const std::string value = tag.substr(begin, tag.find('"', begin) - begin);
      if (std::string(attribute) == " href=\"")
        links.push_back(value);
      else if (!ids.insert(value).second)
        return "twice the id " + value;
    }
    for (const char* loading : {" src=", "url(", " onclick", " srcset="}) {
      if (tag.find(loading) != std::string::npos) return "loads something: <" + tag + ">";
    }
    if (name == "script" || name == "link" || name == "iframe" || name == "img") return "a <" + name + ">";
    if (!tag.ends_with('/') && !kVoid.contains(name)) open.push_back(name);
    if (name == "style") at = page.find("</style", at) - 1;
  }
  if (!open.empty()) return "never closed: <" + open.back() + ">";
  for (const std::string& link : links) {
    if (!link.starts_with('#') || !ids.contains(link.substr(1))) return "a link to " + link;
  }
  for (std::size_t at = page.find('&'); at != std::string::npos; at = page.find('&', at + 1)) {
    const std::string rest = page.substr(at, 7);
    if (std::ranges::none_of(std::vector<std::string>{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"},
                             [&](const std::string& entity) { return rest.starts_with(entity); }))
      return "a bare ampersand: " + rest;
  }
  return {};
}

}  // namespace privet::report::testing
