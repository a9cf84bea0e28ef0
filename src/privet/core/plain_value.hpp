#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "privet/graph/graph.hpp"
#include "privet/tensor/matrix.hpp"
#include "privet/tensor/sparse_matrix.hpp"

namespace privet::privacy {

/// Whether a T is known to be nothing but its value: no pointer, no reference, no mutable member, nothing
/// through which a computation on a secret could leave a note for somebody else. An allow-list: a type is not
/// plain until it is named here or, for a struct of plain members, beside its definition:
///
///     template <> inline constexpr bool is_plain_value<FixedPointMatrix> = true;
///
/// tests/rooms.py keeps such lines inside core/, where they are reviewed.
template <typename T>
inline constexpr bool is_plain_value = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <>
inline constexpr bool is_plain_value<std::string> = true;
template <typename T, typename Allocator>
inline constexpr bool is_plain_value<std::vector<T, Allocator>> = is_plain_value<T>;
template <typename T, std::size_t kSize>
inline constexpr bool is_plain_value<std::array<T, kSize>> = is_plain_value<T>;
template <typename T>
inline constexpr bool is_plain_value<std::optional<T>> = is_plain_value<T>;
template <typename A, typename B>
inline constexpr bool is_plain_value<std::pair<A, B>> = is_plain_value<A>&& is_plain_value<B>;
template <typename... Parts>
inline constexpr bool is_plain_value<std::tuple<Parts...>> = (is_plain_value<Parts> && ...);
template <typename... Parts>
inline constexpr bool is_plain_value<std::variant<Parts...>> = (is_plain_value<Parts> && ...);
template <>
inline constexpr bool is_plain_value<std::monostate> = true;

template <>
inline constexpr bool is_plain_value<tensor::Matrix> = true;
template <>
inline constexpr bool is_plain_value<tensor::SparseMatrix> = true;
// Copies of a graph share storage that never changes (its lazily built transpose is a function of it).
template <>
inline constexpr bool is_plain_value<graph::Graph> = true;
template <>
inline constexpr bool is_plain_value<graph::Edge> = true;

/// A view through which plain values can be read but not written.
template <typename T>
inline constexpr bool is_plain_view = false;
template <typename T, std::size_t kExtent>
inline constexpr bool is_plain_view<std::span<const T, kExtent>> = is_plain_value<T>;
template <>
inline constexpr bool is_plain_view<std::string_view> = true;

}  // namespace privet::privacy
