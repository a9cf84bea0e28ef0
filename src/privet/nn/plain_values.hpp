#pragma once

#include "privet/core/plain_value.hpp"
#include "privet/nn/clipped_gradient.hpp"
#include "privet/nn/examples.hpp"
#include "privet/nn/network.hpp"

/// The types of this room that may live in a Secret or be handed to a computation on one: structs of plain
/// members, and the network, which is a description that never changes (its layers have no mutable member;
/// tests/rooms.py forbids the word in this room). This file is part of what a privacy review reads.

namespace privet::privacy {

template <>
inline constexpr bool is_plain_value<nn::Network> = true;
template <>
inline constexpr bool is_plain_value<nn::Parameters> = true;
template <>
inline constexpr bool is_plain_value<nn::Examples> = true;
template <>
inline constexpr bool is_plain_value<nn::StarExamples> = true;
template <>
inline constexpr bool is_plain_value<nn::Clipping> = true;
template <>
inline constexpr bool is_plain_value<nn::SumPlan> = true;
template <>
inline constexpr bool is_plain_value<nn::GradientRoom> = true;

}  // namespace privet::privacy
