#include "privet/base/options.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"

namespace privet {
namespace {

struct Example {
  std::uint64_t hops = 2;
  double rate = 0.5;
  bool residual = true;
  std::string layer = "gcn";
};

OptionTable table_of(Example& o) {
  OptionTable table("caribou");
  table.add("hops", o.hops, "number of hops", 1, 100);
  table.add("rate", o.rate, "learning rate", 0, 10);
  table.add("residual", o.residual, "keep the input");
  table.add("layer", o.layer, "kind of layer", {"gcn", "sage"});
  return table;
}

std::string fault_of(OptionTable& table, const std::string& assignment) {
  try {
    table.set_assignment(assignment);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OptionTable, WritesToTheStructItIsBoundTo) {
  Example o;
  OptionTable table = table_of(o);
  for (const char* assignment : {"hops=5", "rate=1e-3", "residual=no", "layer=sage"}) {
    table.set_assignment(assignment);
  }
  EXPECT_EQ(o.hops, 5u);
  EXPECT_EQ(o.rate, 1e-3);
  EXPECT_FALSE(o.residual);
  EXPECT_EQ(o.layer, "sage");
}

TEST(OptionTable, RemembersDefaultsForTheDocumentation) {
  Example o;
  const OptionTable table = table_of(o);
  o.hops = 9;
  EXPECT_EQ(table.options()[0].initial, "2");
  EXPECT_EQ(table.options()[0].current(), "9");
  EXPECT_EQ(table.options()[3].range, "one of gcn, sage");
}

TEST(OptionTable, FaultsSayWhatWasExpectedAndChangeNothing) {
  Example o;
  OptionTable table = table_of(o);
  EXPECT_EQ(fault_of(table, "hop=3"), "caribou: no option 'hop'; did you mean 'hops'?");
  EXPECT_EQ(fault_of(table, "hops=0"), "caribou option hops: 0 is out of range (expected 1 to 100)");
  EXPECT_EQ(fault_of(table, "hops=3x"), "caribou option hops: '3x' is not a whole number (expected digits)");
  EXPECT_EQ(fault_of(table, "hops=-3"), "caribou option hops: '-3' is not a whole number (expected digits)");
  EXPECT_EQ(fault_of(table, "rate=nan"), "caribou option rate: 'nan' is not a number");
  EXPECT_EQ(fault_of(table, "rate=11"), "caribou option rate: 11 is out of range (expected 0 to 10)");
  EXPECT_EQ(fault_of(table, "residual=maybe"), "caribou option residual: 'maybe' (expected yes or no)");
  EXPECT_EQ(fault_of(table, "layer=gnc"), "caribou option layer: no choice 'gnc'; did you mean 'gcn'?");
  EXPECT_EQ(fault_of(table, "hops"), "caribou options: 'hops' (expected name=value)");
  EXPECT_EQ(o.hops, 2u);
  EXPECT_EQ(o.rate, 0.5);
}

}  // namespace
}  // namespace privet
