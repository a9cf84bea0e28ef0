#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

/// Every mechanism has its section in docs/privacy/mechanisms.md, and every reference that the code writes
/// into releases leads somewhere.
namespace {

namespace fs = std::filesystem;

fs::path root() { return fs::path(__FILE__).parent_path().parent_path().parent_path().parent_path(); }

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
  for (const auto& entry : fs::directory_iterator(root() / "src/privet/privacy/mechanisms")) {
    if (entry.path().extension() != ".hpp") continue;
    const std::string section = section_of(page, entry.path().filename().string());
    EXPECT_NE(section, "") << entry.path().filename();
    if (text_of(entry.path()).find("privet/privacy/release.hpp") == std::string::npos) continue;
    ++mechanisms;
    for (const char* part : {"**Unit**", "**Sensitivity**", "**Loss**", "**Argument**"}) {
      EXPECT_NE(section.find(part), std::string::npos) << entry.path().filename() << " lacks " << part;
    }
  }
  EXPECT_GE(mechanisms, 9) << "the search found the headers";
}

TEST(Documentation, ReferencesLeadSomewhere) {
  int found = 0;
  for (const char* page : {"units", "mechanisms"}) {
    const auto anchors = anchors_of(text_of(root() / "docs/privacy" / (std::string(page) + ".md")));
    // Written out, or behind the placeholder of the page of units.
    const std::string placeholder = std::string(page) == "units" ? R"re(|\{\}#([a-z-]+)")re" : "";
    const std::regex reference(std::string("docs/privacy/") + page + R"re(\.md#([a-z-]+)")re" + placeholder);
    for (const auto& entry : fs::recursive_directory_iterator(root() / "src/privet/privacy")) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = text_of(entry.path());
      for (std::sregex_iterator match(text.begin(), text.end(), reference), end; match != end; ++match) {
        const std::string anchor = (*match)[1].matched ? (*match)[1].str() : (*match)[2].str();
        EXPECT_TRUE(anchors.contains(anchor))
            << entry.path().filename() << " refers to " << page << "#" << anchor;
        ++found;
      }
    }
  }
  EXPECT_GE(found, 9);
}

}  // namespace
