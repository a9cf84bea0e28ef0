#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace privet::graph {

/// What the header of a NumPy `.npy` array says (numpy.lib.format, versions 1.0 to 3.0).
struct NpyHeader {
  std::string descr;  ///< as written, such as `<i4`; "structured" for a record type
  char byte_order = '|';
  char kind = 'V';  ///< b bool, i int, u unsigned, f float, S bytes, U text, O pickled objects, V the rest
  std::size_t item_size = 0;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;

  /// Elements in all. Always small enough that count() * item_size fits 64 bits.
  [[nodiscard]] std::uint64_t count() const noexcept;
  /// Such as "int32 (5278, 2)".
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] std::string shape_text() const;
};

/// The bytes of the fixed part: magic, version and length of the text that follows.
inline constexpr std::size_t kNpyPreamble = 12;

/// How many bytes of header text follow the preamble's first 10 (version 1.0) or 12 bytes, and where they
/// begin. A DataError naming `where` when it is not an npy array.
struct NpyPreamble {
  std::size_t text_begin = 0;
  std::size_t text_size = 0;
};
NpyPreamble parse_npy_preamble(std::span<const char> bytes, const std::string& where);

/// Reads the header's text, a Python dictionary literal; nothing is evaluated. A DataError naming `where`.
NpyHeader parse_npy_header(std::string_view text, const std::string& where);

/// Preamble and header (version 1.0, padded to 64 bytes) of a C-ordered array.
std::string npy_header(std::string_view descr, std::span<const std::uint64_t> shape);

/// "int32" for ('i', 4) and so on.
std::string npy_type_name(char kind, std::size_t item_size);

/// Widens `count` elements of an integer or bool type; false when one does not fit 64 signed bits (its index
/// in `bad`).
bool npy_to_integers(const NpyHeader& header, const char* bytes, std::size_t count, std::int64_t* out,
                     std::size_t& bad);

/// Converts `count` elements of a float, integer or bool type to float32.
void npy_to_floats(const NpyHeader& header, const char* bytes, std::size_t count, float* out);

}  // namespace privet::graph
