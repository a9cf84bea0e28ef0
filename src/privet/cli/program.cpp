#include "privet/cli/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>

#include "privet/audit/refuted.hpp"
#include "privet/base/error.hpp"
#include "privet/base/file.hpp"
#include "privet/base/parallel.hpp"
#include "privet/base/progress.hpp"
#include "privet/base/version.hpp"
#include "privet/cli/account_command.hpp"
#include "privet/cli/arguments.hpp"
#include "privet/cli/audit_command.hpp"
#include "privet/cli/certificate_command.hpp"
#include "privet/cli/compare_command.hpp"
#include "privet/cli/data_command.hpp"
#include "privet/cli/ledger_command.hpp"
#include "privet/cli/methods_command.hpp"
#include "privet/cli/predict_command.hpp"
#include "privet/cli/report_command.hpp"
#include "privet/cli/train_command.hpp"
#include "privet/tensor/rows.hpp"

namespace privet::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kBadInput = 2;
constexpr int kRefused = 3;
constexpr int kRefuted = 4;

int exit_status(const Error& error) {
  if (dynamic_cast<const BudgetExceeded*>(&error) != nullptr ||
      dynamic_cast<const Unsound*>(&error) != nullptr) {
    return kRefused;
  }
  if (dynamic_cast<const audit::Refuted*>(&error) != nullptr) return kRefuted;
  if (dynamic_cast<const InvalidArgument*>(&error) != nullptr ||
      dynamic_cast<const DataError*>(&error) != nullptr || dynamic_cast<const IoError*>(&error) != nullptr) {
    return kBadInput;
  }
  return kFailed;
}

extern "C" void leave_nothing_behind(int signal) {
  remove_temporary_files();
  static constexpr char kText[] =
      "privet: interrupted; nothing half-written is left, and the finished runs of 'compare --out' are kept: "
      "the same command goes on with the others\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void declare(Command& root, bool& version_wanted) {
  root.flag("--version", version_wanted, "print the version and the instruction set in use");
  root.action([&version_wanted] {
    if (!version_wanted) {
      throw InvalidArgument({.what = "which command?", .remedy = "see privet --help"});
    }
    fmt::print("privet {} ({})\n", version(), tensor::instruction_set());
  });
  root.example("privet data make dcsbm -o demo/graph");
  root.example("privet train --method mlp --data demo/graph --unit edge --epsilon 1 --out model");
  root.example("privet compare --data demo/graph --methods mlp,gcn --unit edge --epsilons 1 --runs 5");
  root.example("privet calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1.4143");
  declare_data_command(root);
  declare_methods_command(root);
  declare_train_command(root);
  declare_compare_command(root);
  declare_predict_command(root);
  declare_audit_command(root);
  declare_account_command(root);
  declare_calibrate_command(root);
  declare_certificate_command(root);
  declare_ledger_command(root);
  declare_report_command(root);
}

// Whoever reads standard error may have gone too: then there is nobody to tell.
void complain(const char* what) noexcept {
  std::fputs("privet: ", stderr);
  std::fputs(what, stderr);
  std::fputs("\n", stderr);
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  std::signal(SIGINT, leave_nothing_behind);
  std::signal(SIGTERM, leave_nothing_behind);
  std::signal(SIGHUP, leave_nothing_behind);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  show_progress(::isatty(STDERR_FILENO) == 1);
  try {
    bool version_wanted = false;
    ArgumentParser parser("privet", "Private learning on graphs, with guarantees that are true.");
    declare(parser.root(), version_wanted);
    const bool asks = !arguments.empty() && arguments.front() == "help";
    std::vector<std::string> given(arguments.begin() + (asks ? 1 : 0), arguments.end());
    if (asks) given.emplace_back("--help");
    parser.run(given);
    if (std::fflush(stdout) != 0) {
      complain("can't write to standard output");
      return kFailed;
    }
    return 0;
  } catch (const Error& error) {
    complain(error.what());
    return exit_status(error);
  } catch (const std::bad_alloc&) {
    complain("not enough memory");
    return kFailed;
  } catch (const std::exception& error) {
    complain(error.what());
    return kFailed;
  }
}

}  // namespace privet::cli
