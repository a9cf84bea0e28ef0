#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "privet/graph/io/npy.hpp"
#include "privet/graph/io/source.hpp"
#include "privet/graph/io/zip_reader.hpp"
#include "privet/graph/io/zip_writer.hpp"

namespace privet::graph {

/// Stands for any extent in NpzReader::expect_shape.
inline constexpr std::uint64_t kAnyExtent = ~std::uint64_t{0};

/// Reads the plain arrays of a NumPy `.npz` archive, in blocks. Pickled arrays are never touched: they can be
/// in the archive, and asking for one is a DataError. So are big-endian and Fortran-ordered arrays, a type
/// other than the one asked for, and a member whose size is not what its header promises. Errors name the
/// archive and the array.
class NpzReader {
 public:
  explicit NpzReader(const Source& source);

  /// Names without `.npy`, in the order of the archive.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool has(std::string_view name) const;
  /// The first of the names that is there.
  [[nodiscard]] std::optional<std::string> first_of(std::initializer_list<std::string_view> names) const;
  /// The array's header, read once. The array has to be there.
  const NpyHeader& header(std::string_view name);
  /// "archive: array", what errors about an array begin with.
  [[nodiscard]] std::string where(std::string_view name) const;

  void expect_shape(std::string_view name, std::initializer_list<std::uint64_t> extents);

  /// Visits the elements of an array of exactly type T, in order, in blocks of bounded size.
  template <typename T>
  void visit(std::string_view name, const std::function<void(std::span<const T>)>& block);
  /// All elements of an array of exactly type T. T: std::int32_t, std::int64_t, std::uint8_t, float.
  template <typename T>
  std::vector<T> read(std::string_view name);
  template <typename T>
  void read_into(std::string_view name, std::span<T> values);

  /// The same for any integer or bool type, widened, and for any float, integer or bool type as float32.
  void visit_integers(std::string_view name, const std::function<void(std::span<const std::int64_t>)>& block);
  std::vector<std::int64_t> read_integers(std::string_view name);
  void visit_floats(std::string_view name, const std::function<void(std::span<const float>)>& block);
  /// The one element of an array with one element.
  std::int64_t read_integer(std::string_view name);
  /// The text of a 0-dimensional bytes or text array ('csr' in SciPy's files).
  std::string read_word(std::string_view name);

 private:
  struct Array {
    std::string name;
    std::size_t member = 0;
    std::optional<NpyHeader> header;
    std::size_t data_begin = 0;
  };

  Array& find(std::string_view name);
  Array& open(std::string_view name);
  void expect_type(std::string_view name, const NpyHeader& header, char kind, std::size_t item_size) const;
  void expect_numbers(std::string_view name, const NpyHeader& header, std::string_view kinds,
                      std::string_view expected) const;
  void visit_bytes(Array& array,
                   const std::function<void(std::span<const char>, std::uint64_t first)>& block);

  std::string name_;
  ZipReader archive_;
  std::vector<Array> arrays_;
  std::vector<char> buffer_;
};

/// Writes a `.npz` archive that numpy.load reads without pickle, whole or not at all, with stable bytes.
class NpzWriter {
 public:
  explicit NpzWriter(const std::filesystem::path& target) : archive_(target) {}

  /// Begins an array; exactly as many elements as the shape says have to follow.
  void begin(const std::string& name, std::string_view descr, std::initializer_list<std::uint64_t> shape);
  template <typename T>
  void write(std::span<const T> values) {
    archive_.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  void commit() { archive_.commit(); }

 private:
  ZipWriter archive_;
};

}  // namespace privet::graph
