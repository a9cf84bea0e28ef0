#include "privet/cli/account_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "privet/accounting/accountant.hpp"
#include "privet/accounting/calibration.hpp"
#include "privet/accounting/mechanism_options.hpp"
#include "privet/base/error.hpp"
#include "privet/base/json.hpp"
#include "privet/base/rounding.hpp"
#include "privet/cli/plan_file.hpp"

namespace privet::cli {
namespace {

using privacy::Accountant;
using privacy::Delta;
using privacy::Epsilon;
using privacy::Event;
using privacy::MechanismOptions;

struct Request {
  MechanismOptions mechanism;
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::string accountant = "auto";
  std::optional<std::string> plan;
  bool json = false;
};

// One flag for every option of the mechanism: noise_multiplier becomes --noise-multiplier.
void declare_mechanism_options(Command& command, const std::shared_ptr<Request>& request, bool with_noise) {
  const std::string noise = privacy::find_mechanism_kind(request->mechanism.kind).noise;
  for (const OptionTable::Option& option : privacy::mechanism_table(request->mechanism).options()) {
    if (!with_noise && option.name == noise) continue;
    std::string flag = "--" + option.name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    command.option(
        flag,
        option.type == "integer"  ? "N"
        : option.type == "number" ? "X"
                                  : "TEXT",
        option.range.empty() ? option.description : fmt::format("{} ({})", option.description, option.range),
        [request, assign = option.assign](const std::string& text) { assign(text); });
  }
}

void declare_common(Command& command, const std::shared_ptr<Request>& request) {
  command.option("--accountant", request->accountant,
                 "rdp, gdp, pld, or auto: the tightest upper bound (default)");
  command.flag("--json", request->json, "one JSON document");
}

// Whether the event has an epsilon at delta 0.
bool is_pure(const Event& event) {
  try {
    (void)privacy::epsilon(event, Delta(0));
    return true;
  } catch (const InvalidArgument&) {
    return false;
  }
}

std::string reading(const std::string& subject) {
  return "of " + subject + ", under the unit of protection that its numbers were worked out for";
}

void account(const Request& request, const Event& event, const std::string& subject) {
  const Accountant accountant = privacy::parse_accountant(request.accountant);
  if (request.epsilon && request.delta) {
    throw InvalidArgument(
        {.what = "both --epsilon and --delta", .where = "account", .expected = "one of them"});
  }
  if (!request.epsilon && !request.delta && !is_pure(event)) {
    throw InvalidArgument({.what = "--delta is missing",
                           .where = "account",
                           .remedy = "give --delta to get epsilon, or --epsilon to get delta"});
  }
  Json document = {{"mechanism", subject}};
  std::string text;
  if (request.epsilon) {
    const auto bound = privacy::delta(event, Epsilon(*request.epsilon), accountant);
    document.update(Json{{"delta", bound.upper},
                         {"delta_lower", bound.lower},
                         {"epsilon", *request.epsilon},
                         {"bound", "upper"},
                         {"accountant", privacy::accountant_name(bound.by)}});
    text = fmt::format("delta at most {} (upper bound) at epsilon {:g}, {}; by {}\n", rounded_up(bound.upper),
                       *request.epsilon, reading(subject), privacy::accountant_name(bound.by));
  } else {
    const double delta = request.delta.value_or(0);
    const auto bound = privacy::epsilon(event, Delta(delta), accountant);
    document.update(Json{{"epsilon", bound.upper},
                         {"epsilon_lower", bound.lower},
                         {"delta", delta},
                         {"bound", std::isinf(bound.upper) ? "none" : "upper"},
                         {"accountant", privacy::accountant_name(bound.by)}});
    text = std::isinf(bound.upper)
               ? fmt::format("no finite epsilon at delta {:g}, {}; by {}\n", delta, reading(subject),
                             privacy::accountant_name(bound.by))
               : fmt::format("epsilon at most {} (upper bound) at delta {:g}, {}; by {}\n",
                             rounded_up(bound.upper), delta, reading(subject),
                             privacy::accountant_name(bound.by));
  }
  document["event"] = event.describe();
  fmt::print("{}", request.json ? to_text(document) : text);
}

// Options of the plan and of one mechanism do not mix.
void require_untouched(const Request& planned, const std::string& mechanism) {
  if (planned.plan || planned.epsilon || planned.delta || planned.accountant != "auto" || planned.json) {
    throw InvalidArgument({.what = fmt::format("options stand before '{}'", mechanism),
                           .where = "privet",
                           .remedy = "put them behind it; --plan goes without a mechanism"});
  }
}

Event plan_event(std::vector<PlannedMechanism> plan, double scale) {
  std::vector<Event> parts;
  for (PlannedMechanism& mechanism : plan) {
    if (mechanism.free) privacy::mechanism_noise(mechanism.options) = scale * mechanism.weight;
    parts.push_back(privacy::mechanism_event(mechanism.options));
  }
  return privacy::composed(std::move(parts));
}

void require_budget(const Request& request) {
  if (!request.epsilon || !request.delta) {
    throw InvalidArgument({.what = "a budget needs --epsilon and --delta",
                           .where = "calibrate",
                           .remedy = "delta 0 asks for pure DP"});
  }
}

// Prints what calibration found, with the bound that the found noise really has.
void print_calibrated(const Request& request, const std::string& subject, const Event& event, Json found) {
  const auto bound =
      privacy::epsilon(event, Delta(*request.delta), privacy::parse_accountant(request.accountant));
  Json document = {{"mechanism", subject}};
  document.update(found);
  document.update(Json{{"epsilon", bound.upper},
                       {"delta", *request.delta},
                       {"bound", "upper"},
                       {"accountant", privacy::accountant_name(bound.by)}});
  if (request.json) {
    fmt::print("{}", to_text(document));
    return;
  }
  for (const auto& [key, value] : found.items()) {
    // What is printed must meet the budget too when it is typed in again.
    if (value.is_number()) {
      const double number = value.get<double>();
      fmt::print("{} {}\n", key, key == "epsilon_each" ? rounded_down(number) : rounded_up(number));
    }
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        const Json& part = value[i];
        fmt::print("mechanism {} {} {} {}\n", i + 1, part["kind"].get<std::string>(),
                   part["option"].get<std::string>(), rounded_up(part["value"].get<double>()));
      }
    }
  }
  fmt::print("epsilon at most {} (upper bound) at delta {:g}, {}; by {}\n", rounded_up(bound.upper),
             *request.delta, reading(subject), privacy::accountant_name(bound.by));
}

