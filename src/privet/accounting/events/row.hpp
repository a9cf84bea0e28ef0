#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "privet/accounting/sampling.hpp"

namespace privet::privacy {

/// Of losses and divergences.
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

class LossBag;
struct MechanismKind;

/// One number of an event and its key in JSON.
template <typename Row, typename Value>
struct EventField {
  std::string_view key;
  Value Row::*member;
};
template <typename Row, typename Value>
constexpr EventField<Row, Value> event_field(std::string_view key, Value Row::*member) {
  return {key, member};
}

/// What a release that was accounted as an event must say of itself (core/release_check.hpp).
struct ReleaseForm {
  std::optional<double> multiplier = {};  ///< noise scale over sensitivity, where the release states both
  double stddev = 1;                      ///< of noise of scale 1
  std::optional<Sampling> sampling = {};
  std::uint64_t hops = 1;  ///< a release may count its runs so as well
};

/// A kind of event is one row: a struct of numbers, and everything that anybody asks of it. A row lives in a
/// header and a source of its own beside this one, and stands in the list of kinds.hpp. From that list are
/// made the variant `Event::Kind`, reading and writing of JSON, all accountants, the check of releases and
/// `privet account`; a row that lacks one of the functions does not compile.
///
/// All bounds hold for both orders of the two neighbouring data sets, and none is ever not-a-number.
template <typename Row>
concept EventRow = std::regular<Row> && requires(const Row& row, double number, LossBag& bag) {
  /// In JSON and in descriptions.
  { Row::kName } -> std::convertible_to<std::string_view>;
  /// A tuple of EventField: all numbers of the event, in the order in which JSON has them.
  std::tuple_size<decltype(Row::fields())>::value;
  /// Throws an InvalidArgument that names the number that is out of range.
  { row.check() } -> std::same_as<void>;
  /// "gaussian(noise multiplier 4.22)".
  { row.describe() } -> std::same_as<std::string>;

  /// RDP: (alpha - 1) times the Renyi divergence of order alpha > 1; kUnbounded where none is known.
  { row.log_moment(number) } -> std::same_as<double>;
  /// Gaussian DP: its mu, where it is that.
  { row.gaussian_mu() } -> std::same_as<std::optional<double>>;
  /// Pure DP: the epsilon that no loss exceeds; kUnbounded where there is none.
  { row.largest_loss() } -> std::same_as<double>;
  /// Approximate DP: the delta with which the mechanism may fail altogether; 0 where only its loss matters.
  { row.failure_probability() } -> std::same_as<double>;
  /// PLD: puts a pair that dominates the event, so many times over, into the bag.
  { row.add_losses(bag, number) } -> std::same_as<void>;
  /// Whether mechanisms with these numbers may cost as much as the row says, so that no accounting can say
  /// less; else the row's losses are themselves an upper bound of what the mechanism costs.
  { row.is_attained() } -> std::same_as<bool>;
  /// How many examples of a clipped sum one change reaches beyond what the noise multiplier counts; 0 where
  /// there is no such sum.
  { row.examples_reached() } -> std::same_as<std::uint64_t>;

  /// The law of the noise: a mechanism named in a row was accounted as an event of that row's law.
  { Row::kLaw } -> std::convertible_to<std::string_view>;
  /// An array of the names of the mechanisms (core/mechanisms/) that are accounted as this kind.
  { *std::begin(Row::kMechanisms) } -> std::convertible_to<std::string_view>;
  { row.release_form() } -> std::same_as<ReleaseForm>;
  /// How `privet account` and plan files write it down (mechanism_options.hpp); nullptr where they do not.
  { Row::written() } -> std::same_as<const MechanismKind*>;
};

}  // namespace privet::privacy
