#include <fmt/format.h>

#include <limits>

#include "privet/audit/attacks/attacks.hpp"
#include "privet/base/json_field.hpp"

namespace privet::audit {
namespace {

constexpr const char* kForWhom =
    "attacks read the data without noise: this result is for the eyes of the data's owner";

std::string title_of(const AttackResult& attack) {
  return fmt::format("{} ({}) on {}, {}", attack.name, attack.variant, attack.target, attack.about);
}

}  // namespace

std::string attack_note() { return kForWhom; }

std::string attack_reading() {
  return "  AUC: how often something that is there scores above something that is not; coins give 0.5. In\n"
         "  brackets the 95 % interval. Compare with mlp, which never saw an edge, with gcn, which hides "
         "none, "
         "and\n"
         "  with the features alone. These numbers describe; they prove no leak and no privacy. Whether a "
         "claim\n"
         "  holds is for the tests: privet audit without --attack.\n";
}

Json attack_json(const AttackReport& report) {
  Json attacks = Json::array();
  for (const AttackResult& attack : report.attacks) {
    Json one = {{"name", attack.name},
                {"variant", attack.variant},
                {"target", attack.target},
                {"about", attack.about},
                {"auc", nullptr},
                {"ci95", nullptr},
                {"present", attack.present},
                {"absent", attack.absent}};
    if (attack.roc) {
      one["auc"] = attack.roc->auc;
      one["ci95"] = attack.roc->half_width();
      one["interval"] = {attack.roc->low, attack.roc->high};
      one["auc_two_sided"] = attack.roc->auc_two_sided();
      one["tpr_at_fpr_0.001"] = attack.roc->tpr_at_one_permille;
      one["tpr_at_fpr_0.01"] = attack.roc->tpr_at_one_percent;
    }
    one["note"] = attack.note;
    one["seconds"] = attack.seconds;
    attacks.push_back(std::move(one));
  }
  return {{"method", report.method},
          {"data", report.data},
          {"unit", report.unit},
          {"attacks", attacks},
          {"note", kForWhom}};
}

Json curves_json(const AttackReport& report) {
  Json curves = Json::array();
  for (const AttackResult& attack : report.attacks) {
    Json points = Json::array();
    for (const RocPoint& point : attack.curve)
      points.push_back({point.false_positive_rate, point.true_positive_rate, point.threshold});
    if (attack.roc) curves.push_back({{"name", title_of(attack)}, {"points", points}});
  }
  return {{"columns", {"false_positive_rate", "true_positive_rate", "threshold"}}, {"curves", curves}};
}

AttackReport attacks_from_json(const Json& document, const std::string& where) {
  const JsonField root(document, where);
  AttackReport report{
      .method = root.at("method").text(), .data = root.at("data").text(), .unit = root.at("unit").text()};
  for (const JsonField& one : root.at("attacks").elements()) {
    AttackResult attack{.name = one.at("name").text(),
                        .variant = one.at("variant").text(),
                        .target = one.at("target").text(),
                        .about = one.at("about").text(),
                        .present = one.at("present").count(),
                        .absent = one.at("absent").count(),
                        .note = one.at("note").text(),
                        .seconds = one.at("seconds").number()};
    if (const std::optional<double> auc = one.at("auc").number_or_null()) {
      const std::vector<JsonField> interval = one.at("interval").elements();
      if (interval.size() != 2) one.at("interval").refuse("is no interval", "two numbers");
      attack.roc = Roc{.auc = *auc,
                       .low = interval[0].number(),
                       .high = interval[1].number(),
                       .tpr_at_one_permille = one.at("tpr_at_fpr_0.001").number(),
                       .tpr_at_one_percent = one.at("tpr_at_fpr_0.01").number()};
    }
    report.attacks.push_back(std::move(attack));
  }
  return report;
}

void add_curves(AttackReport& report, const Json& curves, const std::string& curves_where) {
  const JsonField root(curves, curves_where);
  std::vector<AttackResult>::iterator next = report.attacks.begin();
  for (const JsonField& curve : root.at("curves").elements()) {
    const std::string name = curve.at("name").text();
    while (next != report.attacks.end() && !(next->roc && title_of(*next) == name)) ++next;
    if (next == report.attacks.end())
      curve.at("name").refuse(fmt::format("is '{}', which is no attack", name),
                              "curves in the order of attacks");
    for (const JsonField& point : curve.at("points").elements()) {
      const std::vector<JsonField> numbers = point.elements();
      if (numbers.size() != 3) point.refuse("is no point of a curve", "three numbers");
      // The first threshold is infinite, which JSON writes as null.
      next->curve.push_back(
          {.false_positive_rate = numbers[0].number(),
           .true_positive_rate = numbers[1].number(),
           .threshold = numbers[2].number_or_null().value_or(std::numeric_limits<double>::infinity())});
    }
    ++next;
  }
}

std::string curves_csv(const AttackReport& report) {
  std::string text = "attack,variant,target,about,false_positive_rate,true_positive_rate,threshold\n";
  for (const AttackResult& attack : report.attacks) {
    for (const RocPoint& point : attack.curve) {
      text += fmt::format("{},{},{},{},{},{},{}\n", attack.name, attack.variant, attack.target, attack.about,
                          point.false_positive_rate, point.true_positive_rate, point.threshold);
    }
  }
  return text;
}

std::string attack_text(const AttackReport& report) {
  std::string text =
      fmt::format("Attacks on {} on {}, unit of protection '{}'\n", report.method, report.data, report.unit);
  std::string section;
  for (const AttackResult& attack : report.attacks) {
    const std::string heading = fmt::format("\n{} on {}: {}, {} there and {} not\n", attack.name,
                                            attack.target, attack.about, attack.present, attack.absent);
    if (heading != section) text += heading;
    section = heading;
    if (!attack.roc) {
      text += fmt::format("  {}\n", attack.note);
      continue;
    }
    const Roc& roc = *attack.roc;
    text += fmt::format("  {:<28} AUC {:.3f}  [{:.3f}, {:.3f}]  TPR {:.3f} at FPR 0.01{}\n", attack.variant,
                        roc.auc, roc.low, roc.high, roc.tpr_at_one_percent,
                        roc.high < 0.5 ? fmt::format("  (turned round {:.3f})", roc.auc_two_sided()) : "");
    if (!attack.note.empty()) text += fmt::format("    {}\n", attack.note);
  }
  text += "\nHow to read this\n" + attack_reading();
  return text + fmt::format("  Note: {}.\n", kForWhom);
}

}  // namespace privet::audit
