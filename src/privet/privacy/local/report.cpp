#include "privet/privacy/local/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

constexpr std::byte kVersion{1};
constexpr std::int64_t kMostDegree = std::int64_t{1} << 52;

[[noreturn]] void refuse(std::string what) {
  throw DataError({.what = std::move(what), .where = "local report"});
}

void put(std::uint64_t number, std::vector<std::byte>& bytes) {
  for (; number >= 0x80; number >>= 7U) bytes.push_back(static_cast<std::byte>((number & 0x7fU) | 0x80U));
  bytes.push_back(static_cast<std::byte>(number));
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> take(std::size_t count) {
    if (bytes_.size() < count) refuse("bytes are missing");
    const std::span<const std::byte> taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(take(1).front());
      value |= (byte & 0x7fU) << shift;
      if (byte >= 0x80) continue;
      if (byte == 0 && shift > 0) refuse("a number is not in its shortest form");
      return value;
    }
    refuse("a number is too long");
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
}

std::int64_t unzigzag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1U) ^ -static_cast<std::int64_t>(number & 1U);
}

}  // namespace

std::vector<std::byte> encode(const LocalReport& report) {
  std::vector<std::byte> bytes;
  bytes.reserve(1 + report.query.size() + 8 * report.degrees.size() + 2 * report.ones.size() + 16);
  bytes.push_back(kVersion);
  const std::span<const std::byte> query = std::as_bytes(std::span(report.query));
  bytes.insert(bytes.end(), query.begin(), query.end());
  put(report.own, bytes);
  for (const std::int64_t degree : report.degrees)
    put(zigzag(std::clamp(degree, -kMostDegree, kMostDegree)), bytes);
  put(report.ones.size(), bytes);
  graph::NodeId next = 0;
  for (const graph::NodeId one : report.ones) {
    put(one - next, bytes);
    next = one + 1;
  }
  return bytes;
}

LocalReport decode(std::span<const std::byte> bytes, const LocalQuery& query, const Digest& query_digest) {
  Reader reader(bytes);
  if (reader.take(1).front() != kVersion) refuse("another version of the format");
  LocalReport report;
  std::memcpy(report.query.data(), reader.take(report.query.size()).data(), report.query.size());
  if (report.query != query_digest) refuse("the answer to another query");
  const std::uint64_t own = reader.number();
  if (own >= query.nodes) refuse(fmt::format("client {} of {}", own, query.nodes));
  report.own = static_cast<graph::NodeId>(own);
  report.degrees.resize(query.clusters);
  for (std::int64_t& degree : report.degrees) {
    degree = unzigzag(reader.number());
    if (degree > kMostDegree || degree < -kMostDegree) refuse("a degree is out of range");
  }
  const std::uint64_t count = reader.number();
  if (count > reader.left()) refuse("bytes are missing");  // before memory is asked for
  if (count > 0 && query.bits_epsilon == 0) refuse("bits that were not asked for");
  report.ones.reserve(count);
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = reader.number();
    if (gap >= query.nodes || next + gap >= query.nodes) refuse("a neighbour's id is out of range");
    const auto one = static_cast<graph::NodeId>(next + gap);
    if (!asks(query, report.own, one)) refuse("a bit that was not asked for");
    report.ones.push_back(one);
    next = std::uint64_t{one} + 1;
  }
  if (reader.left() > 0) refuse("bytes behind the end");
  return report;
}

}  // namespace privet::privacy
