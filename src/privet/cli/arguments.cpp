#include "privet/cli/arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/base/options.hpp"
#include "privet/base/suggest.hpp"

namespace privet::cli {
namespace {

// "--out,-o" -> "--out": how messages name an option.
std::string display_name(const std::string& flags) { return flags.substr(0, flags.find(',')); }

std::string full_name(const CLI::App* app) {
  std::string name = app->get_name();
  for (const CLI::App* parent = app->get_parent(); parent != nullptr; parent = parent->get_parent()) {
    name = parent->get_name() + " " + name;
  }
  return name;
}

const CLI::App* deepest(const CLI::App* app) {
  for (const CLI::App* parsed : app->get_subcommands()) return deepest(parsed);
  return app;
}

std::vector<std::string> subcommand_names(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

[[noreturn]] void unknown_argument(const CLI::App* root, const std::string& argument) {
  const CLI::App* app = deepest(root);
  if (argument.starts_with('-')) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    const std::string name = argument.substr(0, argument.find('='));
    const std::string near = nearest(name, names);
    throw InvalidArgument({.what = fmt::format("no option '{}'", name),
                           .where = full_name(app),
                           .remedy = near.empty() ? fmt::format("see {} --help", full_name(app))
                                                  : fmt::format("did you mean '{}'?", near)});
  }
  const std::vector<std::string> names = subcommand_names(app);
  if (!names.empty()) {
    throw InvalidArgument({.what = fmt::format("no command '{}'", argument),
                           .where = full_name(app),
                           .remedy = suggestion(argument, names)});
  }
  throw InvalidArgument({.what = fmt::format("'{}' is one argument too many", argument),
                         .where = full_name(app),
                         .remedy = "lists have commas between and no spaces: 1,4"});
}

// The parser's own messages in our words.
std::string plain_words(const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return text.find("At Most") != std::string::npos ? name + " is there more than once"
                                                     : name + " needs a value";
  }
  return text;
}

}  // namespace

struct Command::Impl {
  CLI::App* app = nullptr;
  CLI::Option* latest = nullptr;
  std::string footer;
  std::function<void()> action;
  std::vector<std::unique_ptr<Command>> children;

  void option(const std::string& flags, const std::string& type, const std::string& help,
              const std::function<void(const std::string&)>& assign) {
    latest = app->add_option_function<std::string>(flags, assign, help)->type_name(type);
  }
};

Command::Command(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Command::~Command() = default;

Command& Command::positional(const std::string& name, std::string& target, const std::string& help) {
  impl_->latest = impl_->app->add_option(name, target, help)->required()->type_name("");
  return *this;
}

Command& Command::optional_positional(const std::string& name, std::string& target, const std::string& help) {
  impl_->latest = impl_->app->add_option(name, target, help)->type_name("");
  return *this;
}

Command& Command::option(const std::string& flags, std::string& target, const std::string& help) {
  impl_->option(flags, "TEXT", help, [&target](const std::string& text) { target = text; });
  return *this;
}

Command& Command::option(const std::string& flags, std::optional<std::string>& target,
                         const std::string& help) {
  impl_->option(flags, "TEXT", help, [&target](const std::string& text) { target = text; });
  return *this;
}

Command& Command::option(const std::string& flags, std::uint64_t& target, const std::string& help) {
  impl_->option(flags, "N", help, [&target, where = display_name(flags)](const std::string& text) {
    target = parse_integer(text, where);
  });
  return *this;
}

Command& Command::option(const std::string& flags, std::optional<std::uint64_t>& target,
                         const std::string& help) {
  impl_->option(flags, "N", help, [&target, where = display_name(flags)](const std::string& text) {
    target = parse_integer(text, where);
  });
  return *this;
}

Command& Command::option(const std::string& flags, double& target, const std::string& help) {
  impl_->option(flags, "X", help, [&target, where = display_name(flags)](const std::string& text) {
    target = parse_number(text, where);
  });
  return *this;
}

Command& Command::option(const std::string& flags, std::optional<double>& target, const std::string& help) {
  impl_->option(flags, "X", help, [&target, where = display_name(flags)](const std::string& text) {
    target = parse_number(text, where);
  });
  return *this;
}

Command& Command::option(const std::string& flags, const std::string& type, const std::string& help,
                         const std::function<void(const std::string&)>& assign) {
  impl_->option(flags, type, help, assign);
  return *this;
}

Command& Command::option(const std::string& flags, std::vector<std::string>& target,
                         const std::string& help) {
  impl_->latest = impl_->app->add_option(flags, target, help)->type_name("TEXT")->allow_extra_args(false);
  return *this;
}

Command& Command::flag(const std::string& flags, bool& target, const std::string& help) {
  impl_->latest = impl_->app->add_flag(flags, target, help);
  return *this;
}

Command& Command::required() {
  impl_->latest->required();
  return *this;
}

Command& Command::example(const std::string& line) {
  impl_->footer += impl_->footer.empty() ? "Examples:\n  " : "\n  ";
  impl_->footer += line;
  impl_->app->footer(impl_->footer);
  return *this;
}

Command& Command::action(std::function<void()> action) {
  impl_->action = std::move(action);
  return *this;
}

Command& Command::command(const std::string& name, const std::string& summary) {
  auto impl = std::make_unique<Impl>();
  impl->app = impl_->app->add_subcommand(name, summary);
  impl_->app->require_subcommand(0, 1);
  impl_->children.push_back(std::unique_ptr<Command>(new Command(std::move(impl))));
  return *impl_->children.back();
}

struct ArgumentParser::Impl {
  CLI::App app;
  std::unique_ptr<Command> root;

  Impl(const std::string& name, const std::string& summary) : app(summary, name) {}

  // The command that was named: the innermost that was parsed.
  const Command* chosen(const Command& command) const {
    for (const auto& child : command.impl_->children) {
      if (child->impl_->app->parsed()) return chosen(*child);
    }
    return &command;
  }
};

ArgumentParser::ArgumentParser(const std::string& name, const std::string& summary)
    : impl_(std::make_unique<Impl>(name, summary)) {
  auto root = std::make_unique<Command::Impl>();
  root->app = &impl_->app;
  impl_->root = std::unique_ptr<Command>(new Command(std::move(root)));
}

ArgumentParser::~ArgumentParser() = default;

Command& ArgumentParser::root() { return *impl_->root; }

void ArgumentParser::run(const std::vector<std::string>& arguments) {
  try {
    impl_->app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", impl_->app.help());
    return;
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> remaining = impl_->app.remaining(true);
    if (!remaining.empty()) unknown_argument(&impl_->app, remaining.front());
    const CLI::App* app = deepest(&impl_->app);
    throw InvalidArgument({.what = plain_words(error),
                           .where = full_name(app),
                           .remedy = fmt::format("see {} --help", full_name(app))});
  }
  const Command* command = impl_->chosen(*impl_->root);
  if (!command->impl_->action) {
    const CLI::App* app = command->impl_->app;
    throw InvalidArgument(
        {.what = "which command?",
         .where = full_name(app),
         .remedy = fmt::format("{}; see {} --help", suggestion("", subcommand_names(app)), full_name(app))});
  }
  command->impl_->action();
}

}  // namespace privet::cli
