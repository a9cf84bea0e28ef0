#include "privet/graph/io/npz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "privet/base/error.hpp"

namespace privet::graph {
namespace {

constexpr std::size_t kBlockBytes = 1 << 18;

template <typename T>
constexpr char kind_of() {
  if (std::is_floating_point_v<T>) return 'f';
  return std::is_signed_v<T> ? 'i' : 'u';
}

}  // namespace

NpzReader::NpzReader(const Source& source) : name_(source.name()), archive_(source), buffer_(kBlockBytes) {
  constexpr std::string_view kSuffix = ".npy";
  for (std::size_t i = 0; i < archive_.members().size(); ++i) {
    std::string_view member = archive_.members()[i].name;
    if (member.size() <= kSuffix.size() || member.substr(member.size() - kSuffix.size()) != kSuffix) continue;
    member.remove_suffix(kSuffix.size());
    arrays_.push_back({.name = std::string(member), .member = i, .header = {}, .data_begin = 0});
  }
}

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> names;
  for (const Array& array : arrays_) names.push_back(array.name);
  return names;
}

bool NpzReader::has(std::string_view name) const {
  return std::any_of(arrays_.begin(), arrays_.end(), [&](const Array& array) { return array.name == name; });
}

std::optional<std::string> NpzReader::first_of(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (has(name)) return std::string(name);
  }
  return std::nullopt;
}

std::string NpzReader::where(std::string_view name) const { return fmt::format("{}: {}", name_, name); }

NpzReader::Array& NpzReader::find(std::string_view name) {
  for (Array& array : arrays_) {
    if (array.name == name) return array;
  }
  throw DataError({.what = fmt::format("has no array '{}'", name), .where = name_});
}

// Opens the member and reads past its header; the first time, the header is parsed and held against the size
// of the member.
NpzReader::Array& NpzReader::open(std::string_view name) {
  Array& array = find(name);
  const std::uint64_t size = archive_.members()[array.member].size;
  archive_.open(array.member);
  if (array.header) {
    std::vector<char> skipped(array.data_begin);
    archive_.read(skipped);
    return array;
  }
  std::array<char, kNpyPreamble> preamble{};
  const std::size_t first = std::min<std::uint64_t>(size, 10);
  archive_.read(std::span(preamble).first(first));
  std::size_t have = first;
  if (have == 10 && preamble[6] != 1 && size >= kNpyPreamble) {
    archive_.read(std::span(preamble).subspan(have));
    have = kNpyPreamble;
  }
  const NpyPreamble layout = parse_npy_preamble(std::span(preamble).first(have), where(name));
  array.data_begin = layout.text_begin + layout.text_size;
  if (array.data_begin > size) throw DataError({.what = "ends inside its header", .where = where(name)});
  std::string text(layout.text_size, '\0');
  archive_.read(text);
  NpyHeader header = parse_npy_header(text, where(name));
  const bool plain = header.kind != 'O' && header.kind != 'V';
  if (plain && header.count() * header.item_size != size - array.data_begin) {
    throw DataError({.what = fmt::format("the header promises {} but {} bytes follow", header.describe(),
                                         size - array.data_begin),
                     .where = where(name),
                     .expected = fmt::format("{} bytes", header.count() * header.item_size)});
  }
  array.header = std::move(header);
  return array;
}

const NpyHeader& NpzReader::header(std::string_view name) {
  Array& array = find(name);
  return array.header ? *array.header : *open(name).header;
}

void NpzReader::expect_shape(std::string_view name, std::initializer_list<std::uint64_t> extents) {
  const NpyHeader& found = header(name);
  const bool fits =
      found.shape.size() == extents.size() &&
      std::equal(extents.begin(), extents.end(), found.shape.begin(),
                 [](std::uint64_t want, std::uint64_t have) { return want == kAnyExtent || want == have; });
  if (fits) return;
  std::string text;
  for (const std::uint64_t extent : extents) {
    text += (text.empty() ? "" : ", ") + (extent == kAnyExtent ? std::string("any") : std::to_string(extent));
  }
  throw DataError({.what = "has shape " + found.shape_text(),
                   .where = where(name),
                   .expected = fmt::format("({})", text)});
}

void NpzReader::expect_numbers(std::string_view name, const NpyHeader& found, std::string_view kinds,
                               std::string_view expected) const {
  if (found.kind == 'O') {
    throw DataError({.what = "holds pickled objects, which are never loaded",
                     .where = where(name),
                     .expected = std::string(expected),
                     .remedy = "save it as a plain array"});
  }
  const bool known_size =
      found.kind == 'f' ? found.item_size == 2 || found.item_size == 4 || found.item_size == 8
      : found.kind == 'b'
          ? found.item_size == 1
          : found.item_size == 1 || found.item_size == 2 || found.item_size == 4 || found.item_size == 8;
  if (kinds.find(found.kind) == std::string_view::npos || !known_size) {
    throw DataError(
        {.what = "is " + found.describe(), .where = where(name), .expected = std::string(expected)});
  }
  if (found.byte_order == '>') {
    throw DataError({.what = "is big endian",
                     .where = where(name),
                     .expected = "little endian",
                     .remedy = "save it after array.astype(array.dtype.newbyteorder('<'))"});
  }
  if (found.fortran_order && found.shape.size() > 1) {
    throw DataError({.what = "is in Fortran order",
                     .where = where(name),
                     .expected = "C order",
                     .remedy = "save it after numpy.ascontiguousarray"});
  }
}

void NpzReader::expect_type(std::string_view name, const NpyHeader& found, char kind,
                            std::size_t item_size) const {
  const std::string expected = npy_type_name(kind, item_size);
  expect_numbers(name, found, std::string_view(&kind, 1), expected);
  if (found.item_size != item_size) {
    throw DataError({.what = "is " + found.describe(), .where = where(name), .expected = expected});
  }
}

