#include "privet/tensor/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/json.hpp"

namespace privet::tensor {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 16U << 20;
constexpr std::size_t kAlignedHeader = 8;

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& array,
                          const std::string& what, const std::string& expected = {}) {
  throw DataError({.what = what,
                   .where = array.empty() ? file.string() : fmt::format("{}, array {}", file.string(), array),
                   .expected = expected});
}

struct Place {
  std::string name;
  std::size_t rows = 1;
  std::size_t columns = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::uint64_t unsigned_number(const Json& value, const std::filesystem::path& file, const std::string& name) {
  if (!value.is_number_unsigned()) damaged(file, name, "not a whole number", "one of at least 0");
  return value.get<std::uint64_t>();
}

Place place_of(const std::string& name, const Json& entry, std::uint64_t data_bytes,
               const std::filesystem::path& file) {
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets")) {
    damaged(file, name, "the header says too little of it", "dtype, shape and data_offsets");
  }
  if (entry["dtype"] != "F32") damaged(file, name, "another type of number", "F32");
  const Json& shape = entry["shape"];
  const Json& offsets = entry["data_offsets"];
  if (!shape.is_array() || shape.empty() || shape.size() > 2)
    damaged(file, name, "another number of dimensions", "1 or 2");
  if (!offsets.is_array() || offsets.size() != 2) damaged(file, name, "no place in the file", "two offsets");
  Place place{.name = name};
  place.columns = unsigned_number(shape.back(), file, name);
  if (shape.size() == 2) place.rows = unsigned_number(shape.front(), file, name);
  place.begin = unsigned_number(offsets[0], file, name);
  place.end = unsigned_number(offsets[1], file, name);
  if (place.begin > place.end || place.end > data_bytes)
    damaged(file, name, "it lies outside the file", fmt::format("offsets up to {}", data_bytes));
  const std::uint64_t bytes = place.end - place.begin;
  // Checked without a product that could overflow.
  const std::uint64_t numbers = bytes / sizeof(float);
  const bool fits = bytes % sizeof(float) == 0 &&
                    (place.rows == 0 || place.columns == 0
                         ? numbers == 0
                         : numbers % place.rows == 0 && numbers / place.rows == place.columns);
  if (!fits) damaged(file, name, "its shape and its place do not fit each other");
  return place;
}

std::string read_exactly(InputFile& in, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const std::size_t got = in.read(std::span(text).subspan(done));
    if (got == 0)
      damaged(in.path(), {}, "the file ends too early", fmt::format("{} more bytes", bytes - done));
    done += got;
  }
  return text;
}

}  // namespace

void write_safetensors(const std::filesystem::path& file, const std::vector<NamedMatrix>& matrices) {
  Json header = Json::object();
  std::uint64_t offset = 0;
  for (const NamedMatrix& matrix : matrices) {
    if (matrix.name.empty() || matrix.name == "__metadata__" || header.contains(matrix.name)) {
      throw InvalidArgument({.what = fmt::format("a matrix named '{}'", matrix.name),
                             .where = file.string(),
                             .expected = "names that are not empty and not twice"});
    }
    const std::uint64_t bytes = matrix.values.size() * sizeof(float);
    header[matrix.name] = {{"dtype", "F32"},
                           {"shape", {matrix.values.rows(), matrix.values.columns()}},
                           {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignedHeader - 1) / kAlignedHeader * kAlignedHeader, ' ');
  const std::uint64_t length = text.size();
  OutputFile out(file);
  out.write({reinterpret_cast<const char*>(&length), sizeof length});
  out.write(text);
  for (const NamedMatrix& matrix : matrices) {
    out.write(
        {reinterpret_cast<const char*>(matrix.values.values().data()), matrix.values.size() * sizeof(float)});
  }
  out.commit();
}

std::vector<NamedMatrix> read_safetensors(const std::filesystem::path& file) {
  InputFile in(file);
  if (in.size() < kLengthBytes) damaged(file, {}, "the file is too short for a header");
  const std::string prefix = read_exactly(in, kLengthBytes);
  std::uint64_t length = 0;
  std::memcpy(&length, prefix.data(), sizeof length);
  if (length > kMaxHeader || length > in.size() - kLengthBytes)
    damaged(file, {}, fmt::format("a header of {} bytes", length), "one that the file holds");
  const Json header = parse_json(read_exactly(in, length), file.string());
  if (!header.is_object()) damaged(file, {}, "the header is no object");
  const std::uint64_t data_bytes = in.size() - kLengthBytes - length;
  std::vector<Place> places;
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") places.push_back(place_of(name, entry, data_bytes, file));
  }
  std::vector<const Place*> by_place;
  for (const Place& place : places) by_place.push_back(&place);
  std::ranges::sort(by_place, [](const Place* a, const Place* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  std::uint64_t expected = 0;
  for (const Place* place : by_place) {
    if (place->begin != expected) damaged(file, place->name, "it overlaps another array or leaves a gap");
    expected = place->end;
  }
  if (expected != data_bytes) damaged(file, {}, "bytes behind the last array");
  const std::string data = read_exactly(in, data_bytes);
  std::vector<NamedMatrix> matrices;
  for (const Place& place : places) {
    NamedMatrix matrix{place.name, Matrix(place.rows, place.columns)};
    if (place.end > place.begin)
      std::memcpy(matrix.values.values().data(), data.data() + place.begin, place.end - place.begin);
    if (!std::ranges::all_of(matrix.values.values(), [](float value) { return std::isfinite(value); }))
      damaged(file, place.name, "a number that is not finite");
    matrices.push_back(std::move(matrix));
  }
  return matrices;
}

}  // namespace privet::tensor
