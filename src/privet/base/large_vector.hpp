#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace privet {

inline constexpr std::size_t kLargePage = std::size_t{1} << 21;

/// Asks the system to back what lies in this memory with pages of two MiB, which cost it one fault where
/// small pages cost 512. Advice: where it is not taken all works as well. For memory not yet written to.
inline void ask_for_large_pages(void* memory, std::size_t bytes) noexcept {
  void* first = memory;
  std::size_t left = bytes;
  if (std::align(kLargePage, kLargePage, first, left) != nullptr) {
    (void)::madvise(first, left / kLargePage * kLargePage, MADV_HUGEPAGE);
  }
}

/// Memory for arrays that are written before they are read. Elements made without a value are left as they
/// come, so that threads which fill the array are the first to touch it; large arrays ask for large pages.
template <typename T>
struct LargeMemory {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>);
  using value_type = T;

  LargeMemory() = default;
  template <typename U>
  LargeMemory(const LargeMemory<U>&) noexcept {}  // NOLINT(google-explicit-constructor): as allocators do

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count < kLarge) return std::allocator<T>().allocate(count);
    void* const memory = ::operator new(count * sizeof(T), kAlignment);
    ask_for_large_pages(memory, count * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count < kLarge) {
      std::allocator<T>().deallocate(memory, count);
    } else {
      ::operator delete(memory, kAlignment);
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
  static constexpr std::align_val_t kAlignment{kLargePage};
  static constexpr std::size_t kLarge = kLargePage / sizeof(T);
};

/// LargeVector<T>(n) and resize(n) leave new elements without a value.
template <typename T>
using LargeVector = std::vector<T, LargeMemory<T>>;

}  // namespace privet