void NpzReader::visit_bytes(Array& array,
                            const std::function<void(std::span<const char>, std::uint64_t)>& block) {
  const std::size_t item = array.header->item_size;
  const std::uint64_t count = array.header->count();
  const std::uint64_t most = std::max<std::size_t>(1, kBlockBytes / std::max<std::size_t>(item, 1));
  for (std::uint64_t first = 0; first < count; first += most) {
    const std::size_t bytes = static_cast<std::size_t>(std::min(most, count - first)) * item;
    if (buffer_.size() < bytes) buffer_.resize(bytes);
    const std::span<char> piece = std::span(buffer_).first(bytes);
    archive_.read(piece);
    block(piece, first);
  }
  archive_.close();
}

template <typename T>
void NpzReader::visit(std::string_view name, const std::function<void(std::span<const T>)>& block) {
  expect_type(name, header(name), kind_of<T>(), sizeof(T));
  std::vector<T> values;
  visit_bytes(open(name), [&](std::span<const char> bytes, std::uint64_t) {
    values.resize(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    block(values);
  });
}

template <typename T>
void NpzReader::read_into(std::string_view name, std::span<T> values) {
  expect_type(name, header(name), kind_of<T>(), sizeof(T));
  if (values.size() != header(name).count()) {
    throw DataError({.what = "has shape " + header(name).shape_text(),
                     .where = where(name),
                     .expected = fmt::format("{} elements", values.size())});
  }
  open(name);
  archive_.read({reinterpret_cast<char*>(values.data()), values.size_bytes()});
  archive_.close();
}

template <typename T>
std::vector<T> NpzReader::read(std::string_view name) {
  expect_type(name, header(name), kind_of<T>(), sizeof(T));
  // The header was held against the member's size, and that against its compressed bytes.
  std::vector<T> values(static_cast<std::size_t>(header(name).count()));
  read_into(name, std::span<T>(values));
  return values;
}

#define PRIVET_INSTANTIATE(T)                                                                          \
  template void NpzReader::visit<T>(std::string_view, const std::function<void(std::span<const T>)>&); \
  template std::vector<T> NpzReader::read<T>(std::string_view);                                        \
  template void NpzReader::read_into<T>(std::string_view, std::span<T>);
PRIVET_INSTANTIATE(std::uint8_t)
PRIVET_INSTANTIATE(std::int32_t)
PRIVET_INSTANTIATE(std::int64_t)
PRIVET_INSTANTIATE(float)
#undef PRIVET_INSTANTIATE

void NpzReader::visit_integers(std::string_view name,
                               const std::function<void(std::span<const std::int64_t>)>& block) {
  const NpyHeader found = header(name);
  expect_numbers(name, found, "biu", "whole numbers");
  std::vector<std::int64_t> values;
  visit_bytes(open(name), [&](std::span<const char> bytes, std::uint64_t first) {
    values.resize(bytes.size() / found.item_size);
    std::size_t bad = 0;
    if (!npy_to_integers(found, bytes.data(), values.size(), values.data(), bad)) {
      throw DataError(
          {.what = fmt::format("element {} is beyond 64 signed bits", first + bad), .where = where(name)});
    }
    block(values);
  });
}

std::vector<std::int64_t> NpzReader::read_integers(std::string_view name) {
  std::vector<std::int64_t> all;
  expect_numbers(name, header(name), "biu", "whole numbers");
  all.reserve(static_cast<std::size_t>(header(name).count()));
  visit_integers(
      name, [&](std::span<const std::int64_t> block) { all.insert(all.end(), block.begin(), block.end()); });
  return all;
}

void NpzReader::visit_floats(std::string_view name,
                             const std::function<void(std::span<const float>)>& block) {
  const NpyHeader found = header(name);
  expect_numbers(name, found, "biuf", "numbers");
  std::vector<float> values;
  visit_bytes(open(name), [&](std::span<const char> bytes, std::uint64_t) {
    values.resize(bytes.size() / found.item_size);
    npy_to_floats(found, bytes.data(), values.size(), values.data());
    block(values);
  });
}

std::int64_t NpzReader::read_integer(std::string_view name) {
  if (header(name).count() != 1) {
    throw DataError(
        {.what = "has shape " + header(name).shape_text(), .where = where(name), .expected = "one number"});
  }
  return read_integers(name).front();
}

std::string NpzReader::read_word(std::string_view name) {
  const NpyHeader found = header(name);
  if ((found.kind != 'S' && found.kind != 'U') || found.count() != 1 || found.item_size > 1024) {
    throw DataError({.what = "is " + found.describe(), .where = where(name), .expected = "one word"});
  }
  std::string word;
  visit_bytes(open(name), [&](std::span<const char> bytes, std::uint64_t) {
    const std::size_t step = found.kind == 'U' ? 4 : 1;
    for (std::size_t i = 0; i < bytes.size(); i += step) {
      if (bytes[i] != '\0') word += bytes[i];
    }
  });
  return word;
}

void NpzWriter::begin(const std::string& name, std::string_view descr,
                      std::initializer_list<std::uint64_t> shape) {
  const std::string header = npy_header(descr, {shape.begin(), shape.size()});
  // "<i8" and the like: the last character is the size of an element.
  std::uint64_t bytes = static_cast<std::uint64_t>(descr.back() - '0');
  for (const std::uint64_t extent : shape) bytes *= extent;
  archive_.begin(name + ".npy", header.size() + bytes);
  archive_.write(header);
}

}  // namespace privet::graph
