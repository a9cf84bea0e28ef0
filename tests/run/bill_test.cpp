#include "privet/run/bill.hpp"

#include <gtest/gtest.h>

#include "privet/base/error.hpp"
#include "proof/sample_ledger.hpp"
#include "proof/scratch_folder.hpp"

namespace privet::methods {
namespace {

using privacy::testing::kOtherFingerprint;
using privacy::testing::kWhen;
using privacy::testing::request;
using privacy::testing::ScratchFolder;

class BillTest : public ::testing::Test {
 protected:
  BillTest() {
    (void)privacy::Ledger::create(file(), "edge", privacy::Epsilon(1), privacy::Delta(1e-6), kWhen);
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "ledger.sqlite"; }

 private:
  ScratchFolder folder_;
};

// Ten times 0.1 is 1 here, as it is not in binary fractions.
TEST_F(BillTest, IsPaidToTheLastMillionth) {
  Bill bill;
  bill.add(request(0.1, 1e-7), 10);
  EXPECT_NO_THROW(bill.require_funds(file()));
  bill.add(request(1e-6, 0), 1);
  EXPECT_THROW(bill.require_funds(file()), BudgetExceeded);
}

TEST_F(BillTest, CountsDeltaToo) {
  Bill bill;
  bill.add(request(0.01, 1e-7), 11);
  EXPECT_THROW(bill.require_funds(file()), BudgetExceeded);
}

TEST_F(BillTest, WhatFitsNoNumberIsNotPaid) {
  for (const std::uint64_t times : {std::uint64_t{10'000'000'000'000}, ~std::uint64_t{0}}) {
    Bill bill;
    bill.add(request(1e-5, 0.5), times);
    bill.add(request(1e-5, 0.5), times);
    EXPECT_THROW(bill.require_funds(file()), BudgetExceeded);
  }
}

TEST_F(BillTest, ALedgerIsForOneDataSet) {
  Bill bill;
  privacy::LedgerRequest other = request(0.1, 0);
  other.fingerprint = kOtherFingerprint;
  bill.add(request(0.1, 0), 1);
  bill.add(other, 0);
  EXPECT_NO_THROW(bill.require_funds(file()));
  bill.add(other, 1);
  EXPECT_THROW(bill.require_funds(file()), DataError);
}

TEST_F(BillTest, NothingIsPaidByAnybody) { EXPECT_NO_THROW(Bill().require_funds("nowhere")); }

}  // namespace
}  // namespace privet::methods
