#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// Every mechanism has its section in docs/privacy/mechanisms.md, and every reference that the code writes
/// into releases leads somewhere.
namespace {

namespace fs = std::filesystem;

fs::path root() { return PRIVET_SOURCE_DIR; }

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The section that names a header, up to the next heading; empty if there is none.
std::string section_of(const std::string& page, const std::string& header) {
  const std::size_t at = page.find("Header: `mechanisms/" + header + "`");
  if (at == std::string::npos) return "";
  return page.substr(at, page.find("\n## ", at) - at);
}

std::set<std::string> anchors_of(const std::string& page) {
  std::set<std::string> anchors;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#")) continue;
    std::string anchor;
    for (const char c : line.substr(line.find_first_not_of("# "))) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) anchor += static_cast<char>(std::tolower(c));
      if (c == ' ' || c == '-') anchor += '-';
    }
    anchors.insert(anchor);
  }
  return anchors;
}

TEST(Documentation, EveryMechanismHasItsSection) {
  const std::string page = text_of(root() / "docs/privacy/mechanisms.md");
  int mechanisms = 0;
  for (const auto& entry : fs::directory_iterator(root() / "src/privet/core/mechanisms")) {
    if (entry.path().extension() != ".hpp") continue;
    const std::string section = section_of(page, entry.path().filename().string());
    EXPECT_NE(section, "") << entry.path().filename();
    if (text_of(entry.path()).find("privet/core/release.hpp") == std::string::npos) continue;
    ++mechanisms;
    for (const char* part : {"**Unit**", "**Sensitivity**", "**Loss**", "**Argument**"}) {
      EXPECT_NE(section.find(part), std::string::npos) << entry.path().filename() << " lacks " << part;
    }
  }
  EXPECT_GE(mechanisms, 9) << "the search found the headers";
}

// What follows `before` up to the closing quote, at every place where it is written.
std::vector<std::string> anchors_after(const std::string& text, const std::string& before) {
  std::vector<std::string> anchors;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    const std::size_t begin = at + before.size();
    anchors.push_back(text.substr(begin, text.find('"', begin) - begin));
  }
  return anchors;
}

TEST(Documentation, ReferencesLeadSomewhere) {
  const auto units = anchors_of(text_of(root() / "docs/privacy/units.md"));
  const auto mechanisms = anchors_of(text_of(root() / "docs/privacy/mechanisms.md"));
  for (const auto& entry : fs::directory_iterator(root() / "src/privet/core/mechanisms")) {
    if (entry.path().extension() != ".cpp") continue;
    for (const std::string& anchor : anchors_after(text_of(entry.path()), "docs/privacy/mechanisms.md#")) {
      EXPECT_TRUE(mechanisms.contains(anchor)) << entry.path().filename() << " refers to #" << anchor;
    }
  }
  // There the page stands behind a placeholder.
  const auto stated = anchors_after(text_of(root() / "src/privet/core/sensitivity.cpp"), "{}#");
  EXPECT_GE(stated.size(), 8u);
  for (const std::string& anchor : stated) EXPECT_TRUE(units.contains(anchor)) << anchor;
}

}  // namespace
