#include "privet/methods/lists/hpgr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "privet/methods/lists/block_model.hpp"

namespace privet::methods {
namespace {

constexpr double kMostCondition = 100;

}  // namespace

double predicted_ratio(double epsilon, std::size_t nodes, std::size_t clusters, double mean_degree) {
  const auto n = static_cast<double>(nodes);
  const auto c = static_cast<double>(clusters);
  const double density = std::min(0.5, mean_degree / std::max(1.0, n - 1));
  double best = 0.5;
  double least = std::numeric_limits<double>::infinity();
  for (double ratio = 0.05; ratio < 0.96; ratio += 0.05) {
    const double connections =
        2 * c / (ratio * epsilon) * std::sqrt(c * n / std::numbers::pi) / (n * mean_degree);
    const double flip = 1 / (1 + std::exp((1 - ratio) * epsilon));
    double pairs = 0;
    for (int ones = 0; ones < 2; ++ones) {
      const double joined = density * (ones == 1 ? 1 - flip : flip);
      const double apart = (1 - density) * (ones == 1 ? flip : 1 - flip);
      pairs += joined * apart / (joined + apart) / density;
    }
    const double error = std::min(1.0, connections) + pairs;
    if (error >= least) continue;
    least = error;
    best = ratio;
  }
  return best;
}

std::vector<std::string> published_local_settings() {
  return {"layers=2",       "width=16",         "dropout=0.4",
          "epochs=500",     "optimizer=adam",   "learning_rate=0.001",
          "weight_decay=0", "validate_every=20"};
}

std::string Hpgr::summary() const {
  return "a graph rebuilt from locally private lists, by clusters, then a network";
}
std::string Hpgr::reference() const { return "Xie et al. 2025 (HPGR)"; }

std::vector<Preset> Hpgr::presets() const {
  std::vector<std::string> settings = published_local_settings();
  settings.insert(settings.end(), {"ratio=0.1", "temperature=1", "softmax=nodes"});
  return {
      {"published",
       "2 layers of 16, dropout 0.4, Adam 0.001, 500 epochs, validation every 20; soft clusters, a tenth for "
       "the degrees; soft graphs with softmax=nodes",
       std::move(settings)}};
}

void Hpgr::declare(OptionTable& table) {
  declare_graph(table);
  table.add("ratio", ratio_,
            "share of epsilon for the degrees; 0 chooses it by predicted error, 1 asks for no bits", 0.0,
            1.0);
  table.add("expected_degree", expected_degree_, "mean degree that the choice is made for; a guess, not data",
            0.1, 1e6);
  table.add("temperature", temperature_, "of the clusters of nodes without labels; 0 for hard ones", 0.0,
            1e6);
  table.add("floor", floor_, "least probability of a pair beforehand, in densities (strict)", 0.0, 1.0);
}

std::vector<std::pair<std::string, std::string>> Hpgr::unread_options(const Request& request) const {
  auto unread = LocalMethod::unread_options(request);
  if (!request.wants_privacy()) return unread;
  if (ratio_ > 0) unread.emplace_back("expected_degree", "where ratio is given");
  if (request.rigor == privacy::Rigor::kPaper) unread.emplace_back("floor", "in paper rigor");
  return unread;
}

LocalMethod::Budget Hpgr::budget(double epsilon, const Shape& shape) const {
  const double ratio =
      ratio_ > 0 ? ratio_ : predicted_ratio(epsilon, shape.nodes, shape.clusters, expected_degree_);
  return {.bits = (1 - ratio) * epsilon * (1 - 0x1p-48), .degrees = ratio * epsilon * (1 - 0x1p-48)};
}

Reconstruction Hpgr::reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                 const Reports& reports, RandomStream& stream) const {
  const privacy::LocalQuery& query = question.query();
  const bool strict = request.rigor == privacy::Rigor::kStrict;
  const auto n = static_cast<double>(query.nodes);
  LinkStatistics statistics = link_statistics(reports, query, strict ? Fusion::by_variance : Fusion::by_size);
  PriorBounds bounds{.published = !strict};
  if (strict) {
    double entries = 0;
    for (const double one : statistics.connections) entries += one;
    bounds.least = floor_ * std::clamp(entries, 0.1 * n, n * n / 2) / (n * n);
    statistics.degrees = smoothed_degrees(reports, query, question.flip_probability());
  } else {
    for (double& degree : statistics.degrees) degree = std::clamp(degree, 1.0, n);
  }
  const BlockModel model =
      block_model(statistics, query, strict ? kMostCondition : std::numeric_limits<double>::infinity());
  return graph_of({std::make_shared<LowRankPrior>(model),
                   std::make_shared<Evidence>(reports, query.asked, question.flip_probability()), bounds},
                  stream);
}

}  // namespace privet::methods
