#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "privet/tensor/matrix.hpp"

namespace privet::tensor {

struct NamedMatrix {
  std::string name;
  Matrix values;
  bool operator==(const NamedMatrix&) const = default;
};

/// Arrays in the safetensors format: the length of a header in 8 bytes, a JSON header with names, shapes and
/// places, then the numbers, little endian. No code, no pickle; read by every machine learning library.

/// Writes the matrices as float32 of two dimensions, in their order; the file appears whole or not at all.
/// Names are not empty and not twice (InvalidArgument).
void write_safetensors(const std::filesystem::path& file, const std::vector<NamedMatrix>& matrices);

/// Reads matrices of float32 of one (a row) or two dimensions. Nothing is trusted: a header that promises
/// more than the file holds, overlaps, gaps, other types, numbers that are not finite are a DataError that
/// names file and array.
std::vector<NamedMatrix> read_safetensors(const std::filesystem::path& file);

}  // namespace privet::tensor
