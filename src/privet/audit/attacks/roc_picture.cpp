#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "privet/audit/attacks/roc.hpp"

namespace privet::audit {
namespace {

constexpr double kSide = 400;  // of the square that holds the curves
constexpr double kLeft = 60;
constexpr double kTop = 40;
constexpr double kLeast = 0.001;  // the smallest false positive rate that is drawn
// Colours that people who see few of them can tell apart (Okabe and Ito 2008).
constexpr std::array<const char*, 7> kColors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#000000"};

double across(double rate) {
  return kLeft + kSide * (1 - std::log(std::max(rate, kLeast)) / std::log(kLeast));
}
double up(double rate) { return kTop + kSide * (1 - rate); }

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else
      safe += c;
  }
  return safe;
}

std::string axes() {
  std::string text =
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888\"/>\n",
                  kLeft, kTop, kSide, kSide);
  for (const double rate : {0.001, 0.01, 0.1, 1.0}) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", across(rate),
                        kTop + kSide + 18, rate);
  }
  for (const double rate : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6,
                        up(rate) + 4, rate);
  }
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">false positive rate</text>\n",
                      kLeft + kSide / 2, kTop + kSide + 36);
  text += fmt::format(
      "<text x=\"16\" y=\"{0}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0})\">true positive "
      "rate</text>\n",
      kTop + kSide / 2);
  return text;
}

}  // namespace

std::string roc_picture(const std::vector<NamedCurve>& curves, const std::string& title) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{}\" y=\"24\" font-size=\"15\">{}</text>\n",
      std::max(500.0, kTop + 20 * static_cast<double>(curves.size() + 2)), kLeft, escaped(title));
  text += axes();
  std::vector<NamedCurve> all = {{"coins", {}}};
  for (int i = 0; i <= 60; ++i) {
    const double rate = std::pow(kLeast, 1 - i / 60.0);
    all.front().points.push_back({rate, rate, 0});
  }
  all.insert(all.end(), curves.begin(), curves.end());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const char* color = k == 0 ? "#bbb" : kColors[(k - 1) % kColors.size()];
    // Beyond the last colour lines are dashed.
    const char* dashes = k > kColors.size() ? " stroke-dasharray=\"5 3\"" : "";
    text +=
        fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{} points=\"", color, dashes);
    for (const RocPoint& point : all[k].points)
      text += fmt::format("{:.1f},{:.1f} ", across(point.false_positive_rate), up(point.true_positive_rate));
    const double line = kTop + 14 + 20 * static_cast<double>(k);
    text += fmt::format(
        "\"/>\n<line x1=\"480\" x2=\"500\" y1=\"{0}\" y2=\"{0}\" stroke=\"{1}\" stroke-width=\"2\"{2}/>"
        "<text x=\"506\" y=\"{3}\">{4}</text>\n",
        line - 4, color, dashes, line, escaped(all[k].name));
  }
  return text + "</svg>\n";
}

}  // namespace privet::audit
