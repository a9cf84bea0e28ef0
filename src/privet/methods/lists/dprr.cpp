#include "privet/methods/lists/dprr.hpp"

#include <algorithm>

#include "privet/methods/lists/hpgr.hpp"
#include "privet/methods/lists/rr.hpp"

namespace privet::methods {

std::string Dprr::summary() const {
  return "locally private lists, thinned down to noisy degrees, then a network";
}
std::string Dprr::reference() const { return "Hidano, Murakami 2022 (DPRR); baseline of Zhu et al. 2023"; }

std::vector<Preset> Dprr::presets() const {
  std::vector<std::string> settings = published_local_settings();
  settings.emplace_back("ratio=0.1");
  return {{"published",
           "as HPGR runs it: 2 layers of 16, dropout 0.4, Adam 0.001, 500 epochs, validation every 20",
           std::move(settings)}};
}

void Dprr::declare(OptionTable& table) {
  table.add("ratio", ratio_, "share of epsilon for the degrees", 0.001, 0.99);
}

LocalMethod::Budget Dprr::budget(double epsilon, const Shape& shape) const {
  require_sparse((1 - ratio_) * epsilon, shape.nodes);
  return {.bits = (1 - ratio_) * epsilon * (1 - 0x1p-48), .degrees = ratio_ * epsilon * (1 - 0x1p-48)};
}

Reconstruction Dprr::reconstruct(const Request& request, const privacy::LocalQuestion& question,
                                 const Reports& reports, RandomStream& stream) const {
  const privacy::PairReports asked = question.query().asked;
  const double keep = 1 - question.flip_probability();
  // Of how many pairs a client tells.
  const double pairs =
      (static_cast<double>(reports.nodes()) - 1) / (asked == privacy::PairReports::both_ends ? 1 : 2);
  privacy::BitRows kept;
  for (std::size_t i = 0; i < reports.nodes(); ++i) {
    const double degree = std::max(0.0, reports.degrees_of(i)[0]);
    const double share = std::min(1.0, degree / (degree * (2 * keep - 1) + pairs * (1 - keep)));
    for (const graph::NodeId j : reports.ones.row(i)) {
      if (stream.uniform() < share) kept.columns.push_back(j);
    }
    kept.offsets.push_back(kept.columns.size());
  }
  const graph::Graph told = told_graph(kept, asked);
  // Along a directed edge PyTorch Geometric sends from the one that told of it: the published results come
  // out where nodes hear from those, among which neighbours with many ones left are more frequent.
  const bool heard = request.rigor == privacy::Rigor::kPaper && asked == privacy::PairReports::both_ends;
  return {.graph = heard ? told.transposed() : told};
}

}  // namespace privet::methods
