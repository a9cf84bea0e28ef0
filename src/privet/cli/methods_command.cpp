#include "privet/cli/methods_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "privet/base/json.hpp"
#include "privet/cli/tables.hpp"
#include "privet/methods/registry.hpp"

namespace privet::cli {
namespace {

struct Options {
  std::string name;
  bool json = false;
};

Json describe(methods::Method& method) {
  Json options = Json::array();
  for (const OptionTable::Option& option : method.options().options()) {
    options.push_back({{"name", option.name},
                       {"type", option.type},
                       {"default", option.initial},
                       {"range", option.range},
                       {"description", option.description}});
  }
  Json presets = Json::array();
  for (const methods::Preset& preset : method.presets()) {
    presets.push_back(
        {{"name", preset.name}, {"description", preset.description}, {"options", preset.assignments}});
  }
  return {{"name", method.name()},   {"summary", method.summary()}, {"reference", method.reference()},
          {"units", method.units()}, {"rigor", method.rigors()},    {"options", options},
          {"presets", presets}};
}

void print_one(methods::Method& method) {
  fmt::print("{}: {}\n\n", method.name(), method.summary());
  fmt::print("reference   {}\n", method.reference());
  fmt::print("protects    {}\n", fmt::join(method.units(), ", "));
  fmt::print("rigor       {}\n", fmt::join(method.rigors(), ", "));
  fmt::print("\noptions (--set NAME=VALUE):\n");
  Table table{.header = {"name", "default", "range", "what it is"}, .rows = {}};
  for (const OptionTable::Option& option : method.options().options())
    table.rows.push_back(
        {option.name, option.initial, option.range.empty() ? option.type : option.range, option.description});
  fmt::print("{}", table_text(table));
  if (!method.presets().empty()) fmt::print("\npresets (--preset NAME):\n");
  for (const methods::Preset& preset : method.presets())
    fmt::print("  {}: {}\n", preset.name, preset.description);
}

void show(const Options& options) {
  if (!options.name.empty()) {
    const std::unique_ptr<methods::Method> method = methods::make_method(options.name);
    if (options.json) {
      fmt::print("{}", to_text(describe(*method)));
    } else {
      print_one(*method);
    }
    return;
  }
  Json all = Json::array();
  Table table{.header = {"method", "protects", "rigor", "what it is"}, .rows = {}};
  for (const std::unique_ptr<methods::Method>& method : methods::all_methods()) {
    all.push_back(describe(*method));
    table.rows.push_back({method->name(), fmt::format("{}", fmt::join(method->units(), ", ")),
                          fmt::format("{}", fmt::join(method->rigors(), ", ")), method->summary()});
  }
  if (options.json) {
    fmt::print("{}", to_text(Json{{"methods", all}}));
    return;
  }
  fmt::print("{}\nprivet methods NAME shows the options of one.\n", table_text(table));
}

}  // namespace

void declare_methods_command(Command& root) {
  auto options = std::make_shared<Options>();
  Command& command = root.command("methods", "the methods there are, and their options");
  command.optional_positional("NAME", options->name, "one method");
  command.flag("--json", options->json, "one JSON document on stdout");
  command.example("privet methods");
  command.example("privet methods dp-mlp");
  command.action([options] { show(*options); });
}

}  // namespace privet::cli
