#include "privet/graph/io/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "privet/base/error.hpp"

namespace privet::graph {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are read and written in place");

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy's own headers are a few hundred bytes; record types can make them long, but those are not read.
constexpr std::size_t kMaxHeaderText = 1 << 16;
constexpr std::size_t kMaxDimensions = 32;

// The few forms of Python literals that a header holds.
class Literal {
 public:
  Literal(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError({.what = fmt::format("npy header: {} at character {}", what, at_), .where = where_});
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(fmt::format("no '{}'", c));
  }

  bool at_quote() {
    skip_space();
    return at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"');
  }

  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }

  std::string string() {
    if (!at_quote()) fail("no string");
    const char quote = text_[at_++];
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a string does not end");
    std::string value(text_.substr(at_, end - at_));
    if (value.find('\\') != std::string::npos) fail("an escape in a string");
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail("neither True nor False");
  }

  std::vector<std::uint64_t> tuple() {
    expect('(');
    std::vector<std::uint64_t> values;
    while (!accept(')')) {
      std::uint64_t value = 0;
      skip_space();
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
      if (error != std::errc{}) fail("no whole number");
      at_ += static_cast<std::size_t>(end - begin);
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers so
      values.push_back(value);
      if (values.size() > kMaxDimensions) fail("too many dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  // A list or tuple that describes a record type; only its end matters.
  void skip_nested() {
    std::size_t depth = 0;
    do {
      skip_space();
      if (at_ >= text_.size()) fail("a list does not end");
      if (at_quote()) {
        string();
        continue;
      }
      const char c = text_[at_++];
      if (c == '[' || c == '(' || c == '{') ++depth;
      if (c == ']' || c == ')' || c == '}') --depth;
    } while (depth > 0);
  }

  bool at_list() {
    skip_space();
    return at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(' || text_[at_] == '{');
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

void set_type(NpyHeader& header, const Literal& literal) {
  std::string_view rest = header.descr;
  if (!rest.empty() && std::string_view("<>|=").find(rest.front()) != std::string_view::npos) {
    header.byte_order = rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty()) literal.fail("an empty type");
  header.kind = rest.front();
  rest.remove_prefix(1);
  if (header.kind == 'O') {
    header.item_size = 8;
    return;
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), header.item_size);
  const bool whole = error == std::errc{} && end == rest.data() + rest.size();
  if (!whole || std::string_view("biufSU").find(header.kind) == std::string_view::npos) {
    header.kind = 'V';  // dates, complex numbers, records: known, not read
    header.item_size = 0;
    return;
  }
  if (header.item_size > (std::size_t{1} << 24)) literal.fail("an absurd item size");
  if (header.kind == 'U') header.item_size *= 4;
}

template <typename From>
bool widen(const char* bytes, std::size_t count, std::int64_t* out, std::size_t& bad) {
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, bytes + i * sizeof(From), sizeof(From));
    if constexpr (std::is_same_v<From, std::uint64_t>) {
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        bad = i;
        return false;
      }
    }
    out[i] = static_cast<std::int64_t>(value);
  }
  return true;
}

template <typename From>
void narrow(const char* bytes, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, bytes + i * sizeof(From), sizeof(From));
    if constexpr (std::is_same_v<From, double>) {
      // A cast of what float32 can't hold is undefined; what is not finite is refused by the caller.
      constexpr double kMost = std::numeric_limits<float>::max();
      if (std::abs(value) > kMost) value = std::copysign(std::numeric_limits<double>::infinity(), value);
    }
    out[i] = static_cast<float>(value);
  }
}

float half_to_float(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int fraction = half & 0x3ff;
  const float sign = (half & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 31) {
    return fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                         : sign * std::numeric_limits<float>::infinity();
  }
  return sign * std::ldexp(static_cast<float>(fraction | 0x400), exponent - 25);
}

}  // namespace

std::uint64_t NpyHeader::count() const noexcept {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : shape) product *= extent;
  return product;
}

std::string NpyHeader::shape_text() const {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += fmt::format("{}{}", i > 0 ? ", " : "", shape[i]);
  }
  return text + ")";
}

std::string NpyHeader::describe() const {
  const std::string type = std::string_view("biuf").find(kind) != std::string_view::npos
                               ? npy_type_name(kind, item_size)
                           : kind == 'O' ? std::string("pickled objects")
                                         : fmt::format("type {}", descr);
  return fmt::format("{} {}", type, shape_text());
}

std::string npy_type_name(char kind, std::size_t item_size) {
  switch (kind) {
    case 'b':
      return "bool";
    case 'i':
      return fmt::format("int{}", item_size * 8);
    case 'u':
      return fmt::format("uint{}", item_size * 8);
    case 'f':
      return fmt::format("float{}", item_size * 8);
    default:
      return fmt::format("{}{}", kind, item_size);
  }
}

