#include "privet/methods/ballot/ballot_local.hpp"

#include <cmath>

#include "privet/learn/collector.hpp"
#include "privet/learn/local_plan.hpp"
#include "privet/learn/vote_rows.hpp"
#include "privet/reports/collection.hpp"

namespace privet::methods {

privacy::LocalQuery LocalVotes::bare() const { return bare_query(0, epsilon, asked); }

double LocalVotes::stddev() const { return std::sqrt(2.0) / epsilon; }

tensor::Matrix local_votes(const LocalVotes& votes, const tensor::Matrix& class_shares,
                           const privacy::ProtectedDataset& data, Run& run) {
  const privacy::LocalQuestion question({.nodes = data.facts.nodes,
                                         .degrees_epsilon = votes.epsilon,
                                         .asked = votes.asked,
                                         .pair_key = votes.pair_key,
                                         .ranks = votes.ranks,
                                         .clusters = class_shares.columns(),
                                         .memberships = privacy::memberships_of(class_shares)});
  const Reports reports = reports_of(question.query(), question.query_digest(),
                                     privacy::collect(data.graph.secret(), question, run.log, run.noise));
  tensor::Matrix heard(class_shares.rows(), class_shares.columns());
  for (std::size_t i = 0; i < heard.rows(); ++i) {
    for (std::size_t c = 0; c < heard.columns(); ++c)
      heard(i, c) = static_cast<float>(reports.degrees_of(i)[c]);
  }
  centre_rows(heard);
  return heard;
}

}  // namespace privet::methods
