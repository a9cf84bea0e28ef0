#include "privet/proof/ledger.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>

#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/proof/ledger_report.hpp"
#include "proof/sample_ledger.hpp"
#include "proof/scratch_folder.hpp"

namespace privet::privacy {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the samples, not GoogleTest's

class LedgerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "ledger.sqlite"; }
  Ledger fresh(double epsilon = 1, double delta = 1e-6) const {
    return Ledger::create(file(), "edge", Epsilon(epsilon), Delta(delta), kWhen);
  }

 private:
  ScratchFolder folder_;
};

template <typename Kind>
std::string fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Kind& error) {
    return error.fault().what;
  }
  return "no fault";
}

TEST_F(LedgerTest, StartsEmptyAndPrivate) {
  Ledger ledger = fresh();
  const LedgerView view = ledger.view();
  EXPECT_EQ(view.created, kWhen);
  ASSERT_EQ(view.budgets.size(), 1u);
  EXPECT_EQ(view.budgets[0].cap, (Cost{1'000'000, 1'000'000'000'000}));
  EXPECT_EQ(view.budgets[0].spent, Cost{});
  EXPECT_TRUE(view.data.empty());
  EXPECT_EQ(view.entries.size(), 2u);
  ledger.reserve(request(0.1, 0));
  for (const char* suffix : {"", "-wal", "-shm"}) {
    struct stat status {};
    ASSERT_EQ(::stat((file().string() + suffix).c_str(), &status), 0) << suffix;
    EXPECT_EQ(status.st_mode & 0777, 0600u) << suffix;
  }
}

