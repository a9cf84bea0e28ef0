#include "privet/accounting/events/dpgnn.hpp"

#include <fmt/format.h>

#include "privet/accounting/events/checks.hpp"
#include "privet/accounting/loss_bag.hpp"
#include "privet/accounting/mechanism_options.hpp"
#include "privet/accounting/sampling_moments.hpp"

namespace privet::privacy {

void DpGnnEvent::check() const {
  check_sampling(FixedSizeSampling{nodes, batch});
  require(max_degree < nodes, static_cast<double>(max_degree), "max degree", "below the number of nodes");
  require_positive(noise_multiplier, "noise multiplier");
}

std::string DpGnnEvent::describe() const {
  return fmt::format("dpgnn({} of {}, max degree {}, noise multiplier {:.6g})", batch, nodes, max_degree,
                     noise_multiplier);
}

SubsampledGaussianEvent DpGnnEvent::as_clipped_sum() const {
  const auto terms = static_cast<double>(max_degree) + 1;
  return {FixedSizeSampling{nodes, batch}, 2 * terms * noise_multiplier, 0, max_degree + 1};
}

double DpGnnEvent::log_moment(double alpha) const { return dpgnn_log_moment(*this, alpha); }

void DpGnnEvent::add_losses(LossBag& bag, double times) const { bag.add_batches(as_clipped_sum(), times); }

const MechanismKind* DpGnnEvent::written() {
  static const MechanismKind kind = {
      .name = "dpgnn",
      .description = "a step of DP-GNN, accounted as in Daigavane et al.",
      .noise = "noise_multiplier",
      .counts_steps = true,
      .add_options =
          [](OptionTable& table, MechanismOptions& o) {
            add_noise_option(table, o, "noise_multiplier", "noise over 2 (max_degree + 1) clip norms");
            add_count_option(table, o, "nodes", "training nodes, public", 1);
            add_count_option(table, o, "batch", "subgraphs in a batch, drawn without replacement", 1);
            add_count_option(table, o, "max_degree",
                             "largest number of subgraphs of others that a node is in", 0);
          },
      .event = [](const MechanismOptions& o) -> Event {
        return DpGnnEvent{o.given_count("nodes"), o.given_count("batch"), o.given_count("max_degree"),
                          o.given("noise_multiplier")};
      }};
  return &kind;
}

}  // namespace privet::privacy
