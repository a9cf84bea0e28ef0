#include "privet/report/bounds_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "privet/base/rounding.hpp"
#include "privet/report/html.hpp"

namespace privet::report {
namespace {

constexpr double kLeft = 20;
constexpr double kWidth = 600;
constexpr double kLine = 56;
constexpr double kHalfLabel = 105;  // of the longest one, so that none leaves the picture

std::string label(double x, double y, const std::string& text) {
  const double inside = std::clamp(x, kLeft + kHalfLabel, kLeft + kWidth - kHalfLabel);
  return fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", inside, y,
                     escaped(text));
}

}  // namespace

std::string bounds_figure(const audit::AuditReport& report) {
  constexpr double kAir = 1.15;
  const double most = std::max({kAir * report.claimed_epsilon, kAir * report.epsilon_lower_bound, 1e-9});
  const double stated = kLeft + kWidth * report.claimed_epsilon / most;
  const double measured = kLeft + kWidth * report.epsilon_lower_bound / most;
  const std::string statement =
      fmt::format("{}: {}", report.claim_is_sound ? "stated, an upper bound" : "claimed, no bound",
                  rounded_up(report.claimed_epsilon));
  const std::string measurement =
      fmt::format("measured, a lower bound: {}", rounded_down(report.epsilon_lower_bound));
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {:.0f} 110\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<title>Epsilon for the unit {} at delta {}</title>\n<desc>{}; {}.</desc>\n",
      kWidth + 2 * kLeft, escaped(report.unit), report.delta, escaped(statement), escaped(measurement));
  text += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" stroke=\"#888\"/>\n", kLeft,
                      kLeft + kWidth, kLine);
  text += fmt::format(
      "<line x1=\"{0}\" x2=\"{1:.1f}\" y1=\"{2}\" y2=\"{2}\" stroke=\"{3}\" stroke-width=\"8\"/>\n", kLeft,
      measured, kLine, report.violated() ? "#d55e00" : "#0072b2");
  text += fmt::format(
      "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#000000\" stroke-width=\"2\"/>\n",
      stated, kLine - 16, kLine + 16);
  text += fmt::format("<text x=\"{}\" y=\"{}\">0</text>\n", kLeft - 12, kLine + 4);
  text += label(stated, kLine - 24, statement);
  text += label(measured, kLine + 34, measurement);
  return text + "</svg>\n";
}

}  // namespace privet::report
