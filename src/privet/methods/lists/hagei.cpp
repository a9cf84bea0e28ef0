#include "privet/methods/lists/hagei.hpp"

#include <algorithm>
#include <cmath>

#include "privet/methods/lists/hpgr.hpp"

namespace privet::methods {

HageiPrior::HageiPrior(const Reports& reports, const privacy::LocalQuery& query, ScaledBy scaled_by)
    : scaled_by_(scaled_by),
      clusters_(query.nodes),
      favour_(query.clusters, query.nodes),
      scale_(query.clusters, query.nodes) {
  const std::size_t n = query.nodes;
  const std::size_t c = query.clusters;
  // Where one end counts, a node has counted about half of its neighbours.
  const double share = query.asked == privacy::PairReports::both_ends ? 1 : 2;
  const auto counted = [&](std::size_t i, std::size_t b) { return share * reports.degrees_of(i)[b]; };
  std::vector<double> size(c);
  for (std::size_t i = 0; i < n; ++i) {
    const auto own = query.memberships_of(static_cast<graph::NodeId>(i));
    clusters_[i] = static_cast<std::uint32_t>(std::ranges::max_element(own) - own.begin());
    size[clusters_[i]] += 1;
  }
  std::vector<double> sums(c * c);
  double within = 0;
  double spread = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t b = 0; b < c; ++b) sums[clusters_[i] * c + b] += counted(i, b);
    within += counted(i, clusters_[i]);
    spread += counted(i, clusters_[i]) / size[clusters_[i]];
  }
  std::vector<double> favours(c * c);  // of all of a cluster for another
  std::vector<double> favour(n * c);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t b = 0; b < c; ++b) {
      const double all = sums[clusters_[i] * c + b] + within;
      favour[i * c + b] = all != 0 ? (counted(i, b) + spread) / all : 0;
      favours[clusters_[i] * c + b] += favour[i * c + b];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t b = 0; b < c; ++b) {
      const double all = favours[b * c + clusters_[i]] + size[b] * favour[i * c + b];
      favour_(b, i) = static_cast<float>(favour[i * c + b]);
      scale_(b, i) = static_cast<float>(all != 0 ? counted(i, b) / all : 0);
    }
  }
}

float HageiPrior::at(std::size_t i, std::size_t j) const {
  float one = 0;
  row(i, j, {&one, 1});
  return one;
}

void HageiPrior::row(std::size_t i, std::size_t first, std::span<float> out) const {
  const std::uint32_t own = clusters_[i];
  const float first_share =
      scaled_by_ == ScaledBy::mean ? 0.5F : (scaled_by_ == ScaledBy::first ? 1.0F : 0.0F);
  static thread_local std::vector<float> favour;  // of i for each cluster, and its scaling
  static thread_local std::vector<float> scale;
  favour.resize(favour_.rows());
  scale.resize(favour_.rows());
  for (std::size_t b = 0; b < favour.size(); ++b) {
    favour[b] = favour_(b, i);
    scale[b] = first_share * scale_(b, i);
  }
  const std::span<const float> others_favour = favour_.row(own).subspan(first, out.size());
  const std::span<const float> others_scale = scale_.row(own).subspan(first, out.size());
  const std::span<const std::uint32_t> clusters = std::span(clusters_).subspan(first, out.size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    const std::uint32_t b = clusters[j];
    out[j] = (others_favour[j] + favour[b]) * (scale[b] + (1 - first_share) * others_scale[j]);
  }
}

std::string Hagei::summary() const {
  return "a graph rebuilt from locally private lists, by favoured clusters, then a network";
}
std::string Hagei::reference() const { return "HAGEI as compared with by Xie et al. 2025 (HPGR)"; }

std::vector<Preset> Hagei::presets() const {
  std::vector<std::string> settings = published_local_settings();
  settings.insert(settings.end(), {"ratio=0.1", "softmax=nodes"});
  return {{"published",
           "as HPGR runs it: 2 layers of 16, dropout 0.4, Adam 0.001, 500 epochs, validation every 20; soft "
           "graphs with softmax=nodes",
           std::move(settings)}};
}

void Hagei::declare(OptionTable& table) {
  declare_graph(table);
  table.add("ratio", ratio_, "share of epsilon for the degrees; 1: no bits are asked for", 0.001, 1.0);
}

LocalMethod::Budget Hagei::budget(double epsilon, const Shape&) const {
  return {.bits = (1 - ratio_) * epsilon * (1 - 0x1p-48), .degrees = ratio_ * epsilon * (1 - 0x1p-48)};
}

Reconstruction Hagei::reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                  const Reports& reports, RandomStream& stream) const {
  const auto n = static_cast<double>(question.query().nodes);
  PriorBounds bounds{.published = request.rigor == privacy::Rigor::kPaper};
  if (!bounds.published) bounds.least = 0.05 / n;
  const auto prior = [&](ScaledBy scaled_by) {
    return std::make_shared<HageiPrior>(reports, question.query(), scaled_by);
  };
  const auto evidence =
      std::make_shared<Evidence>(reports, question.query().asked, question.flip_probability());
  if (!bounds.published) return graph_of({prior(ScaledBy::mean), evidence, bounds}, stream);
  return graph_of({prior(ScaledBy::first), evidence, bounds, prior(ScaledBy::second)}, stream);
}

}  // namespace privet::methods
