#include "privet/learn/private_rows.hpp"

#include <algorithm>
#include <cmath>

#include "privet/tensor/rows.hpp"

namespace privet::methods {

graph::Features scaled_rows(const graph::Features& features, double norm) {
  if (norm == 0) return features;
  if (const auto* dense = std::get_if<tensor::Matrix>(&features)) {
    tensor::Matrix rows = *dense;
    tensor::normalize_rows_l2(rows, rows);
    for (float& value : rows.values()) value *= static_cast<float>(norm);
    return rows;
  }
  const auto* sparse = std::get_if<tensor::SparseMatrix>(&features);
  if (sparse == nullptr) return features;
  std::vector<double> squares(sparse->rows());
  tensor::squared_row_norms(*sparse, squares);
  tensor::AlignedVector<float> values(sparse->entries());
  for (std::size_t i = 0; i < sparse->rows(); ++i) {
    const double factor = squares[i] > 0 ? norm / std::sqrt(squares[i]) : 0;
    for (std::uint64_t k = sparse->offsets()[i]; k < sparse->offsets()[i + 1]; ++k)
      values[k] = static_cast<float>(static_cast<double>(sparse->value(k)) * factor);
  }
  return tensor::SparseMatrix(
      sparse->rows(), sparse->columns(), {sparse->offsets().begin(), sparse->offsets().end()},
      {sparse->column_indices().begin(), sparse->column_indices().end()}, std::move(values));
}

privacy::Secret<nn::Examples> secret_examples(const privacy::ProtectedDataset& data,
                                              const std::vector<graph::NodeId>& nodes, double feature_norm) {
  return data.features.secret().map(
      [](const graph::Features& features, const std::vector<std::int32_t>& labels,
         const std::vector<graph::NodeId>& members, double norm) {
        nn::Examples examples = nn::examples_of(features, labels, members);
        examples.features = scaled_rows(examples.features, norm);
        nn::know_norms(examples);
        return examples;
      },
      data.labels.secret(), nodes, feature_norm);
}

RowTuning tuned_rows(double training_nodes, double mu, std::size_t parameters) {
  constexpr double kMuch = 400;
  const bool much = training_nodes * mu > kMuch * std::sqrt(static_cast<double>(parameters));
  return much ? RowTuning{.rate = 0.1, .norm = 8} : RowTuning{.rate = 0.02, .norm = 5};
}

IterateAverage::IterateAverage(std::uint64_t steps, double share)
    : first_(steps - std::clamp<std::uint64_t>(static_cast<std::uint64_t>(static_cast<double>(steps) * share),
                                               1, steps)) {}

void IterateAverage::see(std::uint64_t step, const nn::Parameters& parameters) {
  if (step < first_) return;
  sum_.resize(parameters.learnt.size());
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += static_cast<double>(parameters.learnt[i]);
  ++count_;
}

void IterateAverage::write(nn::Parameters& parameters) const {
  for (std::size_t i = 0; i < sum_.size(); ++i)
    parameters.learnt[i] = static_cast<float>(sum_[i] / static_cast<double>(count_));
}

}  // namespace privet::methods
