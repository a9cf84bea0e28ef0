#include "privet/audit/attacks/link_stealing.hpp"

#include <algorithm>
#include <cmath>

#include "privet/audit/attacks/influence.hpp"
#include "privet/base/parallel.hpp"

namespace privet::audit {
namespace {

using graph::NodeId;

constexpr std::array<const char*, kDistances> kNames = {"cosine",     "euclidean",        "correlation",
                                                        "chebyshev",  "Bray-Curtis",      "Canberra",
                                                        "city block", "squared euclidean"};

double ratio(double top, double bottom) { return bottom > 0 ? top / bottom : 0; }

// One minus the cosine of rows less these numbers; 0 where a row is nothing, as the published code replaces
// it.
double cosine_distance(std::span<const double> a, std::span<const double> b, double less_a, double less_b) {
  double product = 0;
  double square_a = 0;
  double square_b = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double x = a[j] - less_a;
    const double y = b[j] - less_b;
    product += x * y;
    square_a += x * x;
    square_b += y * y;
  }
  const double size = std::sqrt(square_a * square_b);
  return size > 0 ? 1 - product / size : 0;
}

double mean_of(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += x;
  return sum / static_cast<double>(row.size());
}

}  // namespace

std::string name(Distance distance) { return kNames[static_cast<std::size_t>(distance)]; }

std::array<double, kDistances> distances(std::span<const double> a, std::span<const double> b) {
  double squares = 0;
  double largest = 0;
  double city = 0;
  double sums = 0;
  double canberra = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double apart = std::abs(a[j] - b[j]);
    squares += apart * apart;
    largest = std::max(largest, apart);
    city += apart;
    sums += std::abs(a[j] + b[j]);
    canberra += ratio(apart, std::abs(a[j]) + std::abs(b[j]));
  }
  return {cosine_distance(a, b, 0, 0),
          std::sqrt(squares),
          cosine_distance(a, b, mean_of(a), mean_of(b)),
          largest,
          ratio(city, sums),
          canberra,
          city,
          squares};
}

std::vector<AttackResult> compare_rows(const std::string& variant_prefix, std::span<const double> rows,
                                       std::span<const double> mean_row,
                                       const std::vector<CandidatePair>& pairs) {
  const std::size_t width = mean_row.size();
  std::vector<std::array<double, kDistances + 1>> measured(pairs.size());
  parallel_for(pairs.size(), 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<double> a(width);
    std::vector<double> b(width);
    for (std::size_t k = begin; k < end; ++k) {
      const auto first = rows.subspan(pairs[k].first * width, width);
      const auto second = rows.subspan(pairs[k].second * width, width);
      for (std::size_t j = 0; j < width; ++j) {
        a[j] = first[j] - mean_row[j];
        b[j] = second[j] - mean_row[j];
      }
      measured[k][0] = cosine_distance(a, b, 0, 0);
      std::ranges::copy(distances(first, second), measured[k].begin() + 1);
    }
  });
  std::vector<AttackResult> results;
  for (std::size_t d = 0; d <= kDistances; ++d) {
    Scored scored;
    for (std::size_t k = 0; k < pairs.size(); ++k) scored.add(-measured[k][d], pairs[k].joined);
    results.push_back(
        AttackResult::of("lpa", variant_prefix + (d == 0 ? "centred cosine" : kNames[d - 1]), scored));
  }
  return results;
}

std::vector<AttackResult> link_stealing(const Target& target, const std::vector<CandidatePair>& pairs) {
  const tensor::Matrix scores = answers(target);
  const std::vector<double> rows = posteriors(scores);
  std::vector<double> center(scores.columns());
  for (std::size_t k = 0; k < rows.size(); ++k)
    center[k % center.size()] += rows[k] / static_cast<double>(scores.rows());
  return compare_rows("", rows, center, pairs);
}

std::vector<AttackResult> link_stealing_baseline(const graph::Dataset& dataset,
                                                 const std::vector<CandidatePair>& pairs) {
  const std::size_t width = graph::feature_columns(dataset.features);
  if (width == 0) return {};
  const tensor::SparseMatrix features = sparse_features(dataset.features);
  std::vector<double> center(width);
  for (std::size_t e = 0; e < features.entries(); ++e)
    center[features.column_indices()[e]] +=
        static_cast<double>(features.value(e)) / static_cast<double>(features.rows());
  // Rows of many columns are written out only for those who are asked about.
  std::vector<NodeId> asked;
  for (const CandidatePair& pair : pairs) {
    asked.push_back(pair.first);
    asked.push_back(pair.second);
  }
  std::ranges::sort(asked);
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  std::vector<double> rows(asked.size() * width);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    for (std::uint64_t e = features.offsets()[asked[i]]; e < features.offsets()[asked[i] + 1]; ++e)
      rows[i * width + features.column_indices()[e]] = static_cast<double>(features.value(e));
  }
  std::vector<CandidatePair> renumbered = pairs;
  const auto place = [&](NodeId node) {
    return static_cast<NodeId>(std::ranges::lower_bound(asked, node) - asked.begin());
  };
  for (CandidatePair& pair : renumbered) {
    pair.first = place(pair.first);
    pair.second = place(pair.second);
  }
  return compare_rows("features: ", rows, center, renumbered);
}

}  // namespace privet::audit
