#include "privet/core/memberships.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "privet/base/error.hpp"

namespace privet::privacy {
namespace {

[[noreturn]] void refuse(std::string what, std::string expected) {
  throw InvalidArgument({.what = std::move(what), .where = "memberships", .expected = std::move(expected)});
}

}  // namespace

std::vector<std::uint32_t> memberships_of(const tensor::Matrix& clusters) {
  std::vector<std::uint32_t> all(clusters.size());
  for (std::size_t i = 0; i < clusters.rows(); ++i) {
    const std::span<const float> row = clusters.row(i);
    double sum = 0;
    for (const float weight : row) {
      if (!(weight >= 0) || !std::isfinite(weight))
        refuse(fmt::format("{} for node {}", weight, i), "weights");
      sum += static_cast<double>(weight);
    }
    if (!(sum > 0) || !std::isfinite(sum)) refuse(fmt::format("no cluster for node {}", i), "at least one");
    const std::span<std::uint32_t> steps = std::span(all).subspan(i * row.size(), row.size());
    std::uint32_t given = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
      steps[a] = static_cast<std::uint32_t>(static_cast<double>(row[a]) / sum * (1 - 0x1p-40) *
                                            static_cast<double>(kMembershipSteps));
      given += steps[a];
    }
    *std::ranges::max_element(steps) += kMembershipSteps - given;
  }
  return all;
}

std::vector<std::uint32_t> hard_memberships(std::span<const std::int32_t> clusters, std::size_t count) {
  std::vector<std::uint32_t> all(clusters.size() * count);
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i] < 0 || static_cast<std::size_t>(clusters[i]) >= count) {
      refuse(fmt::format("cluster {} of node {}", clusters[i], i), fmt::format("below {}", count));
    }
    all[i * count + static_cast<std::size_t>(clusters[i])] = kMembershipSteps;
  }
  return all;
}

}  // namespace privet::privacy