void calibrate(const Request& request) {
  require_budget(request);
  const Accountant accountant = privacy::parse_accountant(request.accountant);
  MechanismOptions options = request.mechanism;
  const bool noise_scale = privacy::more_noise_is_more_private(options);
  const auto plan = [&](double scale) {
    MechanismOptions trial = options;
    privacy::mechanism_noise(trial) = noise_scale ? scale : 1 / scale;
    return privacy::mechanism_event(trial);
  };
  const double scale = privacy::calibrate(plan, Epsilon(*request.epsilon), Delta(*request.delta), accountant);
  privacy::mechanism_noise(options) = noise_scale ? scale : 1 / scale;
  print_calibrated(
      request, options.kind, privacy::mechanism_event(options),
      Json{{privacy::find_mechanism_kind(options.kind).noise, privacy::mechanism_noise(options)}});
}

void calibrate_plan(const Request& request) {
  require_budget(request);
  std::vector<PlannedMechanism> plan = read_plan(*request.plan);
  for (const PlannedMechanism& mechanism : plan) {
    if (mechanism.free && !privacy::more_noise_is_more_private(mechanism.options)) {
      throw InvalidArgument({.what = fmt::format("a {} needs its epsilon_each", mechanism.options.kind),
                             .where = *request.plan,
                             .remedy = "only noise scales can be left to calibration"});
    }
  }
  if (std::none_of(plan.begin(), plan.end(), [](const PlannedMechanism& m) { return m.free; })) {
    throw InvalidArgument({.what = "every mechanism has its noise already",
                           .where = *request.plan,
                           .remedy = "leave one out, or use privet account --plan"});
  }
  const double scale =
      privacy::calibrate([&](double trial) { return plan_event(plan, trial); }, Epsilon(*request.epsilon),
                         Delta(*request.delta), privacy::parse_accountant(request.accountant));
  Json parts = Json::array();
  for (PlannedMechanism& mechanism : plan) {
    if (mechanism.free) privacy::mechanism_noise(mechanism.options) = scale * mechanism.weight;
    parts.push_back({{"kind", mechanism.options.kind},
                     {"option", privacy::find_mechanism_kind(mechanism.options.kind).noise},
                     {"value", privacy::mechanism_noise(mechanism.options)},
                     {"calibrated", mechanism.free}});
  }
  print_calibrated(request, "the plan", plan_event(plan, scale),
                   Json{{"scale", scale}, {"mechanisms", parts}});
}

}  // namespace