TEST_F(LedgerTest, TellsWhatWouldBeLeftAndSpendsNothing) {
  Ledger ledger = fresh();
  EXPECT_EQ(ledger.left_after(request(0.25, 1e-7)), (Cost{750'000, 900'000'000'000}));
  EXPECT_EQ(ledger.view().entries.size(), 2u);
  EXPECT_TRUE(ledger.view().data.empty());
  // What others spend meanwhile is seen, and refusals are those of a reservation.
  Ledger::open(file()).reserve(request(0.5, 0));
  EXPECT_EQ(ledger.left_after(request(0.5, 1e-6)), Cost{});
  EXPECT_THROW((void)ledger.left_after(request(0.500001, 0)), BudgetExceeded);
  LedgerRequest other = request(0.1, 0);
  other.unit = "record";
  EXPECT_THROW((void)ledger.left_after(other), InvalidArgument);
  other = request(0.1, 0);
  other.fingerprint = std::string(64, 'b');
  EXPECT_THROW((void)ledger.left_after(other), DataError);
  EXPECT_EQ(ledger.reserve(request(0.5, 0)).cost, (Cost{500'000, 0}));
}

TEST_F(LedgerTest, NeverReplacesAFile) {
  fresh();
  EXPECT_THROW(fresh(), IoError);
  EXPECT_EQ(Ledger::open(file()).view().entries.size(), 2u);
}

TEST_F(LedgerTest, TakesNoOtherLedgersLog) {
  write_text(file().string() + "-wal", "left over");
  EXPECT_THROW(fresh(), IoError);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(LedgerTest, LeavesNothingElseBehind) {
  { fresh(); }
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(file().parent_path()))
    ++files;
  EXPECT_EQ(files, 1u);
}

TEST_F(LedgerTest, SpendsToTheEndAndNotBeyond) {
  Ledger ledger = fresh();
  for (int i = 0; i < 10; ++i) ledger.reserve(request(0.1, 1e-7));
  EXPECT_EQ(ledger.view().budgets[0].left(), Cost{});
  EXPECT_THROW(ledger.reserve(request(1e-9, 0)), BudgetExceeded);
  EXPECT_THROW(ledger.reserve(request(0, 1e-30)), BudgetExceeded);
  ledger.reserve(request(0, 0));
  EXPECT_EQ(ledger.view().budgets[0].releases, 11u);
}

TEST_F(LedgerTest, ARefusalTellsWhatIsLeftAndSpendsNothing) {
  Ledger ledger = fresh();
  ledger.reserve(request(0.75, 5e-7));
  const std::string head = ledger.view().head.hash;
  EXPECT_EQ(fault_of<BudgetExceeded>([&] { ledger.reserve(request(0.5, 1e-7)); }),
            "the release costs epsilon 0.5, delta 1e-07 for the unit 'edge', but of the budget (epsilon 1, "
            "delta 1e-06) only epsilon 0.25, delta 5e-07 is left");
  try {
    ledger.reserve(request(0.1, 6e-7));
    FAIL();
  } catch (const BudgetExceeded& error) {
    EXPECT_NE(std::string(error.what()).find("what is short is delta"), std::string::npos) << error.what();
  }
  EXPECT_EQ(ledger.view().head.hash, head);
  ledger.reserve(request(0.25, 5e-7));
}

TEST_F(LedgerTest, UnitsAreKeptApart) {
  Ledger ledger = fresh();
  EXPECT_EQ(fault_of<InvalidArgument>([&] { ledger.reserve(request(0.1, 0, "node:20")); }),
            "has no budget for the unit 'node:20'");
  ledger.set_budget("node:20", Epsilon(8), Delta(1e-6), kWhen);
  ledger.reserve(request(7, 0, "node:20"));
  ledger.reserve(request(1, 0, "edge"));
  EXPECT_THROW(ledger.reserve(request(1, 0, "edge")), BudgetExceeded);
  EXPECT_EQ(ledger.view().budgets[1].left(), (Cost{1'000'000, 1'000'000'000'000}));
  EXPECT_THROW(ledger.set_budget("none", Epsilon(1), Delta(0), kWhen), InvalidArgument);
  EXPECT_THROW(ledger.set_budget("", Epsilon(1), Delta(0), kWhen), InvalidArgument);
}

TEST_F(LedgerTest, OtherDataAreRefusedUntilAdmittedAndThenCountOn) {
  Ledger ledger = fresh();
  ledger.reserve(request(0.9, 0));
  LedgerRequest other = request(0.1, 0);
  other.fingerprint = kOtherFingerprint;
  EXPECT_EQ(fault_of<DataError>([&] { ledger.reserve(other); }), "is for other data than these");
  EXPECT_EQ(ledger.admit_data(kOtherFingerprint, kWhen), Admission::kFurther);
  EXPECT_EQ(ledger.admit_data(kOtherFingerprint, kWhen), Admission::kKnown);  // twice is once
  ledger.reserve(other);
  EXPECT_THROW(ledger.reserve(other), BudgetExceeded);
  EXPECT_EQ(ledger.view().data, (std::vector{ledger.blind(kFingerprint), ledger.blind(kOtherFingerprint)}));
}

TEST_F(LedgerTest, TheFirstDataMayBeAdmittedToo) {
  Ledger ledger = fresh();
  EXPECT_EQ(ledger.admit_data(kFingerprint, kWhen), Admission::kFirst);
  EXPECT_EQ(ledger.admit_data(kFingerprint, kWhen), Admission::kKnown);
}

TEST_F(LedgerTest, ACapTooSmallToCountIsRefused) {
  EXPECT_THROW(fresh(1e-7), InvalidArgument);
  EXPECT_THROW(fresh(1, 1e-19), InvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(file()));
  Ledger ledger = fresh(1e-6, 1e-18);
  EXPECT_EQ(ledger.view().budgets[0].cap, (Cost{1, 1}));
  EXPECT_EQ(fault_of<InvalidArgument>([&] { ledger.set_budget("edge", Epsilon(9e-7), Delta(0), kWhen); }),
            "9e-07 is too small to be counted");
  ledger.set_budget("edge", Epsilon(0), Delta(0), kWhen);  // stops all spending, and says so
  EXPECT_EQ(ledger.view().budgets[0].cap, Cost{});
}

/// As for an auditor: no write permission, and no trace left beside the file. The name has all that a URI
/// could take for something else.
TEST_F(LedgerTest, WhoMayOnlyReadCanReadAndVerify) {
  const std::filesystem::path odd = file().parent_path() / "a b?immutable=0#%41&c.ledger";
  const std::string expected = to_text(ledger_json(sample_ledger(odd).view()));
  std::filesystem::permissions(odd, std::filesystem::perms::owner_read);
  EXPECT_EQ(to_text(ledger_json(read_ledger(odd))), expected);
  EXPECT_EQ(to_text(ledger_json(verify_ledger(odd))), expected);
  EXPECT_FALSE(std::filesystem::exists(odd.string() + "-wal"));
  EXPECT_FALSE(std::filesystem::exists(odd.string() + "-shm"));
}

/// Entries that are still in the log only are read as well.
TEST_F(LedgerTest, AReaderSeesWhatIsInTheLog) {
  Ledger writer = fresh();
  const Reservation reservation = writer.reserve(request(0.25, 0));
  ASSERT_GT(std::filesystem::file_size(file().string() + "-wal"), 0u);
  std::filesystem::permissions(file(), std::filesystem::perms::owner_read);
  EXPECT_EQ(read_ledger(file()).head, reservation.anchor);
  EXPECT_NO_THROW(verify_ledger(file(), std::vector{reservation.anchor}));
  std::filesystem::permissions(file(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(LedgerTest, AMissingAnchorNamesItsSource) {
  const LedgerView view = fresh().view();
  EXPECT_NO_THROW(require_anchor(view, view.head, "l", "a.json"));
  EXPECT_EQ(fault_of<DataError>([&] {
              require_anchor(view, {3, view.head.hash}, "l", "a.json");
            }),
            "entry 3, noted down in a.json, is gone: the ledger now ends at 2");
  EXPECT_EQ(fault_of<DataError>([&] {
              require_anchor(view, {1, view.head.hash}, "l", "a.json");
            }),
            "entry 1 is not the one that was noted down in a.json");
}

TEST_F(LedgerTest, HoldsTheFingerprintBlindedOnly) {
  {
    Ledger ledger = fresh();
    ledger.reserve(request(0.1, 0));
    EXPECT_EQ(ledger.view().data, std::vector{ledger.blind(kFingerprint)});
    EXPECT_EQ(to_text(ledger_json(ledger.view())).find(kFingerprint), std::string::npos);
  }
  EXPECT_EQ(read_text(file(), 1 << 20).find(kFingerprint), std::string::npos);
}

TEST_F(LedgerTest, ReservesThenCommits) {
  Ledger ledger = fresh();
  const Reservation one = ledger.reserve(request(0.5, 1e-7));
  EXPECT_EQ(ledger.view().budgets[0].uncommitted, 1u);
  ledger.commit(one, certificate_for(one), kWhen);
  const LedgerView view = ledger.view();
  EXPECT_EQ(view.budgets[0].uncommitted, 0u);
  EXPECT_EQ(view.budgets[0].spent, one.cost);
  EXPECT_EQ(view.entries[one.anchor.sequence - 1].hash, one.anchor.hash);
  EXPECT_THROW(ledger.commit(one, certificate_for(one), kWhen), InvalidArgument);
}

TEST_F(LedgerTest, ACertificateMustFitItsReservation) {
  Ledger ledger = fresh();
  const Reservation one = ledger.reserve(request(0.5, 1e-7));
  const auto refused = [&](auto change) {
    Certificate c = certificate_for(one);
    change(c);
    EXPECT_THROW(ledger.commit(one, c, kWhen), InvalidArgument);
  };
  refused([](Certificate& c) { c = unsound_certificate(); });
  refused([](Certificate& c) { c.unit = "directed-edge"; });
  refused([](Certificate& c) { c.data_fingerprint = "hmac-sha256:" + std::string(64, '0'); });
  refused([](Certificate& c) { c.ledger->sequence += 1; });
  refused([](Certificate& c) { c.ledger.reset(); });
  refused([](Certificate& c) { c.epsilon = 0.500001; });
  refused([](Certificate& c) { c.delta = 1.1e-7; });
  EXPECT_EQ(ledger.view().budgets[0].uncommitted, 1u);
  ledger.commit(one, certificate_for(one), kWhen);
}

TEST_F(LedgerTest, CrashBetweenReserveAndCommitIsSpent) {
  { fresh().reserve(request(0.75, 0)); }
  Ledger ledger = Ledger::open(file());
  EXPECT_EQ(ledger.view().budgets[0].spent, (Cost{750'000, 0}));
  EXPECT_THROW(ledger.reserve(request(0.5, 0)), BudgetExceeded);
}

TEST_F(LedgerTest, TwoOpenLedgersSeeEachOther) {
  Ledger one = fresh();
  Ledger two = Ledger::open(file());
  const Reservation first = one.reserve(request(0.5, 0));
  const Reservation second = two.reserve(request(0.25, 0));
  EXPECT_EQ(second.anchor.sequence, first.anchor.sequence + 1);
  EXPECT_THROW(one.reserve(request(0.5, 0)), BudgetExceeded);
  two.commit(first, certificate_for(first), kWhen);
  EXPECT_THROW(one.commit(first, certificate_for(first), kWhen), InvalidArgument);
  one.reserve(request(0.25, 0));
}

TEST_F(LedgerTest, RequestsAreChecked) {
  Ledger ledger = fresh();
  LedgerRequest bad = request(0.1, 0);
  bad.when = "now";
  EXPECT_THROW(ledger.reserve(bad), InvalidArgument);
  bad = request(0.1, 0);
  bad.fingerprint = "graph.npz";
  EXPECT_THROW(ledger.reserve(bad), InvalidArgument);
  bad = request(0.1, 0);
  bad.what.clear();
  EXPECT_THROW(ledger.reserve(bad), InvalidArgument);
  EXPECT_EQ(ledger.view().entries.size(), 2u);
}

TEST_F(LedgerTest, TextOfTheUserIsOnlyText) {
  Ledger ledger = fresh();
  ledger.set_budget("x'); DROP TABLE entries; --", Epsilon(1), Delta(0), kWhen);
  LedgerRequest hostile = request(0.5, 0, "x'); DROP TABLE entries; --");
  hostile.what = "\"}; DELETE FROM entries; \x1b[2J";
  ledger.reserve(hostile);
  EXPECT_EQ(verify_ledger(file()).budgets[1].spent, (Cost{500'000, 0}));
}

TEST_F(LedgerTest, RefusesWhatIsNoLedger) {
  EXPECT_THROW(Ledger::open(file()), IoError);
  EXPECT_THROW(Ledger::open(file().parent_path()), IoError);
  for (const std::string& content : {std::string(), std::string("SQLite format 3"), std::string(5000, 'x')}) {
    write_text(file(), content);
    EXPECT_THROW(Ledger::open(file()), DataError) << content.size();
    EXPECT_THROW(verify_ledger(file()), DataError) << content.size();
  }
}

/// Four processes spend from one ledger until nothing is left; together they spend the cap, to the last
/// millionth, and not more.
TEST_F(LedgerTest, ProcessesTogetherNeverExceedTheCap) {
  { fresh(); }
  constexpr int kProcesses = 4;
  constexpr double kEach = 0.007;
  std::array<int, 2> counts{};
  ASSERT_EQ(::pipe(counts.data()), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child > 0) {
      children.push_back(child);
      continue;
    }
    int granted = 0;
    int status = 1;
    try {
      Ledger ledger = Ledger::open(file());
      while (true) {
        const Reservation reservation = ledger.reserve(request(kEach, 0));
        ++granted;
        if (granted % 3 == 0) ledger.commit(reservation, certificate_for(reservation), kWhen);
      }
    } catch (const BudgetExceeded&) {
      status = 0;
    } catch (...) {
      status = 2;
    }
    if (::write(counts[1], &granted, sizeof granted) != sizeof granted) status = 3;
    ::_exit(status);
  }
  ::close(counts[1]);
  int total = 0;
  for (int i = 0; i < kProcesses; ++i) {
    int granted = 0;
    ASSERT_EQ(::read(counts[0], &granted, sizeof granted), static_cast<ssize_t>(sizeof granted));
    total += granted;
  }
  ::close(counts[0]);
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(total, 142);  // floor(1 / 0.007)
  const LedgerView view = verify_ledger(file());
  EXPECT_EQ(view.budgets[0].spent, (Cost{142 * 7'000, 0}));
}

/// A ledger that was once written opens for ever, says the same and can be spent from. Written with format 1
/// by Privet 0.1.0.
TEST_F(LedgerTest, OldLedgersLoad) {
  std::filesystem::copy_file(fixtures() / "ledger_1.sqlite", file());
  EXPECT_EQ(to_text(ledger_json(verify_ledger(file()))), read_text(fixtures() / "ledger_1.json", 1 << 20));
  EXPECT_EQ(ledger_text(verify_ledger(file())), read_text(fixtures() / "ledger_1.txt", 1 << 20));
  Ledger ledger = Ledger::open(file());
  EXPECT_EQ(ledger.view().data, (std::vector{ledger.blind(kFingerprint), ledger.blind(kOtherFingerprint)}));
  ledger.reserve(request(1.5, 0));
  EXPECT_THROW(ledger.reserve(request(0.000001, 0)), BudgetExceeded);
}

}  // namespace
}  // namespace privet::privacy
