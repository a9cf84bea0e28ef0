// The ledger against sudden death: processes that spend are killed at random moments, and nothing that they
// were granted is ever lost.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include "privet/base/error.hpp"
#include "privet/base/random.hpp"
#include "privet/proof/ledger.hpp"
#include "proof/sample_ledger.hpp"
#include "proof/scratch_folder.hpp"
#include "support/effort.hpp"

namespace privet::privacy {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the samples, not GoogleTest's

constexpr int kKills = 1000 / privet::testing::kFewerRuns;
constexpr int kKillsPerLedger = 40;

/// What a child says through the pipe once the ledger has said it: 'R' or 'C' and the reservation.
struct Word {
  char kind;
  std::uint64_t sequence;
};

/// Spends one thousandth after the other until it is killed.
[[noreturn]] void spend_for_ever(const std::filesystem::path& file, int pipe) {
  const auto say = [pipe](char kind, std::uint64_t sequence) {
    Word word{};
    word.kind = kind;
    word.sequence = sequence;
    if (::write(pipe, &word, sizeof word) != sizeof word) ::_exit(3);
  };
  try {
    Ledger ledger = Ledger::open(file);
    while (true) {
      const Reservation reservation = ledger.reserve(request(0.001, 0));
      say('R', reservation.anchor.sequence);
      ledger.commit(reservation, certificate_for(reservation), kWhen);
      say('C', reservation.anchor.sequence);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  ::_exit(2);
}

/// Everything that was said so far about one ledger.
struct Heard {
  std::set<std::uint64_t> reserved;
  std::set<std::uint64_t> committed;

  /// Takes up to `words` from the pipe; waits for each until the other end is closed.
  void listen(int pipe, std::size_t words) {
    Word word{};
    for (; words > 0 && ::read(pipe, &word, sizeof word) == sizeof word; --words) {
      (word.kind == 'R' ? reserved : committed).insert(word.sequence);
    }
  }
};

/// The ledger must verify, must hold all that was heard, and its sum must be that of its reservations.
void compare(const std::filesystem::path& file, const Heard& heard, std::size_t kills) {
  const LedgerView view = verify_ledger(file);
  std::set<std::uint64_t> reserved;
  std::set<std::uint64_t> committed;
  for (const LedgerEntry& entry : view.entries) {
    if (entry.kind == LedgerEntryKind::kReserve) reserved.insert(entry.sequence);
    if (entry.kind == LedgerEntryKind::kCommit) committed.insert(entry.reservation);
  }
  for (const std::uint64_t sequence : heard.reserved) ASSERT_TRUE(reserved.contains(sequence)) << sequence;
  for (const std::uint64_t sequence : heard.committed) ASSERT_TRUE(committed.contains(sequence)) << sequence;
  // Each death can hide at most one word.
  ASSERT_LE(reserved.size(), heard.reserved.size() + kills);
  ASSERT_LE(committed.size(), heard.committed.size() + kills);
  ASSERT_EQ(view.budgets[0].spent, (Cost{1000 * static_cast<std::int64_t>(reserved.size()), 0}));
  ASSERT_EQ(view.budgets[0].uncommitted, reserved.size() - committed.size());
}

TEST(LedgerCrash, KilledWritersLoseNothing) {
  SeededStream stream(3);
  std::size_t reservations = 0;
  std::size_t idle_kills = 0;
  std::unique_ptr<ScratchFolder> folder;
  std::filesystem::path file;
  Heard heard;
  for (int kill = 0; kill < kKills; ++kill) {
    if (kill % kKillsPerLedger == 0) {
      reservations += heard.reserved.size();
      heard = {};
      folder = std::make_unique<ScratchFolder>();
      file = folder->path() / "ledger.sqlite";
      Ledger::create(file, "edge", Epsilon(1000), Delta(0), kWhen);
    }
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(pipe[0]);
      spend_for_ever(file, pipe[1]);
    }
    ::close(pipe[1]);
    // Up to three words later, at any moment: 0 words is while the child opens the ledger.
    const std::size_t before = heard.reserved.size();
    heard.listen(pipe[0], stream.below(4));
    std::this_thread::sleep_for(std::chrono::microseconds(stream.below(5'000)));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
    heard.listen(pipe[0], SIZE_MAX);
    ::close(pipe[0]);
    idle_kills += heard.reserved.size() == before ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(compare(file, heard, static_cast<std::size_t>(kill % kKillsPerLedger + 1)))
        << "kill " << kill;
  }
  reservations += heard.reserved.size();
  std::printf("%d kills, %zu reservations, %zu kills before the first of a child\n", kKills, reservations,
              idle_kills);
  RecordProperty("kills", kKills);
  // Otherwise the kills came too early to prove anything.
  EXPECT_GT(reservations, static_cast<std::size_t>(kKills));
}

}  // namespace
}  // namespace privet::privacy
