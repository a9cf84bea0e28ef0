#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace privet {

/// Memory for arrays that are written before they are read. Elements made without a value are left as they
/// come, so that threads which fill the array are the first to touch it; large arrays ask the system for
/// pages of two MiB, which cost it one fault where small pages cost 512.
template <typename T>
struct LargeMemory {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>);
  using value_type = T;

  LargeMemory() = default;
  template <typename U>
  LargeMemory(const LargeMemory<U>&) noexcept {}  // NOLINT(google-explicit-constructor): as allocators do

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count < kLarge) return std::allocator<T>().allocate(count);
    void* const memory = ::operator new(count * sizeof(T), kPage);
    // Advice: where it is not taken the array works as well.
    (void)::madvise(memory, count * sizeof(T), MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count < kLarge) {
      std::allocator<T>().deallocate(memory, count);
    } else {
      ::operator delete(memory, count * sizeof(T), kPage);
    }
  }

  template <typename U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(static_cast<Arguments&&>(arguments)...);
  }

  bool operator==(const LargeMemory&) const noexcept { return true; }

 private:
  static constexpr std::align_val_t kPage{std::size_t{1} << 21};
  static constexpr std::size_t kLarge = (std::size_t{1} << 22) / sizeof(T);
};

/// LargeVector<T>(n) and resize(n) leave new elements without a value.
template <typename T>
using LargeVector = std::vector<T, LargeMemory<T>>;

}  // namespace privet
