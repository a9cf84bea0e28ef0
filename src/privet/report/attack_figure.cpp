#include "privet/report/attack_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "privet/report/chart.hpp"

namespace privet::report {
namespace {

constexpr double kLeast = 0.001;  // the smallest false positive rate that is drawn

ChartSeries coins() {
  ChartSeries series{.name = "coins", .is_backdrop = true, .marks = false};
  for (int i = 0; i <= 60; ++i) {
    const double rate = std::pow(kLeast, 1 - i / 60.0);
    series.points.push_back({rate, rate});
  }
  return series;
}

}  // namespace

std::string attack_figure(const audit::AttackReport& report) {
  Chart chart{.title = fmt::format("Attacks on {}, {}", report.method, report.data),
              .across = {.label = "false positive rate", .logarithmic = true, .least = kLeast, .most = 1},
              .up = {.label = "true positive rate", .least = 0, .most = 1},
              .series = {coins()},
              .description = "True positive rate over false positive rate."};
  std::set<std::string> drawn;
  for (const audit::AttackResult& attack : report.attacks) {
    if (!attack.roc || !drawn.insert(attack.name + " " + attack.target).second) continue;
    ChartSeries curve{.name = fmt::format("{} ({}) on {}", attack.name, attack.variant, attack.target),
                      .marks = false};
    for (const audit::RocPoint& point : attack.curve)
      curve.points.push_back({std::max(point.false_positive_rate, kLeast), point.true_positive_rate});
    chart.description +=
        fmt::format(" {}: area {:.3f}, true positive rate {:.3f} where the false one is 0.01.", curve.name,
                    attack.roc->auc, attack.roc->tpr_at_one_percent);
    chart.series.push_back(std::move(curve));
  }
  return chart_svg(chart);
}

}  // namespace privet::report
