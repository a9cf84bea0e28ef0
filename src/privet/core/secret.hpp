#pragma once

#include <concepts>
#include <exception>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "privet/base/error.hpp"
#include "privet/core/plain_value.hpp"
#include "privet/core/release.hpp"

namespace privet::privacy {

template <typename T>
class Secret;

/// The key that mechanisms have, and nobody else: core/opening.hpp.
class Opening;

namespace detail {

struct Failed {};

template <typename T>
inline constexpr bool is_secret = false;
template <typename T>
inline constexpr bool is_secret<Secret<T>> = true;

}  // namespace detail

/// What may live inside a Secret: a value of its own, not a view, pointer or reference to something that can
/// be read or written from outside. See plain_value.hpp for what is known to be that.
template <typename T>
concept SecretValue = is_plain_value<T> && !detail::is_secret<T>;

/// What may be handed into a computation on a secret: another Secret, a public value through which nothing
/// can be written, or a function object that can't remember anything.
template <typename A>
concept SecretArgument = detail::is_secret<A> || is_plain_value<A> || is_plain_view<A> || std::is_empty_v<A>;

/// A computation on secrets: a function or a lambda *without captures*, so that its arguments are all it can
/// see. Public inputs are passed beside the secret instead of being captured:
///
///     Secret<Matrix> sums = graph.map([](const Graph& g, const Matrix& x) { return multiply(g, x); }, x);
template <typename F>
concept Captureless = std::is_empty_v<F> || std::is_function_v<std::remove_pointer_t<F>>;

/// Private data on its way to a mechanism. A Secret can be computed with (`map`, `modify`) but not copied,
/// printed, compared, converted or read: the only doors are `read`, whose key only mechanisms can make, each
/// of which adds its noise and writes a Release, and `declassify`, which writes an UnaccountedUse.
///
/// What the compiler can't see, and a reviewer must: a computation that writes to global or static variables
/// or files, and one whose *running time* depends on the data.
///
/// A computation must be total: it gives a value for every data set, and the sensitivity is worked out for
/// that value. One that throws nevertheless tells nothing by throwing: the result is a *failed* Secret,
/// further computations on it do nothing, mechanisms read it as zeros, and only `declassify` rethrows what
/// happened. But a computation that fails on one of two neighbouring data sets and not on the other moves the
/// released value further than its sensitivity says: a fault of the method, which no wrapper can mend.
///
/// Using a Secret that has been moved from is a mistake of the program, not a property of the data: it throws
/// std::logic_error.
template <typename T>
class Secret {
  static_assert(!detail::is_secret<T>, "a Secret within a Secret protects nothing more");
  static_assert(SecretValue<T>, "a Secret holds a value, not a pointer, reference or view");

 public:
  explicit Secret(T value) : value_(std::move(value)) {}
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  Secret(Secret&& other) noexcept
      : value_(std::exchange(other.value_, std::nullopt)), failure_(std::exchange(other.failure_, nullptr)) {}
  Secret& operator=(Secret&& other) noexcept {
    value_ = std::exchange(other.value_, std::nullopt);
    failure_ = std::exchange(other.failure_, nullptr);
    return *this;
  }
  ~Secret() = default;

  /// f(value, arguments...) as another Secret. Arguments that are Secrets are passed opened; f gets
  /// everything by reference to const and returns a value.
  template <typename F, typename... Arguments>
  [[nodiscard]] auto map(F f, const Arguments&... arguments) const {
    static_assert(Captureless<F>,
                  "a computation on a Secret has no captures: pass public inputs as arguments");
    static_assert((SecretArgument<Arguments> && ...),
                  "an argument of a computation on a Secret must not lead to something writable");
    using Result = decltype(f(std::declval<const T&>(), opened(arguments)...));
    static_assert(!std::is_void_v<Result>, "a computation on a Secret returns its result");
    static_assert(SecretValue<Result>, "a computation on a Secret returns a value, not a pointer or view");
    require_filled(arguments...);
    if (std::exception_ptr failed = first_failure(arguments...))
      return Secret<Result>(detail::Failed{}, failed);
    try {
      return Secret<Result>(f(*value_, opened(arguments)...));
    } catch (...) {
      return Secret<Result>(detail::Failed{}, std::current_exception());
    }
  }

