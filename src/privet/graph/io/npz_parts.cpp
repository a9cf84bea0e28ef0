#include "privet/graph/io/npz_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "privet/base/error.hpp"
#include "privet/graph/io/limits.hpp"

namespace privet::graph {

tensor::Matrix read_dense_features(NpzReader& npz, const std::string& array, std::size_t nodes) {
  npz.expect_shape(array, {nodes, kAnyExtent});
  const std::uint64_t columns = npz.header(array).shape[1];
  const bool backed = npz.header(array).item_size > 0 && npz.header(array).kind != 'O';
  if (columns > kMaxNodes || !backed) {
    throw DataError(
        {.what = "is " + npz.header(array).describe(), .where = npz.where(array), .expected = "numbers"});
  }
  // float16 and bytes grow on the way to float32, by four at most.
  tensor::Matrix matrix(nodes, static_cast<std::size_t>(columns));
  std::size_t at = 0;
  npz.visit_floats(array, [&](std::span<const float> block) {
    for (const float value : block) {
      if (!std::isfinite(value)) {
        throw DataError({.what = fmt::format("row {} column {} is {}", at / columns, at % columns, value),
                         .where = npz.where(array),
                         .expected = "finite numbers"});
      }
      matrix.values()[at++] = value;
    }
  });
  return matrix;
}

void set_class_labels(Dataset& dataset, std::vector<std::int64_t> labels, std::size_t nodes,
                      const std::string& where) {
  if (labels.size() != nodes) {
    throw DataError({.what = fmt::format("has {} rows", labels.size()),
                     .where = where,
                     .expected = fmt::format("{}, one per node", nodes)});
  }
  std::int64_t most = -1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < kUnlabeled || labels[i] >= static_cast<std::int64_t>(kMaxNodes)) {
      throw DataError({.what = fmt::format("row {} is {}", i, labels[i]),
                       .where = where,
                       .expected = "a class from 0, or -1 for unlabeled"});
    }
    most = std::max(most, labels[i]);
  }
  expect_plausible_classes(static_cast<std::uint64_t>(most + 1), nodes, where);
  dataset.classes = static_cast<std::size_t>(most + 1);
  dataset.labels.assign(labels.begin(), labels.end());
}

void read_class_labels(NpzReader& npz, const std::string& array, std::size_t nodes, Dataset& dataset) {
  if (npz.header(array).shape.size() == 2) {
    npz.expect_shape(array, {nodes, 1});
  } else {
    npz.expect_shape(array, {nodes});
  }
  set_class_labels(dataset, npz.read_integers(array), nodes, npz.where(array));
}

}  // namespace privet::graph
