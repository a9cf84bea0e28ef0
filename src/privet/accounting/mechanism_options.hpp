#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "privet/accounting/event.hpp"
#include "privet/base/options.hpp"

namespace privet::privacy {

/// A mechanism as people write it down, on the command line and in plan files: a kind, and the numbers that
/// this kind needs. None of them has a default but the number of times: a guess would be a guess about
/// privacy. A number that the kind or its sampling has no use for is a fault.
///
/// | kind | noise | other numbers |
/// | --- | --- | --- |
/// | gaussian | stddev | sensitivity, times |
/// | laplace | scale | sensitivity, times |
/// | randomized-response | epsilon_each | times |
/// | pure | epsilon_each | times |
/// | subsampled-gaussian | noise_multiplier | sampling, rate or population and batch, added, replaced, steps
/// | | contractive | stddev | lipschitz, hops, sensitivity | | dpgnn | noise_multiplier | nodes, batch,
/// max_degree, steps |
struct MechanismOptions {
  std::string kind;
  double sensitivity = kNoNumber;
  double stddev = kNoNumber;
  double scale = kNoNumber;
  double noise_multiplier = kNoNumber;
  double epsilon_each = kNoNumber;
  std::string sampling = "poisson";
  double rate = kNoNumber;
  std::uint64_t population = kNoCount;
  std::uint64_t batch = kNoCount;
  std::uint64_t added = kNoCount;  ///< 1 where neither added nor replaced is given
  std::uint64_t replaced = kNoCount;
  std::uint64_t times = kNoCount;  ///< 1 where it is not given, but steps must be
  double lipschitz = kNoNumber;
  std::uint64_t hops = kNoCount;
  std::uint64_t nodes = kNoCount;
  std::uint64_t max_degree = kNoCount;

  /// Not given.
  static constexpr double kNoNumber = -1;
  static constexpr std::uint64_t kNoCount = ~std::uint64_t{0};
};

struct MechanismKind {
  std::string name;
  std::string description;
  std::string noise;  ///< the option that says how much noise there is; calibration solves for it
};

const std::vector<MechanismKind>& mechanism_kinds();
const MechanismKind& find_mechanism_kind(std::string_view name);

/// The options of o.kind, bound to o.
OptionTable mechanism_table(MechanismOptions& o);

/// What the mechanism costs. A number that is missing is an InvalidArgument that names it.
Event mechanism_event(const MechanismOptions& o);

/// The number that calibration solves for, and whether more of it means more privacy (a noise scale) or less
/// (the epsilon of each answer).
double& mechanism_noise(MechanismOptions& o);
bool more_noise_is_more_private(const MechanismOptions& o);

}  // namespace privet::privacy