  /// f(value, arguments...) may change the value in place: for buffers that are used again and again.
  template <typename F, typename... Arguments>
  void modify(F f, const Arguments&... arguments) {
    static_assert(Captureless<F>,
                  "a computation on a Secret has no captures: pass public inputs as arguments");
    static_assert((SecretArgument<Arguments> && ...),
                  "an argument of a computation on a Secret must not lead to something writable");
    static_assert(std::is_void_v<decltype(f(std::declval<T&>(), opened(arguments)...))>,
                  "a computation that changes a Secret returns nothing");
    require_filled(arguments...);
    if (std::exception_ptr failed = first_failure(arguments...)) {
      failure_ = failed;
      return;
    }
    try {
      f(*value_, opened(arguments)...);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  /// For mechanisms, whose sources alone can make an Opening: the value; nullptr where the computation of it
  /// failed.
  [[nodiscard]] const T* read(const Opening& /*key*/) const {
    require_filled();
    return failure_ ? nullptr : &*value_;
  }
  [[nodiscard]] T* read(const Opening& /*key*/) {
    require_filled();
    return failure_ ? nullptr : &*value_;
  }

 private:
  template <typename>
  friend class Secret;

  template <typename U>
  friend U declassify(Secret<U>&& secret, std::string what, std::string reason, ReleaseLog& log);
  template <typename U>
  friend U declassify(const Secret<U>& secret, std::string what, std::string reason, ReleaseLog& log);

  Secret(detail::Failed, std::exception_ptr failure) : failure_(std::move(failure)) {}

  template <typename A>
  static const A& opened(const A& argument) {
    return argument;
  }
  template <typename U>
  static const U& opened(const Secret<U>& secret) {
    return *secret.value_;
  }
  template <typename A>
  static std::exception_ptr failure_of(const A&) {
    return nullptr;
  }
  template <typename U>
  static std::exception_ptr failure_of(const Secret<U>& secret) {
    return secret.failure_;
  }
  template <typename A>
  static void require_filled_one(const A&) {}
  template <typename U>
  static void require_filled_one(const Secret<U>& secret) {
    if (!secret.value_ && !secret.failure_)
      throw std::logic_error("a Secret was used after it was moved from");
  }
  template <typename... Arguments>
  void require_filled(const Arguments&... arguments) const {
    require_filled_one(*this);
    (require_filled_one(arguments), ...);
  }
  template <typename... Arguments>
  std::exception_ptr first_failure(const Arguments&... arguments) const {
    std::exception_ptr first = failure_;
    ((first = first ? first : failure_of(arguments)), ...);
    return first;
  }

  // Exactly one of the two is set; none after a move, and a failure hides a value.
  std::optional<T> value_;
  std::exception_ptr failure_;
};

namespace detail {
inline void log_declassified(std::string what, std::string reason, ReleaseLog& log) {
  if (what.empty() || reason.empty()) {
    throw InvalidArgument({.what = "a look at private data without noise",
                           .where = "declassify",
                           .expected = "what is looked at, and the reason for it"});
  }
  log.add(UnaccountedUse{std::move(what), std::move(reason)});
}
}  // namespace detail

/// The value itself, without noise, for what has to look (test accuracy in an experiment): the certificate
/// lists `what` and `reason` as an unaccounted use. Both must be given. Rethrows the failure of a failed
/// Secret, after the use has been logged.
template <typename T>
[[nodiscard]] T declassify(Secret<T>&& secret, std::string what, std::string reason, ReleaseLog& log) {
  secret.require_filled();
  detail::log_declassified(std::move(what), std::move(reason), log);
  Secret<T> taken = std::move(secret);
  if (taken.failure_) std::rethrow_exception(taken.failure_);
  return std::move(*taken.value_);
}

template <typename T>
[[nodiscard]] T declassify(const Secret<T>& secret, std::string what, std::string reason, ReleaseLog& log) {
  secret.require_filled();
  detail::log_declassified(std::move(what), std::move(reason), log);
  if (secret.failure_) std::rethrow_exception(secret.failure_);
  return *secret.value_;
}

}  // namespace privet::privacy