NpyPreamble parse_npy_preamble(std::span<const char> bytes, const std::string& where) {
  if (bytes.size() < 10 || std::string_view(bytes.data(), kMagic.size()) != kMagic) {
    throw DataError({.what = "is not a NumPy array", .where = where});
  }
  const int major = static_cast<unsigned char>(bytes[6]);
  NpyPreamble preamble;
  std::size_t length_bytes = 0;
  if (major == 1) {
    length_bytes = 2;
  } else if (major == 2 || major == 3) {
    length_bytes = 4;
  } else {
    throw DataError({.what = fmt::format("npy version {}", major), .where = where, .expected = "1 to 3"});
  }
  preamble.text_begin = 8 + length_bytes;
  if (bytes.size() < preamble.text_begin) throw DataError({.what = "is truncated", .where = where});
  for (std::size_t i = 0; i < length_bytes; ++i) {
    preamble.text_size |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  }
  if (preamble.text_size > kMaxHeaderText) {
    throw DataError({.what = fmt::format("an npy header of {} bytes", preamble.text_size), .where = where});
  }
  return preamble;
}

NpyHeader parse_npy_header(std::string_view text, const std::string& where) {
  NpyHeader header;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  Literal literal(text, where);
  literal.expect('{');
  while (!literal.accept('}')) {
    const std::string key = literal.string();
    literal.expect(':');
    if (key == "descr") {
      has_descr = true;
      if (literal.at_quote()) {
        header.descr = literal.string();
      } else if (literal.at_list()) {
        literal.skip_nested();
        header.descr = "structured";
      } else {
        literal.fail("no type");
      }
    } else if (key == "fortran_order") {
      header.fortran_order = literal.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.shape = literal.tuple();
      has_shape = true;
    } else {
      literal.fail(fmt::format("unknown key '{}'", key));
    }
    if (!literal.accept(',')) {
      literal.expect('}');
      break;
    }
  }
  if (!literal.at_end()) literal.fail("something follows");
  if (!has_descr || !has_order || !has_shape) literal.fail("descr, fortran_order or shape is missing");
  if (header.descr != "structured") set_type(header, literal);
  // The product is formed once, with care, so that count() never overflows.
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / std::max<std::size_t>(header.item_size, 1);
  for (const std::uint64_t extent : header.shape) {
    if (extent == 0) return header;
    if (extent > most) literal.fail(fmt::format("an impossible shape {}", header.shape_text()));
    most /= extent;
  }
  return header;
}

std::string npy_header(std::string_view descr, std::span<const std::uint64_t> shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (", descr);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += fmt::format("{}{}", i > 0 ? ", " : "", shape[i]);
  }
  text += shape.size() == 1 ? ",), }" : "), }";
  const std::size_t unpadded = 10 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

bool npy_to_integers(const NpyHeader& header, const char* bytes, std::size_t count, std::int64_t* out,
                     std::size_t& bad) {
  const bool is_signed = header.kind == 'i';
  switch (header.item_size) {
    case 1:
      return is_signed ? widen<std::int8_t>(bytes, count, out, bad)
                       : widen<std::uint8_t>(bytes, count, out, bad);
    case 2:
      return is_signed ? widen<std::int16_t>(bytes, count, out, bad)
                       : widen<std::uint16_t>(bytes, count, out, bad);
    case 4:
      return is_signed ? widen<std::int32_t>(bytes, count, out, bad)
                       : widen<std::uint32_t>(bytes, count, out, bad);
    default:
      return is_signed ? widen<std::int64_t>(bytes, count, out, bad)
                       : widen<std::uint64_t>(bytes, count, out, bad);
  }
}

void npy_to_floats(const NpyHeader& header, const char* bytes, std::size_t count, float* out) {
  if (header.kind == 'f') {
    if (header.item_size == 4) {
      std::memcpy(out, bytes, count * sizeof(float));
    } else if (header.item_size == 8) {
      narrow<double>(bytes, count, out);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t half = 0;
        std::memcpy(&half, bytes + i * sizeof(half), sizeof(half));
        out[i] = half_to_float(half);
      }
    }
    return;
  }
  const bool is_signed = header.kind == 'i';
  switch (header.item_size) {
    case 1:
      return is_signed ? narrow<std::int8_t>(bytes, count, out) : narrow<std::uint8_t>(bytes, count, out);
    case 2:
      return is_signed ? narrow<std::int16_t>(bytes, count, out) : narrow<std::uint16_t>(bytes, count, out);
    case 4:
      return is_signed ? narrow<std::int32_t>(bytes, count, out) : narrow<std::uint32_t>(bytes, count, out);
    default:
      return is_signed ? narrow<std::int64_t>(bytes, count, out) : narrow<std::uint64_t>(bytes, count, out);
  }
}

}  // namespace privet::graph
