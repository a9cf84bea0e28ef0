#pragma once

#include <string>
#include <utility>
#include <vector>

namespace privet::audit {

/// How well a score tells what is there (an edge, a member) from what is not: the receiver operating
/// characteristic of an attack.

/// The scores of an attack; larger means "there".
struct Scored {
  std::vector<double> present = {};
  std::vector<double> absent = {};

  void add(double score, bool is_present) { (is_present ? present : absent).push_back(score); }
};

/// One threshold: who scores at least so much is called present.
struct RocPoint {
  double false_positive_rate = 0;
  double true_positive_rate = 0;
  double threshold = 0;
};

/// The curve from (0, 0) to (1, 1), one point for each different score, so a group of equal scores is one
/// slanted step.
std::vector<RocPoint> roc_curve(const Scored& scored);

struct Roc {
  /// P[present > absent] + P[present = absent] / 2. Below 0.5 the score points the wrong way; it is never
  /// turned round, for an attacker who may choose the side after the fact is above 0.5 on coins.
  double auc = 0.5;
  /// 95 %, two-sided: the variance of DeLong, DeLong and Clarke-Pearson (1988) on the scale of the logit. Of
  /// a perfect record in k = min(present, absent) disjoint comparisons the probability is at most a^k where
  /// the area is a: the bound is then 0.025^(1/k), and likewise where all scores are the same. Scores are
  /// taken for independent; pairs that share a node are not quite.
  double low = 0;
  double high = 1;
  double tpr_at_one_permille = 0;  ///< largest true positive rate where the false one is at most 0.001
  double tpr_at_one_percent = 0;

  /// max(auc, 1 - auc): what somebody learns who is told which way the score points. Half is what coins give
  /// only without the max: on n + n coins its mean is about 0.5 + 0.33 / sqrt(n).
  [[nodiscard]] double auc_two_sided() const { return auc < 0.5 ? 1 - auc : auc; }
  /// Half the width of the interval, or what is more: the distance to its farther end.
  [[nodiscard]] double half_width() const;
};

/// InvalidArgument where one of the two kinds is missing or a score is not a number.
Roc measure_roc(const Scored& scored);

/// Curves in a file: at most `most` points of each, the first and the last among them.
std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve, std::size_t most);

}  // namespace privet::audit
