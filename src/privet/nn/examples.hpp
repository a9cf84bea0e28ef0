#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/nn/input.hpp"

namespace privet::nn {

/// What a network learns from: one row of features and one label per example.
struct Examples {
  graph::Features features;
  std::vector<std::int32_t> labels;
  std::vector<double> squared_norms = {};  ///< of the feature rows; empty, or one for each (see know_norms)

  [[nodiscard]] std::size_t count() const noexcept { return labels.size(); }
};

/// The examples of the nodes named, in that order. A data set without features is an InvalidArgument.
Examples examples_of(const graph::Features& features, std::span<const std::int32_t> labels,
                     std::span<const graph::NodeId> nodes);

/// Works the norms of the rows out once, for all the steps that need them.
void know_norms(Examples& examples);

/// Room for the rows of a batch; used again by the next.
struct BatchRoom {
  tensor::Matrix rows;
  std::vector<std::uint64_t> begin;
  std::vector<std::uint64_t> end;
  std::vector<std::int32_t> labels;
  std::vector<double> squared_norms;
};

/// All rows of the features.
Input all_rows(const graph::Features& features);
/// The rows of the members, in their order; lives in `room`, whose labels are then those of the members.
Input gather(const Examples& examples, std::span<const std::uint32_t> members, BatchRoom& room);

}  // namespace privet::nn
