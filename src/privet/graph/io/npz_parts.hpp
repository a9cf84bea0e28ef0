#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "privet/graph/dataset.hpp"
#include "privet/graph/io/npz.hpp"

namespace privet::graph {

/// Parts that foreign npz files share. Any plain numeric type will do; faults are a DataError naming array
/// and row.

/// A dense (n, F) array as float32, finite.
tensor::Matrix read_dense_features(NpzReader& npz, const std::string& array, std::size_t nodes);

/// An (n) or (n, 1) array of classes; -1 is unlabeled. There are as many classes as the largest says.
void read_class_labels(NpzReader& npz, const std::string& array, std::size_t nodes, Dataset& dataset);

/// Checks labels against the number of nodes, and counts the classes.
void set_class_labels(Dataset& dataset, std::vector<std::int64_t> labels, std::size_t nodes,
                      const std::string& where);

}  // namespace privet::graph
