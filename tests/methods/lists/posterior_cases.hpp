#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "local_cases.hpp"
#include "privet/methods/lists/hagei.hpp"
#include "privet/methods/lists/link_posterior.hpp"

/// What is believed of every pair of a graph with clusters, once all clients have reported.
namespace privet::methods::testing {

using privacy::PairReports;

struct Case {
  privacy::LocalQuestion question;
  Reports reports;
  BlockModel model;
  LinkPosterior links;
};

inline Case make_case(const graph::Dataset& data, bool soft, PairReports asked, bool published,
                      double bits = 3, double degrees = 0.5) {
  privacy::LocalQuestion question(query_for(data, soft, asked, bits, degrees));
  Reports reports = reports_for(data.graph, question, 6);
  LinkStatistics statistics = link_statistics(reports, question.query(), Fusion::by_size);
  for (double& degree : statistics.degrees)
    degree = std::clamp(degree, 1.0, static_cast<double>(data.nodes()));
  BlockModel model = block_model(statistics, question.query(), std::numeric_limits<double>::infinity());
  LinkPosterior links(std::make_shared<LowRankPrior>(model),
                      std::make_shared<Evidence>(reports, asked, question.flip_probability()),
                      {.least = 1e-4, .most = 1, .published = published});
  return {std::move(question), std::move(reports), std::move(model), std::move(links)};
}

/// Of which P_ij and P_ji differ.
inline LinkPosterior directed_links(const graph::Dataset& data, double bits = 4) {
  const privacy::LocalQuestion question(query_for(data, false, PairReports::both_ends, bits, 2));
  const Reports reports = reports_for(data.graph, question, 6);
  const auto prior = [&](ScaledBy scaled_by) {
    return std::make_shared<HageiPrior>(reports, question.query(), scaled_by);
  };
  return {prior(ScaledBy::first),
          std::make_shared<Evidence>(reports, PairReports::both_ends, question.flip_probability()),
          {.published = true},
          prior(ScaledBy::second)};
}

}  // namespace privet::methods::testing
