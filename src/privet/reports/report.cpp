#include "privet/reports/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "privet/reports/wire.hpp"

namespace privet::privacy {
namespace {

constexpr std::byte kVersion{1};
constexpr std::int64_t kMostDegree = std::int64_t{1} << 52;

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
  put_number(report.own, bytes);
  for (const std::int64_t degree : report.degrees)
    put_number(zigzag(std::clamp(degree, -kMostDegree, kMostDegree)), bytes);
  put_number(report.ones.size(), bytes);
  graph::NodeId next = 0;
  for (const graph::NodeId one : report.ones) {
    put_number(one - next, bytes);
    next = one + 1;
  }
  return bytes;
}

LocalReport decode(std::span<const std::byte> bytes, const LocalQuery& query, const Digest& query_digest) {
  WireReader reader(bytes, "local report");
  if (reader.take(1).front() != kVersion) reader.refuse("another version of the format");
  LocalReport report;
  std::memcpy(report.query.data(), reader.take(report.query.size()).data(), report.query.size());
  if (report.query != query_digest) reader.refuse("the answer to another query");
  const std::uint64_t own = reader.number();
  if (own >= query.nodes) reader.refuse(fmt::format("client {} of {}", own, query.nodes));
  report.own = static_cast<graph::NodeId>(own);
  report.degrees.resize(query.clusters);
  for (std::int64_t& degree : report.degrees) {
    degree = unzigzag(reader.number());
    if (degree > kMostDegree || degree < -kMostDegree) reader.refuse("a degree is out of range");
  }
  const std::uint64_t count = reader.number();
  if (count > reader.left()) reader.refuse("bytes are missing");  // before memory is asked for
  if (count > 0 && query.bits_epsilon == 0) reader.refuse("bits that were not asked for");
  report.ones.reserve(count);
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = reader.number();
    if (gap >= query.nodes || next + gap >= query.nodes) reader.refuse("a neighbour's id is out of range");
    const auto one = static_cast<graph::NodeId>(next + gap);
    if (!asks(query, report.own, one)) reader.refuse("a bit that was not asked for");
    report.ones.push_back(one);
    next = std::uint64_t{one} + 1;
  }
  if (reader.left() > 0) reader.refuse("bytes behind the end");
  return report;
}

}  // namespace privet::privacy
