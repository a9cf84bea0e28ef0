#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include "privet/accounting/events/approximate.hpp"
#include "privet/accounting/events/contractive_gaussian.hpp"
#include "privet/accounting/events/dpgnn.hpp"
#include "privet/accounting/events/gaussian.hpp"
#include "privet/accounting/events/laplace.hpp"
#include "privet/accounting/events/pure.hpp"
#include "privet/accounting/events/randomized_response.hpp"
#include "privet/accounting/events/row.hpp"
#include "privet/accounting/events/subsampled_gaussian.hpp"

namespace privet::privacy {

/// A list of kinds of events: what is done for every kind is made from it.
template <typename... Rows>
struct ListOfEvents {
  static_assert((EventRow<Rows> && ...),
                "a kind of event lacks a function of its row: see accounting/events/row.hpp");

  template <typename First, typename Last>
  using Variant = std::variant<First, Rows..., Last>;

  /// f.operator()<Row>() for every row in turn.
  template <typename F>
  static void for_each(const F& f) {
    (f.template operator()<Rows>(), ...);
  }

  static constexpr bool names_differ() {
    std::array<std::string_view, sizeof...(Rows)> names = {Rows::kName...};
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) == names.end();
  }
};

/// The kinds of events that there are.
using EventKinds = ListOfEvents<  //
    GaussianEvent,                //
    LaplaceEvent,                 //
    RandomizedResponseEvent,      //
    PureEvent,                    //
    ApproximateEvent,             //
    SubsampledGaussianEvent,      //
    ContractiveGaussianEvent,     //
    DpGnnEvent>;
static_assert(EventKinds::names_differ(), "two kinds of events have the same name");

}  // namespace privet::privacy
