#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "privet/accounting/event.hpp"
#include "privet/base/options.hpp"

namespace privet::privacy {

/// A mechanism as people write it down, on the command line and in plan files: a kind, and the numbers that
/// this kind needs. None of them has a default but the number of times: a guess would be a guess about
/// privacy. A number that the kind or its sampling has no use for is a fault. Each row of accounting/events/
/// says which numbers its kind takes.
struct MechanismOptions {
  std::string kind;
  std::string sampling = "poisson";
  std::uint64_t times = kNoCount;  ///< 1 where it is not given, but steps must be

  /// Not given.
  static constexpr double kNoNumber = -1;
  static constexpr std::uint64_t kNoCount = ~std::uint64_t{0};

  /// The place of a number; it is kNoNumber, or kNoCount, until somebody gives it.
  double& number(const std::string& name) { return numbers_.try_emplace(name, kNoNumber).first->second; }
  std::uint64_t& count(const std::string& name) { return counts_.try_emplace(name, kNoCount).first->second; }

  [[nodiscard]] bool has(const std::string& name) const;
  /// One that is missing is an InvalidArgument that names it.
  [[nodiscard]] double given(const std::string& name) const;
  [[nodiscard]] std::uint64_t given_count(const std::string& name) const;

 private:
  std::map<std::string, double> numbers_;
  std::map<std::string, std::uint64_t> counts_;
};

/// How one kind is written down.
struct MechanismKind {
  std::string name;
  std::string description;
  std::string noise;  ///< the number that says how much noise there is; calibration solves for it
  bool more_is_more_private = true;  ///< false where that number is the epsilon of each answer
  bool counts_steps = false;         ///< whether the number of times is called steps, and must be given
  void (*add_options)(OptionTable& table, MechanismOptions& o) = nullptr;
  Event (*event)(const MechanismOptions& o) = nullptr;
};

/// What several kinds ask for, in the same words and ranges.
void add_noise_option(OptionTable& table, MechanismOptions& o, const std::string& name,
                      std::string description);
void add_count_option(OptionTable& table, MechanismOptions& o, const std::string& name,
                      std::string description, std::uint64_t least);
void add_epsilon_option(OptionTable& table, MechanismOptions& o);

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
