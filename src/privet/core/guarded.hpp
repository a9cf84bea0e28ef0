#pragma once

#include <stdexcept>
#include <utility>
#include <variant>

#include "privet/core/secret.hpp"

namespace privet::privacy {

/// One part of a data set under a unit of protection: plain where the unit leaves it public, a Secret where
/// it protects it. Which of the two is decided once, by protect(); code that needs it public asks for
/// visible() and fails loudly where it is not.
template <typename T>
class Guarded {
 public:
  static Guarded public_value(T value) { return Guarded(std::move(value)); }
  static Guarded hidden(T value) { return Guarded(Secret<T>(std::move(value))); }
  static Guarded hidden(Secret<T> secret) { return Guarded(std::move(secret)); }

  [[nodiscard]] bool is_secret() const noexcept { return std::holds_alternative<Secret<T>>(part_); }
  /// std::logic_error where the part is protected.
  [[nodiscard]] const T& visible() const {
    if (const T* value = std::get_if<T>(&part_)) return *value;
    throw std::logic_error("a protected part of the data was taken for public");
  }
  /// std::logic_error where the part is public.
  [[nodiscard]] const Secret<T>& secret() const {
    if (const Secret<T>* secret = std::get_if<Secret<T>>(&part_)) return *secret;
    throw std::logic_error("a public part of the data was taken for protected");
  }

 private:
  explicit Guarded(T value) : part_(std::move(value)) {}
  explicit Guarded(Secret<T> secret) : part_(std::move(secret)) {}
  std::variant<T, Secret<T>> part_;
};

}  // namespace privet::privacy
