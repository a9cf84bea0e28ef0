#pragma once

#include <cstdint>

namespace privet::privacy {

/// The finaliser of splitmix64: every bit of the result depends on every bit of the word. For public choices
/// that must look arbitrary and be the same in every graph; nothing rests on anybody not knowing the key.
constexpr std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

/// Of an ordered pair of ids.
constexpr std::uint64_t keyed_hash(std::uint64_t key, std::uint32_t first, std::uint32_t second) {
  return mixed(mixed(key) ^ ((static_cast<std::uint64_t>(first) << 32) | second));
}

}  // namespace privet::privacy