void declare_account_command(Command& root) {
  Command& account_command =
      root.command("account", "what mechanisms cost: epsilon at a delta, or delta at an epsilon");
  const auto planned = std::make_shared<Request>();
  account_command.option("--plan", planned->plan, "TOML file that lists several mechanisms, composed");
  account_command.option("--delta", planned->delta, "prints epsilon at this delta");
  account_command.option("--epsilon", planned->epsilon, "prints delta at this epsilon");
  declare_common(account_command, planned);
  account_command.example("privet account gaussian --sensitivity 1.4143 --stddev 6 --delta 1e-6");
  account_command.example(
      "privet account subsampled-gaussian --noise-multiplier 1.1 --rate 0.01 --steps 1000 --delta 1e-5");
  account_command.example("privet account --plan run.toml --delta 1e-6 --json");
  account_command.action([planned] {
    if (!planned->plan) {
      throw InvalidArgument(
          {.what = "which mechanism?", .where = "privet account", .remedy = "see privet account --help"});
    }
    const std::vector<PlannedMechanism> plan = read_plan(*planned->plan);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].free) {
        throw InvalidArgument(
            {.what = privacy::find_mechanism_kind(plan[i].options.kind).noise + " is missing",
             .where = fmt::format("{} mechanism {}", *planned->plan, i + 1),
             .remedy = "privet calibrate --plan finds it"});
      }
    }
    account(*planned, plan_event(plan, 0), "the plan");
  });
  for (const privacy::MechanismKind& kind : privacy::mechanism_kinds()) {
    const auto request = std::make_shared<Request>();
    request->mechanism.kind = kind.name;
    Command& command = account_command.command(kind.name, kind.description);
    declare_mechanism_options(command, request, true);
    command.option("--delta", request->delta, "prints epsilon at this delta");
    command.option("--epsilon", request->epsilon, "prints delta at this epsilon");
    declare_common(command, request);
    command.action([request, planned] {
      require_untouched(*planned, request->mechanism.kind);
      account(*request, privacy::mechanism_event(request->mechanism), request->mechanism.kind);
    });
  }
}

void declare_calibrate_command(Command& root) {
  Command& calibrate_command = root.command("calibrate", "the least noise that meets a budget");
  const auto planned = std::make_shared<Request>();
  calibrate_command.option("--plan", planned->plan,
                           "TOML file of mechanisms; those without noise are calibrated");
  calibrate_command.option("--epsilon", planned->epsilon, "budget");
  calibrate_command.option("--delta", planned->delta, "budget");
  declare_common(calibrate_command, planned);
  calibrate_command.example("privet calibrate gaussian --epsilon 1 --delta 1e-6 --times 4 --sensitivity 1");
  calibrate_command.example("privet calibrate --plan run.toml --epsilon 1 --delta 1e-6");
  calibrate_command.action([planned] {
    if (!planned->plan) {
      throw InvalidArgument(
          {.what = "which mechanism?", .where = "privet calibrate", .remedy = "see privet calibrate --help"});
    }
    calibrate_plan(*planned);
  });
  for (const privacy::MechanismKind& kind : privacy::mechanism_kinds()) {
    const auto request = std::make_shared<Request>();
    request->mechanism.kind = kind.name;
    Command& command = calibrate_command.command(kind.name, kind.description);
    declare_mechanism_options(command, request, false);
    command.option("--epsilon", request->epsilon, "budget");
    command.option("--delta", request->delta, "budget");
    declare_common(command, request);
    command.action([request, planned] {
      require_untouched(*planned, request->mechanism.kind);
      calibrate(*request);
    });
  }
}

}  // namespace privet::cli
