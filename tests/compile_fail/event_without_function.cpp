// expect: a kind of event lacks a function of its row
#include "privet/accounting/events/kinds.hpp"

using namespace privet::privacy;

#ifdef FORBIDDEN
// Knows its cost by no accountant.
struct UnaccountedEvent {
  double epsilon = 0;
  bool operator==(const UnaccountedEvent&) const = default;
  static constexpr std::string_view kName = "unaccounted";
  void check() const {}
  std::string describe() const { return "unaccounted(...)"; }
};
using Kinds = ListOfEvents<PureEvent, UnaccountedEvent>;
#else
using Kinds = ListOfEvents<PureEvent, ApproximateEvent>;
#endif

int main() { return Kinds::names_differ() ? 0 : 1; }
