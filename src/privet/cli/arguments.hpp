#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace privet::cli {

/// One command of the program as it is declared: its arguments, its subcommands and what it does. A thin page
/// over the argument parser, so that errors, help and suggestions are the same everywhere.
///
///     Command& make = data.command("make", "makes a data set");
///     make.positional("KIND", request.kind, "what to make");
///     make.option("--seed", request.seed, "seed of the generator");
///     make.example("privet data make sbm -o graph --set nodes=100");
///     make.action([&] { ... });
class Command {
 public:
  Command& positional(const std::string& name, std::string& target, const std::string& help);
  Command& optional_positional(const std::string& name, std::string& target, const std::string& help);
  Command& option(const std::string& flags, std::string& target, const std::string& help);
  Command& option(const std::string& flags, std::optional<std::string>& target, const std::string& help);
  Command& option(const std::string& flags, std::uint64_t& target, const std::string& help);
  Command& option(const std::string& flags, std::optional<std::uint64_t>& target, const std::string& help);
  Command& option(const std::string& flags, double& target, const std::string& help);
  Command& option(const std::string& flags, std::optional<double>& target, const std::string& help);
  /// Anything else: `assign` is called with the text.
  Command& option(const std::string& flags, const std::string& type, const std::string& help,
                  const std::function<void(const std::string& text)>& assign);
  /// May be given several times.
  Command& option(const std::string& flags, std::vector<std::string>& target, const std::string& help);
  Command& flag(const std::string& flags, bool& target, const std::string& help);
  /// The option last declared must be given.
  Command& required();

  Command& example(const std::string& line);
  Command& action(std::function<void()> action);
  /// A subcommand; it lives as long as this command.
  Command& command(const std::string& name, const std::string& summary);

 private:
  friend class ArgumentParser;
  struct Impl;
  explicit Command(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;

 public:
  ~Command();
};

/// The program: declares commands on root(), then parses and runs one.
class ArgumentParser {
 public:
  ArgumentParser(const std::string& name, const std::string& summary);
  ~ArgumentParser();
  Command& root();

  /// Parses, then runs the action of the command named. Help is printed on stdout and runs nothing. Bad usage
  /// is an InvalidArgument with the nearest name where there is one.
  void run(const std::vector<std::string>& arguments);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace privet::cli
