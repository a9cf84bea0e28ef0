#include "privet/proof/certificate_text.hpp"

#include "privet/proof/certificate_outline.hpp"

namespace privet::privacy {
namespace {

constexpr std::size_t kWidth = 100;

/// Builds paragraphs and list items, broken at spaces.
class Page {
 public:
  void heading(const std::string& text) { page_ += (page_.empty() ? "" : "\n") + text + "\n"; }
  void paragraph(const std::string& text) { fill(text, "", ""); }
  void item(const std::string& text) { fill(text, "  - ", "    "); }
  std::string take() { return std::move(page_); }

 private:
  void fill(const std::string& raw, const std::string& first, const std::string& next) {
    const std::string text = printable(raw);
    std::string line = first;
    std::size_t position = 0;
    bool fresh = true;
    while (position < text.size()) {
      std::size_t end = text.find(' ', position);
      if (end == std::string::npos) end = text.size();
      const std::string word = text.substr(position, end - position);
      position = end + 1;
      if (word.empty()) continue;
      if (!fresh && line.size() + 1 + word.size() > kWidth) {
        page_ += line + "\n";
        line = next;
        fresh = true;
      }
      line += (fresh ? "" : " ") + word;
      fresh = false;
    }
    page_ += line + "\n";
  }

  std::string page_;
};

}  // namespace

std::string printable(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

std::string certificate_text(const Certificate& c) {
  Page page;
  for (const OutlinePart& part : certificate_outline(c)) {
    page.heading(part.heading);
    for (const OutlineLine& line : part.lines) {
      if (line.is_item)
        page.item(line.text);
      else
        page.paragraph(line.text);
    }
  }
  return page.take();
}

}  // namespace privet::privacy
