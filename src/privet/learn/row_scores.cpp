#include "privet/learn/row_scores.hpp"

#include "privet/nn/examples.hpp"
#include "privet/nn/trainer.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::methods {

privacy::Guarded<tensor::Matrix> row_scores(const nn::Network& network, const nn::Parameters& parameters,
                                            const privacy::Guarded<graph::Features>& features) {
  const auto score = [](const graph::Features& rows, const nn::Network& of, const nn::Parameters& numbers) {
    return nn::outputs_of(of, numbers, nn::all_rows(rows));
  };
  if (!features.is_secret())
    return privacy::Guarded<tensor::Matrix>::public_value(score(features.visible(), network, parameters));
  return privacy::Guarded<tensor::Matrix>::hidden(features.secret().map(score, network, parameters));
}

std::vector<std::int32_t> predicted(const tensor::Matrix& scores) {
  std::vector<std::int32_t> classes(scores.rows());
  tensor::largest_column(scores, classes);
  return classes;
}

}  // namespace privet::methods
