#include "privet/methods/lists/blink.hpp"

#include "privet/methods/lists/beta_model.hpp"
#include "privet/methods/lists/block_model.hpp"
#include "privet/methods/lists/hpgr.hpp"

namespace privet::methods {

LinkPosterior blink_links(const privacy::LocalQuestion& question, const Reports& reports) {
  const LinkStatistics statistics = link_statistics(reports, question.query(), Fusion::by_variance);
  return {std::make_shared<LowRankPrior>(beta_model(statistics.degrees)),
          std::make_shared<Evidence>(reports, question.query().asked, question.flip_probability()),
          {}};
}

std::string Blink::summary() const {
  return "a graph rebuilt from locally private lists, by degrees, then a network";
}
std::string Blink::reference() const { return "Zhu et al. 2023 (Blink)"; }

std::vector<Preset> Blink::presets() const {
  std::vector<std::string> settings = published_local_settings();
  settings.insert(settings.end(), {"ratio=0.1", "softmax=nodes"});
  return {{"published",
           "as HPGR runs it: 2 layers of 16, dropout 0.4, Adam 0.001, 500 epochs, validation every 20; soft "
           "graphs with softmax=nodes",
           std::move(settings)}};
}

void Blink::declare(OptionTable& table) {
  declare_graph(table);
  table.add("ratio", ratio_, "share of epsilon for the degrees; 1: no bits are asked for", 0.001, 1.0);
}

LocalMethod::Budget Blink::budget(double epsilon, const Shape&) const {
  return {.bits = (1 - ratio_) * epsilon * (1 - 0x1p-48), .degrees = ratio_ * epsilon * (1 - 0x1p-48)};
}

Reconstruction Blink::reconstruct(const Request&, const privacy::LocalQuestion& question,
                                  const Reports& reports, RandomStream& stream) const {
  return graph_of(blink_links(question, reports), stream);
}

}  // namespace privet::methods
