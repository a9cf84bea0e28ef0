#pragma once

#include <stdexcept>
#include <string>

namespace privet {

/// What an error tells its reader, in the order in which it is printed:
///
///     where: what (expected expected); remedy
///
/// `where` names the file, array, option or position; `what` is the fault itself; `expected` and `remedy` may
/// stay empty. All of it fits on one line.
struct Fault {
  std::string what;
  std::string where = {};
  std::string expected = {};
  std::string remedy = {};
};

/// The root of everything Privet throws on purpose. The kinds below differ in who has to act, and so in the
/// exit status of the program (see cli/exit_status.hpp).
class Error : public std::runtime_error {
 public:
  explicit Error(Fault fault);
  [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

/// The caller asked for something that makes no sense: an option out of range, an unknown name.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// Input was read but is not what it claims to be: a damaged archive, a node id out of range.
class DataError : public Error {
 public:
  using Error::Error;
};

/// The operating system refused: no such file, no permission, a full disk.
class IoError : public Error {
 public:
  using Error::Error;
};

/// A release would cost more privacy than is left. Nothing was released.
class BudgetExceeded : public Error {
 public:
  using Error::Error;
};

/// The request has no sound guarantee, and sound was asked for. Nothing was released.
class Unsound : public Error {
 public:
  using Error::Error;
};

/// The user stopped the work.
class Interrupted : public Error {
 public:
  using Error::Error;
};

}  // namespace privet
