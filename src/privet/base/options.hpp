#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace privet {

/// The options of a generator or a method, declared once: names, types, ranges, defaults and documentation.
/// The command line, configuration files and the documentation are made from this table.
///
///     struct SbmOptions { std::uint64_t nodes = 1000; double mean_degree = 10; };
///     OptionTable options(SbmOptions& o) {
///       OptionTable table("sbm");
///       table.add("nodes", o.nodes, "number of nodes", 1, 1e9);
///       table.add("mean_degree", o.mean_degree, "expected degree of a node", 0.0, 1e6);
///       return table;
///     }
///
/// The table is bound to the struct it was made for; setting an option writes there.
class OptionTable {
 public:
  struct Option {
    std::string name;
    std::string type;  ///< "integer", "number", "yes/no", "text"
    std::string initial;
    std::string range;  ///< "1 to 100", "one of a, b", or empty
    std::string description;
    std::function<void(std::string_view text)> assign;
    std::function<std::string()> current;
  };

  explicit OptionTable(std::string owner) : owner_(std::move(owner)) {}

  void add(std::string name, std::uint64_t& target, std::string description, std::uint64_t least,
           std::uint64_t most);
  void add(std::string name, double& target, std::string description, double least, double most);
  void add(std::string name, bool& target, std::string description);
  void add(std::string name, std::string& target, std::string description,
           std::vector<std::string> choices = {});

  /// Parses and stores one value. An unknown name gets the nearest one, a value out of range the range.
  void set(std::string_view name, std::string_view text);
  /// The same for "name=value".
  void set_assignment(std::string_view assignment);

  [[nodiscard]] const std::vector<Option>& options() const& noexcept { return options_; }
  [[nodiscard]] std::vector<Option> options() && noexcept { return std::move(options_); }
  [[nodiscard]] const std::string& owner() const noexcept { return owner_; }

 private:
  void push(Option option);
  [[nodiscard]] std::string where(std::string_view name) const;

  std::string owner_;
  std::vector<Option> options_;
};

/// Strict parsing of a whole text; an InvalidArgument names `where`. Thousands separators, trailing
/// characters and, for numbers, not-a-number are faults.
std::uint64_t parse_integer(std::string_view text, const std::string& where);
double parse_number(std::string_view text, const std::string& where);

}  // namespace privet
