#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "privet/base/json.hpp"

namespace privet {

/// One value of a JSON document together with the way to it ("run.json: releases[2].event.kind"). Readers of
/// certificates, events and ledger entries take documents apart through it, so that every fault is a
/// DataError that names the place. It refers to the document, which has to outlive it.
class JsonField {
 public:
  JsonField(const Json& value, std::string where) : value_(&value), path_(std::move(where)) {}

  /// A member of an object: must be there.
  [[nodiscard]] JsonField at(std::string_view key) const;
  /// A member of an object, where it is there.
  [[nodiscard]] std::optional<JsonField> find(std::string_view key) const;
  /// Refuses members of an object other than these: a misspelt key must not pass for an absent one.
  void allow_only(std::initializer_list<std::string_view> keys) const;
  /// The elements of an array.
  [[nodiscard]] std::vector<JsonField> elements() const;

  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string nonempty_text() const;
  /// A finite number.
  [[nodiscard]] double number() const;
  /// A finite number, or null.
  [[nodiscard]] std::optional<double> number_or_null() const;
  /// A whole number from 0 to 2^64 - 1, written without point or exponent.
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] bool boolean() const;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[noreturn]] void refuse(std::string what, std::string expected = {}) const;

 private:
  [[nodiscard]] const Json* member(std::string_view key) const;
  [[nodiscard]] JsonField child(const Json& value, std::string_view key) const;

  const Json* value_;
  std::string path_;
  bool root_ = true;
};

/// Parses a document in which no object has the same key twice (readers differ in which of the two they
/// believe) and nothing is nested deeper than `max_depth`. Every fault is a DataError that names `where`.
Json parse_strict_json(std::string_view text, const std::string& where, int max_depth = 100);

}  // namespace privet
